// The folders for settings, tokens, the local archive and caches on this system.
import { isAbsolute, join, resolve } from 'node:path';
import { Fault } from '../faults.ts';

/** What decides the folders. */
export type DirectoryInputs = {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** The value of `process.platform`. */
  platform: string;
  cwd: string;
};

/** `config`: settings and tokens. `data`: archives. `cache`: files that can be made again. */
export type Directories = { config: string; data: string; cache: string };

/**
 * Returns the folders: ARX_CONFIG_DIR, ARX_DATA_DIR and ARX_CACHE_DIR where they are set, else the XDG variables and their
 * defaults (on Windows APPDATA, LOCALAPPDATA and TEMP). Relative paths in XDG variables are ignored, as XDG requires. Throws
 * Fault 'store' where the home folder is needed and unknown.
 */
export function directoriesOf({ env, home, platform, cwd }: DirectoryInputs): Directories {
  const place = (own: string, shared: string, inHome: string): string => {
    const chosen = env[own];
    if (chosen !== undefined && chosen !== '') return resolve(cwd, chosen);
    const parent = env[shared];
    if (parent !== undefined && isAbsolute(parent)) return join(parent, 'arx');
    // Below the current folder anybody could have put settings, and a token could be left there.
    if (!isAbsolute(home)) {
      throw new Fault('store', 'the home folder is unknown', {
        hint: `set HOME or ${own} to the path of a folder, from the root`,
      });
    }
    return join(home, inHome, 'arx');
  };
  if (platform === 'win32') {
    return {
      config: place('ARX_CONFIG_DIR', 'APPDATA', 'AppData/Roaming'),
      data: place('ARX_DATA_DIR', 'LOCALAPPDATA', 'AppData/Local'),
      cache: place('ARX_CACHE_DIR', 'TEMP', 'AppData/Local/Temp'),
    };
  }
  return {
    config: place('ARX_CONFIG_DIR', 'XDG_CONFIG_HOME', '.config'),
    data: place('ARX_DATA_DIR', 'XDG_DATA_HOME', '.local/share'),
    cache: place('ARX_CACHE_DIR', 'XDG_CACHE_HOME', '.cache'),
  };
}

/** Returns the XDG variables that are ignored because they hold a relative path. */
export function ignoredVariables({ env, platform }: Pick<DirectoryInputs, 'env' | 'platform'>): string[] {
  if (platform === 'win32') return [];
  return [
    ['ARX_CONFIG_DIR', 'XDG_CONFIG_HOME'],
    ['ARX_DATA_DIR', 'XDG_DATA_HOME'],
    ['ARX_CACHE_DIR', 'XDG_CACHE_HOME'],
  ].flatMap(([own = '', shared = '']) => {
    const path = env[shared] ?? '';
    return (env[own] ?? '') === '' && path !== '' && !isAbsolute(path) ? [shared] : [];
  });
}
