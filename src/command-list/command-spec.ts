// What a command is: its words, arguments, options and examples as plain data.
import type { HelpTopic } from './help-topics.ts';

/** Commander's option syntax (`--city <city>`), a description, and the closed set of values where there is one. */
export type CommandOption = readonly [syntax: string, description: string, choices?: readonly string[]];

/** Commander's argument syntax (`<id>`, `[paths...]`), a description, and values that completions propose. */
export type CommandArgument = readonly [syntax: string, description: string, proposals?: readonly string[]];

/** Values of arguments by name, and of options by camel-case name. */
type Given = Readonly<Record<string, unknown>>;

/**
 * What a run does besides printing. `change`: it changes files, settings or an archive, and prints what was done, which is no data that
 * was asked for. `service`: it serves an archive, which it may change, and prints where.
 */
export type Effect = 'none' | 'change' | 'service';

/** One command as data, so that help, completions and the manual page are made from the same source. */
export type CommandSpec = {
  /** The words typed, e.g. `attachments ls`. */
  readonly words: string;
  readonly summary: string;
  readonly effect: Effect | ((given: Given) => Effect);
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  readonly examples: readonly string[];
  /** Topics of `arx help` that say more. */
  readonly topics?: readonly HelpTopic[];
  /** Runs where the settings are wrong too, to explain or mend them; `--profile` may name one that is not there yet. */
  readonly lenient?: true;
};

/** Returns the effect of a run. A dry run changes nothing: its list is what was asked for. */
export function effectOf({ effect }: Pick<CommandSpec, 'effect'>, given: Given): Effect {
  if (given['dryRun'] === true) return 'none';
  return typeof effect === 'function' ? effect(given) : effect;
}
