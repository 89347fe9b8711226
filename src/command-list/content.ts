// The command for content records.
import type { CommandSpec } from './command-spec.ts';

export const CONTENT_COMMANDS = [
  {
    words: 'content get',
    summary: 'one content record',
    arguments: [['<message>', 'message, e.g. msg_1']],
    options: [
      ['--view <view>', 'which view (default: raw)', ['raw', 'lore']],
      ['--pipeline', 'with the pipeline block'],
      ['--stego', 'with what a reader does not see'],
      ['--raw', 'the stored bytes alone, checked against their hash'],
      ['--save <dir>', 'keep the record, its stored bytes and the files it names in DIR'],
      ['--allow-escape-sequences', 'with --raw: send control characters to the terminal'],
    ],
    examples: [
      'arx content get msg_1 --view lore --pipeline',
      'arx content get msg_1 --raw > msg_1.eml',
      'arx content get msg_1 --save letter',
    ],
  },
] as const satisfies readonly CommandSpec[];
