// The commands for messages and content records.
import type { CommandSpec } from './command-spec.ts';
import { LIMIT_OPTIONS } from './shared-options.ts';

/** Names, arguments, options and examples of `explore`, `read`, `open` and the commands of `content`. */
export const CONTENT_COMMANDS = [
  {
    words: 'explore',
    summary:
      'look around in the archive on the whole terminal: conversations, messages, files; ? shows the keys',
    effect: 'none',
    arguments: [['[id]', 'begin at this message, conversation or attachment, e.g. msg_1']],
    options: [['--mouse', 'use the mouse; the terminal then selects text only with Shift']],
    examples: ['arx explore', 'arx explore conv_1', 'arx explore --base-url https://archive.example'],
    topics: ['files', 'queries'],
  },
  {
    words: 'read',
    summary: 'read messages and conversations',
    effect: 'none',
    arguments: [
      ['<ids...>', 'messages or conversations, e.g. msg_1, conv_1; - reads ids from standard input'],
    ],
    options: [
      ['--thread', 'read the whole conversation of each message'],
      ['--prefer-html', 'show the HTML form where a message has both'],
      ['--quotes', 'show long quotations in full on a terminal'],
      ['--headers', 'show every header line'],
      ['--lore', 'explain what the archive says about the message: glyph, pipeline, hidden data'],
      ['--raw', 'write only the stored bytes, checked against their hash'],
      ...LIMIT_OPTIONS,
      ['--allow-escape-sequences', 'with --raw: send control characters to the terminal'],
    ],
    examples: [
      'arx read msg_1',
      'arx read conv_1',
      'arx read msg_1 --lore --headers',
      'arx read conv_1 --json',
      'arx search harbour --limit 3 | arx read -',
    ],
    topics: ['files'],
  },
  {
    words: 'open',
    summary: 'open a verified file, or a message or conversation as a page, with the default program',
    effect: 'none',
    arguments: [['<id>', 'attachment, message or conversation, e.g. att_1, msg_1, conv_1']],
    examples: ['arx open att_1', 'arx open msg_1', 'arx open conv_1'],
    topics: ['files'],
  },
  {
    words: 'content get',
    summary: 'show or save what the service stores of messages, as one record each',
    effect: 'none',
    arguments: [['<messages...>', 'messages, e.g. msg_1; - reads ids from standard input']],
    options: [
      [
        '--view <view>',
        'raw: the message as stored; lore: what the archive says about it (default: raw)',
        ['raw', 'lore'],
      ],
      ['--pipeline', 'with lore: also the files that were generated for the message, and by whom'],
      ['--stego', 'show hidden data: zero-width characters, bytes after the end of a file'],
      ['--raw', 'write only the stored bytes, checked against their hash'],
      ['--save <dir>', 'save each record, its stored bytes and its files in DIR'],
      ...LIMIT_OPTIONS,
      ['--allow-escape-sequences', 'with --raw: send control characters to the terminal'],
    ],
    examples: [
      'arx content get msg_1 --view lore --pipeline',
      'arx content get msg_1 --raw > msg_1.eml',
      'arx content get msg_1 --save letter',
      'arx search harbour --all -o ndjson | arx content get - --save letters',
    ],
    topics: ['files'],
  },
  {
    words: 'content diff',
    summary: 'compare two messages, or the raw and the lore view of one',
    effect: 'none',
    arguments: [
      ['<a>', 'message, e.g. msg_1'],
      ['[b]', 'another message; without it, the raw view is compared with the lore view'],
    ],
    options: [
      ['--headers', 'compare every header line, not only From, To, Cc, Date and Subject'],
      ['--prefer-html', 'compare the HTML form where a message has both'],
    ],
    examples: [
      'arx content diff msg_1 msg_2',
      'arx content diff msg_1',
      'arx content diff msg_1 msg_2 --headers',
    ],
    topics: ['output'],
  },
] as const satisfies readonly CommandSpec[];
