// What hints and notices name of a run: the options of its archive, and where a setting came from.
import { serviceOptions } from '../config/session.ts';
import { sourceOf, type Sources } from '../config/setting-source.ts';
import type { HintNames } from '../faults.ts';
import { shellLine } from '../shell-words.ts';

/** Returns what hints name of a run with these settings. */
export function hintNames(sources: Sources): HintNames {
  const { origin, value } = sources.settings.base_url;
  const isLocalGiven = origin === 'flag' && value === undefined;
  const words = ['arx', ...(isLocalGiven ? ['--local'] : []), ...serviceOptions(sources.settings)];
  return { arx: shellLine(words), sourceOf: (setting) => sourceOf(setting, sources) };
}
