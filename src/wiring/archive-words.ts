// The options that name the archive of a run, for the commands that notices and hints propose.
import { serviceOptions } from '../config/session.ts';
import type { Settings } from '../config/settings.ts';
import { shellLine } from '../format/shell-words.ts';

/** The beginning of a proposed command that reads an archive. */
const COMMAND =
  /\barx (?=(?:attachments (?!verify)|content |conversations (?!verify)|events (?!types)|messages |read |report\b|search |sequence ))/g;

/**
 * Returns a text whose proposed commands read the archive of this run: with `--base-url`, `--local` and `--profile` where these
 * were given as options. A text that names one of these is returned as it is.
 */
export function withArchiveWords(text: string, settings: Pick<Settings, 'base_url' | 'profile'>): string {
  const { origin, value } = settings.base_url;
  const isLocalGiven = origin === 'flag' && value === undefined;
  const words = [...(isLocalGiven ? ['--local'] : []), ...serviceOptions(settings)];
  if (words.length === 0 || / --(?:base-url|local|profile)\b/.test(text)) return text;
  const options = shellLine(words);
  return text.replaceAll(COMMAND, () => `arx ${options} `);
}
