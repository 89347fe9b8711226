// What to do where there is no archive yet.
import type { Setting, Settings } from '../config/settings.ts';
import type { TokenStore } from '../config/token-store.ts';
import { Fault } from '../faults.ts';
import { shellLine } from '../shell-words.ts';

/** What tells which service the user has logged in to. */
type Logins = { settings: Pick<Settings, 'base_url' | 'profile'>; tokens: Pick<TokenStore, 'list'> };

/** Returns what is said of a local archive without messages and files. */
export async function noArchiveText(logins: Logins): Promise<string> {
  const used = await useLastLogin(logins);
  return `no archive yet: ${used ?? 'arx import FILE, or arx login --base-url URL; arx help start'}`;
}

/** Returns the hint of a command that reads a local archive which is not there. */
export async function firstSteps(logins: Logins): Promise<string> {
  return (await useLastLogin(logins)) ?? 'arx import FILE, arx login --base-url URL, or arx demo --keep';
}

/** Returns the command after which all commands of this profile read the service at `url`. */
export function useAlways(url: string, profile: Setting<string>): string {
  const name = namedProfile(profile);
  return shellLine([
    'arx',
    'config',
    'set',
    ...(name === undefined ? [] : ['--profile', name]),
    'base_url',
    url,
  ]);
}

/** Returns the profile whose settings count in this run; undefined where those of all profiles do. */
export function namedProfile({ value, origin }: Setting<string>): string | undefined {
  return origin === 'flag' || value !== 'default' ? value : undefined;
}

/** Returns how to use the service of the last login of this profile; undefined where there was none, or with `--local`. */
async function useLastLogin({ settings, tokens }: Logins): Promise<string | undefined> {
  const { base_url: base, profile } = settings;
  if (base.origin !== 'default') return undefined;
  const entries = await tokens.list().catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'store') return [];
    throw error;
  });
  const [last] = entries
    .filter((entry) => entry.profile === profile.value && !entry.origin.startsWith('local:'))
    .toSorted((a, b) => Date.parse(b.obtained_at) - Date.parse(a.obtained_at));
  return last === undefined
    ? undefined
    : `${useAlways(last.origin, profile)} (you are logged in there), or arx import FILE`;
}
