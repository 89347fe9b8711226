// Reads and writes config.json, the user's settings.
import { mkdirSync, readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { nearest } from '../contract/nearest.ts';
import { commitFile, writeNewFile } from '../disk/atomic-file.ts';
import { Fault } from '../faults.ts';
import { shellWord } from '../shell-words.ts';
import { isSettingKey, KEYS, SETTING_KEYS, InvalidSettingValue, type SettingKey } from './setting-keys.ts';
import { withLock } from './lock.ts';
import { readPrivate, removeAllQuietly, writeFault, type StoreWorld } from './private-file.ts';
import { parsePrivateJson } from './private-json.ts';

/** The content of config.json. Values are as stored, unchecked. */
export type SettingsFile = {
  path: string;
  values: Readonly<Record<string, unknown>>;
  profiles: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
};

/** Returns the path of config.json in a folder. */
export function settingsPath(folder: string): string {
  return `${folder}/config.json`;
}

/** Returns the settings in a folder, empty where there is no file. Throws Fault 'store', which never shows the content. */
export function readSettingsFile(folder: string, world: Pick<StoreWorld, 'uid' | 'notice'>): SettingsFile {
  const path = settingsPath(folder);
  const bytes = readPrivate(path, world);
  return bytes === undefined ? { path, values: {}, profiles: new Map() } : parseSettings(bytes, path);
}

/** Returns the settings of the bytes of a config.json. Throws as {@link readSettingsFile}. */
export function parseSettings(bytes: Uint8Array, path: string): SettingsFile {
  const { profiles = {}, ...values } = parse(bytes, path);
  if (!isObject(profiles) || !Object.values(profiles).every(isObject)) throw damaged(path, 'profiles');
  return {
    path,
    values,
    profiles: new Map(Object.entries(profiles as Record<string, Record<string, unknown>>)),
  };
}

function parse(bytes: Uint8Array, path: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = parsePrivateJson(bytes);
  } catch (error) {
    throw damaged(path, (error as SyntaxError).message);
  }
  if (!isObject(document)) throw damaged(path, 'it is not a JSON object');
  return document;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function damaged(path: string, what: string): Fault {
  return new Fault('store', `settings ${path} are damaged: ${what}`, {
    kept: 'the file was left as it is',
    hint: `correct it by hand, or move it away: mv ${path} ${path}.old`,
  });
}

/** Stores a value, in a profile (created where it is new) or for all. Throws Fault 'usage', 'store' or 'disk'. */
export async function setSetting(
  folder: string,
  key: string,
  text: string,
  profile: string | undefined,
  world: StoreWorld,
): Promise<void> {
  const known = parseSettingKey(key);
  const value = KEYS[known].read(text);
  if (value instanceof InvalidSettingValue) throw new Fault('usage', `${known} ${value.reason}`);
  if (profile === undefined)
    return change(folder, world, ({ profiles }) => {
      // Almost every command would fail with a profile that does not exist.
      if (known === 'profile') checkProfileExists(text, profiles);
      return { [known]: value };
    });
  if (KEYS[known].global === true) throw new Fault('usage', `${known} cannot be set inside a profile`);
  const name = KEYS.profile.read(profile);
  if (name instanceof InvalidSettingValue) throw new Fault('usage', `profile name ${name.reason}`);
  await change(folder, world, ({ profiles }) => ({
    profiles: Object.fromEntries([...profiles, [name, { ...profiles.get(name), [known]: value }]]),
  }));
}

/** Removes a value, if there is one. Throws Fault 'usage', 'store' or 'disk'. */
export async function unsetSetting(
  folder: string,
  key: string,
  profile: string | undefined,
  world: StoreWorld,
): Promise<void> {
  const known = parseSettingKey(key);
  await change(folder, world, ({ values, profiles }) => {
    if (profile === undefined) return Object.hasOwn(values, known) ? { [known]: undefined } : {};
    const { [known]: gone, ...rest } = profiles.get(profile) ?? {};
    return gone === undefined ? {} : { profiles: Object.fromEntries([...profiles, [profile, rest]]) };
  });
}

/** Makes an existing profile (or `default`) the one that is used when none is named. */
export async function useProfile(folder: string, name: string, world: StoreWorld): Promise<void> {
  await change(folder, world, ({ profiles }) => {
    checkProfileExists(name, profiles);
    return { profile: name };
  });
}

/** Removes a profile, if there is one. Where it was the default, `default` is from then on. */
export async function removeProfile(folder: string, name: string, world: StoreWorld): Promise<void> {
  await change(folder, world, ({ values, profiles }) => ({
    profiles: Object.fromEntries([...profiles].filter(([known]) => known !== name)),
    ...(values['profile'] === name ? { profile: undefined } : {}),
  }));
}

function checkProfileExists(name: string, profiles: SettingsFile['profiles']): void {
  if (name !== 'default' && !profiles.has(name)) throw unknownProfile(name);
}

/**
 * Returns the Fault 'usage' for a profile that does not exist. `path`: the config.json that names it, or `variable`, if one does.
 * `url`: the base URL that it would get, as far as it is known.
 */
export function unknownProfile(
  name: string,
  { path, variable, url }: { path?: string; variable?: string; url?: string } = {},
): Fault {
  const what = `no profile ${JSON.stringify(name)}${variable === undefined ? '' : ` (${variable})`}`;
  if (path !== undefined)
    return new Fault('usage', `${what}, but the setting profile in ${path} names it`, {
      hint: 'arx config unset profile',
    });
  return new Fault('usage', what, {
    hint: `arx config set --profile ${shellWord(name)} base_url ${shellWord(url ?? 'URL')} makes it; arx profile ls shows those that exist`,
  });
}

/** Returns the name as a setting's. Throws Fault 'usage' for another name. */
export function parseSettingKey(name: string): SettingKey {
  if (isSettingKey(name)) return name;
  const meant = nearest(name, SETTING_KEYS);
  throw new Fault('usage', `no setting ${JSON.stringify(name)}`, {
    hint: `${meant === undefined ? '' : `did you mean: ${meant}; `}arx config ls shows them`,
  });
}

/**
 * Changes config.json under the lock. `decide` gets the file and returns its top-level changes; undefined deletes a key.
 * The library conf writes unchecked and without a lock, so it works on a copy. The copy replaces the file when it is whole.
 */
async function change(
  folder: string,
  world: StoreWorld,
  decide: (file: SettingsFile) => Record<string, unknown>,
): Promise<void> {
  const path = settingsPath(folder);
  const { default: Conf } = await import('conf');
  await withLock(path, world, (identity) => {
    const file = readSettingsFile(folder, world);
    const changes = decide(file);
    const wanted = withChanges({ ...file.values, ...asProfiles(file) }, changes);
    const copy = `${path}.tmp-${identity}`;
    try {
      mkdirSync(copy, { mode: 0o700 });
      const before = readPrivate(path, world);
      if (before !== undefined) writeNewFile(`${copy}/config.json`, before);
      // Dotted names (hosts, profiles) would become nested objects; the default mode is open to all.
      const conf = new Conf<Record<string, unknown>>({
        cwd: copy,
        accessPropertiesByDotNotation: false,
        configFileMode: 0o600,
      });
      for (const [key, value] of Object.entries(changes)) {
        if (value === undefined) conf.delete(key);
        else conf.set(key, value);
      }
      if (Object.keys(changes).length === 0) return;
      commit(copy, path, wanted);
    } catch (error) {
      throw writeFault(error, path);
    } finally {
      removeAllQuietly(copy);
    }
  });
}

function asProfiles({ profiles }: SettingsFile): { profiles?: Record<string, unknown> } {
  return profiles.size === 0 ? {} : { profiles: Object.fromEntries(profiles) };
}

function withChanges(
  values: Record<string, unknown>,
  changes: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ ...values, ...changes }).filter(([, value]) => value !== undefined),
  );
}

function commit(copy: string, path: string, wanted: Record<string, unknown>): void {
  const written = `${copy}/config.json`;
  if (!isWhole(readFileSync(written, 'utf8'), wanted)) {
    throw new Fault('disk', `${path} not saved: it was not written whole`, {
      kept: 'the settings as they were',
    });
  }
  commitFile({ temporary: written, path, force: true });
}

function isWhole(text: string, wanted: Record<string, unknown>): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), wanted);
  } catch {
    return false;
  }
}
