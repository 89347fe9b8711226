// What a command is: its words, arguments, options and examples as plain data.
import type { HelpTopic } from './help-topics.ts';

/** Commander's option syntax (`--city <city>`), a description, and the closed set of values where there is one. */
export type CommandOption = readonly [syntax: string, description: string, choices?: readonly string[]];

/** Commander's argument syntax (`<id>`, `[paths...]`), a description, and values that completions propose. */
export type CommandArgument = readonly [syntax: string, description: string, proposals?: readonly string[]];

/** One command as data, so that help, completions and the manual page are made from the same source. */
export type CommandSpec = {
  /** The words typed, e.g. `attachments ls`. */
  readonly words: string;
  readonly summary: string;
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly CommandOption[];
  readonly examples: readonly string[];
  /** Topics of `arx help` that say more. */
  readonly topics?: readonly HelpTopic[];
  /** Runs where the settings are wrong too, to explain or mend them; `--profile` may name one that is not there yet. */
  readonly lenient?: true;
};
