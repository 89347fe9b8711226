// The settings of a run, each with the origin of its value: flag, environment, profile, user config or default.
import { resolve } from 'node:path';
import { Fault } from '../faults.ts';
import { formFault } from '../format/form-fault.ts';
import { withoutPassword } from '../shell-words.ts';
import { directoriesOf, ignoredVariables, type Directories, type DirectoryInputs } from './directories.ts';
import {
  KEYS,
  SETTING_KEYS,
  InvalidSettingValue,
  variableOf,
  type SettingKey,
  type SettingValues,
} from './setting-keys.ts';
import { readSettingsFile, settingsPath, unknownProfile, type SettingsFile } from './settings-file.ts';
import type { StoreWorld } from './private-file.ts';

/** Where the value of a setting came from. */
export type Origin = 'flag' | 'environment' | 'profile' | 'user config' | 'default';
/** A value and its origin. */
export type Setting<T> = { value: T; origin: Origin };
/** All settings of a run. */
export type Settings = { [K in SettingKey]: Setting<SettingValues[K]> };

/** Options of the command line by commander's names (`baseUrl`). Others are ignored. */
export type SettingFlags = Readonly<Record<string, unknown>>;

/**
 * Returns all settings, from flags, environment and config.json. Creates no file. Throws Fault 'usage' that names the origin
 * of a wrong value, and 'store' where config.json is damaged or belongs to another user. `lenient` is for commands that show
 * or correct settings: where loading fails, config.json and the environment are ignored, and only flags and defaults count.
 */
export function loadSettings(
  flags: SettingFlags,
  outside: DirectoryInputs,
  world: Pick<StoreWorld, 'uid' | 'notice'>,
  { lenient = false }: { lenient?: boolean } = {},
): { settings: Settings; directories: Directories; file: SettingsFile } {
  const directories = directoriesOf(outside);
  for (const name of ignoredVariables(outside))
    world.notice(`${name} is ignored: it is not an absolute path`);
  const { env, cwd } = outside;
  const resolved = (file: SettingsFile, sources: Pick<Sources, 'env' | 'newProfile'>) => {
    const settings = resolveSettings({ flags, cwd, directories, file, ...sources });
    return { settings, directories: { ...directories, data: settings.data_dir.value }, file };
  };
  try {
    return resolved(readSettingsFile(directories.config, world), { env });
  } catch (error) {
    if (!lenient || !(error instanceof Fault)) throw withFolderSource(error, env);
    const noSettings = { path: settingsPath(directories.config), values: {}, profiles: new Map() };
    return resolved(noSettings, { env: {}, newProfile: true });
  }
}

/** Codes of a path that leads to no folder of this user. */
const WRONG_FOLDER = new Set(['ENOTDIR', 'ENOENT', 'EACCES', 'ELOOP']);

/** Returns the error; one of a config folder that is none names the variable that gave it. */
function withFolderSource(error: unknown, env: DirectoryInputs['env']): unknown {
  const code = error instanceof Fault ? (error.cause as NodeJS.ErrnoException | undefined)?.code : undefined;
  if ((env['ARX_CONFIG_DIR'] ?? '') !== '' && WRONG_FOLDER.has(code ?? ''))
    (error as Fault).detail.hint ??= 'the folder is that of ARX_CONFIG_DIR';
  return error;
}

type Sources = {
  flags: SettingFlags;
  env: DirectoryInputs['env'];
  cwd: string;
  directories: Directories;
  file: SettingsFile;
  /** The named profile may be missing, since the command may create it. */
  newProfile?: boolean;
};

type Found = { value: unknown; origin: Origin; where: string };

/**
 * Returns the value of each setting from the first of: flag, environment (`ARX_<KEY>`; empty means unset), profile, user
 * config, default. Pure. Throws Fault 'usage' for a wrong value.
 */
