// The command `help`, which shows the help of commands and topics.
import type { CommandSpec } from './command-spec.ts';
import { HELP_TOPIC_NAMES } from './help-topics.ts';

/** `arx help`. It has no body: program.ts answers it, since only there all commands are known. */
export const HELP_COMMAND = {
  words: 'help',
  summary: 'show help of a command, or explain a topic or a word',
  effect: 'none',
  arguments: [['[words...]', 'words of a command, a topic, or a word of the glossary', HELP_TOPIC_NAMES]],
  examples: ['arx help exit-codes', 'arx help attachments pull', 'arx help withheld'],
} as const satisfies CommandSpec;
