// The command `help`, which shows the help of commands and topics.
import type { CommandSpec } from './command-spec.ts';
import { HELP_TOPIC_NAMES } from './help-topics.ts';

/** `arx help`. It has no body: program.ts answers it, since only there all commands are known. */
export const HELP_COMMAND = {
  words: 'help',
  summary: 'show help of a command, or explain a topic',
  effect: 'none',
  arguments: [['[words...]', 'words of a command, or a topic', HELP_TOPIC_NAMES]],
  examples: ['arx help exit-codes', 'arx help attachments pull'],
} as const satisfies CommandSpec;
