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
 * Returns the error. One about the folder of the local archive names the variable, profile or file that gave it. Any other comes back
 * as it is.
 */
export function withSource(error: unknown, sources: Sources): unknown {
  if (!(error instanceof Fault)) return error;
  const folder = sources.settings.data_dir.value;
  const dataSource = sourceOf('data_dir', sources);
  const message = ` ${error.message} `;
  // It may have a blank in its name, and be the beginning of another path.
  const end = [' ', ': '].find((each) => message.includes(` ${folder}${each}`));
  if (dataSource === undefined || end === undefined) return error;
  return new Fault(
    error.kind,
    message.replace(` ${folder}${end}`, () => ` ${folder} (${dataSource})${end}`).slice(1, -1),
    error.detail,
  );
}
