// Names where a setting came from in the error of a run, where nobody typed the value on the command line.
import { Fault } from '../faults.ts';
import { variableOf, type SettingKey } from './setting-keys.ts';
import type { SettingsFile } from './settings-file.ts';
import type { Settings } from './settings.ts';

/** The settings of a run, and the file from which some of them are. */
export type Sources = { settings: Settings; file: SettingsFile };

/** Returns what gave a setting its value, undefined for a flag and for a default. */
export function sourceOf(key: SettingKey, { settings, file }: Sources): string | undefined {
  switch (settings[key].origin) {
    case 'environment':
      return variableOf(key);
    case 'profile':
      return `${key} of the profile ${settings.profile.value}`;
    case 'user config':
      return `${key} in ${file.path}`;
    default:
      return undefined;
  }
}

/**
 * Returns the error. Where it names the folder of the local archive, what gave that folder stands behind it in brackets; any other
 * comes back as it is.
 */
export function withSource(error: unknown, sources: Sources): unknown {
  const source = sourceOf('data_dir', sources);
  if (!(error instanceof Fault) || source === undefined) return error;
  const message = error.message.replace(
    wholePath(sources.settings.data_dir.value),
    (folder) => `${folder} (${source})`,
  );
  return message === error.message ? error : new Fault(error.kind, message, error.detail);
}

/** Returns a pattern for this path in a message: not for one that begins or ends with it. A path may contain blanks. */
function wholePath(path: string): RegExp {
  const literal = path.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<=^| )${literal}(?=:?(?: |$))`);
}
