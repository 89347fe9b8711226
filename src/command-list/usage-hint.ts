// What a command line with too many arguments, or with words that look like options, was meant to be.
import type { CommandOption, CommandSpec } from './command-spec.ts';

/** A command line whose arguments are too many. `argv`: all of it. */
type Excess = { excess: readonly string[]; argv: readonly string[]; spec: CommandSpec };

/** Returns what the first argument that is too much was meant to be; undefined where nothing is known. */
export function excessHint({ excess, argv, spec }: Excess): string | undefined {
  const first = excess[0] ?? '';
  const at = argv.indexOf(first);
  const takesValue = (option: string | undefined): boolean =>
    (spec.options ?? []).some(([syntax]: CommandOption) => syntax.startsWith(`${option} <`));
  const option = argv[at - 2];
  if (at >= 2 && takesValue(option))
    return `a value with a blank needs quotes: ${option} "${[argv[at - 1], ...excess].join(' ')}"`;
  if (argv[at - 1] === '--json' && /^\w+(?:,\w+)*$/.test(first))
    return `did you mean: --json --fields ${first}`;
  const isFlag = (option: string): boolean =>
    (spec.options ?? []).some(([syntax]: CommandOption) => syntax.split(', ').at(-1) === option);
  const flag = argv[at - 1] ?? '';
  if (flag.startsWith('-') && isFlag(flag)) return `${flag} takes no value: leave out ${first}`;
  if (/[*?]/.test(first) && takesValue('--name')) return `--name "${first}"`;
  if (takesValue('--client-id')) return '--client-id NAME';
  return undefined;
}

/** Returns how a search is written in which a word begins with a minus. `words`: the command line without global options. */
export function minusHint(words: readonly string[]): string {
  const query = words.slice(1);
  // Other words would need quotes.
  const isPlain = query.every((word) => /^-?[\p{L}\p{N}:._@]+$/u.test(word));
  const line = isPlain ? query.join(' ') : 'usb -hub';
  return `words that begin with a minus stand behind --, and options before it: arx search -- ${line}`;
}
