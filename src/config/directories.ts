// Where settings, tokens and the local archive live on this system.
import { isAbsolute, join, resolve } from 'node:path';

export type Outside = {
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** As Node names it, e.g. linux, darwin, win32. */
  platform: string;
  cwd: string;
};

/** Folders for what a person set and for tokens, for archives, and for what may be lost. */
export type Directories = { config: string; data: string; cache: string };

/**
 * ARX_CONFIG_DIR, ARX_DATA_DIR and ARX_CACHE_DIR decide; else the XDG variables (absolute ones only, as their
 * specification says) and their defaults; on Windows APPDATA and LOCALAPPDATA.
 */
export function directoriesOf({ env, home, platform, cwd }: Outside): Directories {
  const place = (own: string, shared: string, inHome: string): string => {
    const chosen = env[own];
    if (chosen !== undefined && chosen !== '') return resolve(cwd, chosen);
    const parent = env[shared];
    return join(parent !== undefined && isAbsolute(parent) ? parent : join(home, inHome), 'arx');
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