export function resolveSettings(sources: Sources): Settings {
  const { env, cwd, directories, file } = sources;
  const flags = withShorthands(sources.flags);
  const read = <K extends SettingKey>(key: K, profile?: string): Setting<SettingValues[K]> | undefined => {
    const found = find(key, profile);
    if (found === undefined) return undefined;
    const { value, origin, where } = found;
    // Only `--local` gives none.
    if (value === null && origin === 'flag') return { value: undefined as SettingValues[K], origin };
    const fits = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    const known = fits
      ? KEYS[key].read(String(value))
      : new InvalidSettingValue('must be a text, number or true/false');
    if (known instanceof InvalidSettingValue)
      throw new Fault('usage', `${where} ${known.reason}`, hintOf(key, origin, profile));
    return { value: known, origin };
  };

  function find(key: SettingKey, profile: string | undefined): Found | undefined {
    const option = key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const flag = flags[option];
    if (flag !== undefined) return { value: flag, origin: 'flag', where: `--${key.replaceAll('_', '-')}` };
    const variable = variableOf(key);
    const text = env[variable];
    if (text !== undefined && text !== '') return { value: text, origin: 'environment', where: variable };
    const own = profile === undefined ? undefined : file.profiles.get(profile);
    if (own !== undefined && Object.hasOwn(own, key)) {
      const where = `${key} of profile ${profile} in ${file.path}`;
      return { value: own[key], origin: 'profile', where };
    }
    if (!Object.hasOwn(file.values, key)) return undefined;
    return { value: file.values[key], origin: 'user config', where: `${key} in ${file.path}` };
  }

  const profile: Setting<string> = read('profile') ?? { value: 'default', origin: 'default' };
  const known = profile.value === 'default' || file.profiles.has(profile.value);
  if (!known && sources.newProfile !== true) {
    const url = read('base_url')?.value;
    throw unknownProfile(profile.value, {
      ...(profile.origin === 'user config' ? { path: file.path } : {}),
      ...(profile.origin === 'environment' ? { variable: variableOf('profile') } : {}),
      ...(url === undefined ? {} : { url }),
    });
  }
  const of = <K extends SettingKey>(key: K, fallback: SettingValues[K]): Setting<SettingValues[K]> =>
    read(key, profile.value) ?? { value: fallback, origin: 'default' };
  const data = of('data_dir', directories.data);
  return {
    base_url: of('base_url', undefined),
    asset_url: of('asset_url', undefined),
    output: of('output', undefined),
    timeout: of('timeout', 20),
    connect_timeout: of('connect_timeout', 10),
    retries: of('retries', 4),
    color: of('color', 'auto'),
    pager: of('pager', undefined),
    profile,
    // A relative path in config.json is relative to the config folder; a typed one to the working directory.
    data_dir: {
      ...data,
      value: ['profile', 'user config'].includes(data.origin)
        ? resolve(directories.config, data.value)
        : resolve(cwd, data.value),
    },
    // Not from a profile: a profile that is deleted takes its tokens with it.
    token_store: read('token_store') ?? { value: 'file', origin: 'default' },
    proxy: of('proxy', undefined),
    insecure_http: of('insecure_http', false),
    client_id: of('client_id', undefined),
    observer_tier: of('observer_tier', undefined),
    requested_tier: of('requested_tier', undefined),
  };
}

/** Returns what to do about a wrong value that nobody typed on the command line. */
function hintOf(key: SettingKey, origin: Origin, profile: string | undefined): { hint?: string } {
  if (origin === 'environment')
    return { hint: 'it is an environment variable; arx help environment explains them' };
  if (origin !== 'profile' && origin !== 'user config') return {};
  const setting = origin === 'profile' ? `--profile ${profile} ${key}` : key;
  return { hint: `arx config set ${setting} VALUE, or arx config unset ${setting}` };
}

/**
 * `--json` is `-o json`, also where `--jq` is given without a form, `--template` reads the records of
 * `-o ndjson`, `--no-color` is `color never`, and `--no-pager` the pager
 * `cat`. Commander sets `color` and `pager` to true where no flag was given.
 */
function withShorthands(flags: SettingFlags): SettingFlags {
  const { json, color, pager, ...rest } = flags;
  const output = rest['output'];
  if (rest['template'] !== undefined) {
    if (rest['jq'] !== undefined) throw formFault('--template does not go with --jq');
    if (json === true || (output !== undefined && output !== 'ndjson'))
      throw formFault('--template prints each record as text: no other form goes with it');
    return withShorthands({ ...flags, output: 'ndjson', template: undefined });
  }
  if (rest['jq'] !== undefined && json !== true) {
    if (output !== undefined && output !== 'json' && output !== 'ndjson')
      throw formFault('--jq goes with -o json or -o ndjson');
    return withShorthands({ ...flags, output: output ?? 'json', jq: undefined });
  }
  if (rest['local'] === true) {
    if (rest['baseUrl'] !== undefined)
      throw new Fault('usage', '--local and --base-url contradict each other');
    return withShorthands({ assetUrl: null, ...flags, baseUrl: null, local: undefined });
  }
  if (json === true && output !== undefined && output !== 'json') {
    throw formFault('--json and another --output contradict each other');
  }
  return {
    ...rest,
    ...(json === true && { output: 'json' }),
    ...(color !== undefined && color !== true && { color: color === false ? 'never' : color }),
    ...(pager === false && { pager: 'cat' }),
  };
}

/** A row of `arx config ls`. */
export type SettingRow = { key: SettingKey; value: string | number | boolean | null; origin: Origin };

/** Returns every setting as a row. The password in a proxy's address is hidden. */
export function settingRows(settings: Settings): SettingRow[] {
  return SETTING_KEYS.map((key) => {
    const { value, origin } = settings[key];
    return { key, value: key === 'proxy' ? proxyWithoutPassword(value) : (value ?? null), origin };
  });
}

function proxyWithoutPassword(proxy: unknown): string | null {
  return typeof proxy === 'string' ? withoutPassword(new URL(proxy).href) : null;
}

/** A row of `arx profile ls`. `base_url` is null for the local archive. */
export type ProfileRow = { name: string; current: boolean; base_url: string | null };

/** Returns every profile as a row, `default` first. `current` is the name of the one in use. */
export function profileRows(file: SettingsFile, current: string): ProfileRow[] {
  const names = new Set(['default', ...file.profiles.keys()]);
  return [...names].map((name) => {
    const address = file.profiles.get(name)?.['base_url'] ?? file.values['base_url'];
    return { name, current: name === current, base_url: typeof address === 'string' ? address : null };
  });
}
