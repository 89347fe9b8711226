// The command line of a run with other options, for notices that say how to go on.
import type { App } from '../../app.ts';
import { shellLine } from '../../shell-words.ts';

/** The options that choose a page of a list. */
export const PAGE_WORDS = ['--after', '--before', '--limit'] as const;

/** Returns the command line of this run without these options and their values, and with these words. */
export function commandAgain(
  { world }: Pick<App, 'world'>,
  { without, more }: { without: readonly string[]; more: readonly string[] },
): string {
  const end = world.argv.indexOf('--');
  const options = end < 0 ? world.argv : world.argv.slice(0, end);
  const kept = options.filter((word, at) => {
    const isValue = without.includes(options[at - 1] ?? '');
    return !isValue && !without.some((option) => word === option || word.startsWith(`${option}=`));
  });
  return shellLine(['arx', ...kept, ...more, ...world.argv.slice(options.length)]);
}

/** Returns the words of an option with a value, also one that looks like an option. */
export function optionWords(option: string, value: string): string[] {
  return value.startsWith('-') ? [`${option}=${value}`] : [option, value];
}

/** Returns the command line that lists all rows. */
export function commandForAll(app: Pick<App, 'world'>): string {
  return commandAgain(app, { without: PAGE_WORDS, more: ['--all'] });
}
