// Commands that read and walk lists: conversations, any list, messages, sequences.
import { ARC_RECONSTRUCTION, MIRROR_RELAY } from '../contract/sequence.ts';
import type { CommandSpec } from './command-spec.ts';
import {
  ALL_OPTION,
  COUNT_OPTION,
  DATE_OPTIONS,
  LIMIT_OPTIONS,
  PAGE_OPTIONS,
  PAGE_OR_WALK_OPTIONS,
  sortOption,
  WALK_OPTIONS,
} from './shared-options.ts';

/** Names, arguments, options and examples of the commands that read and walk lists. */
export const LIST_COMMANDS = [
  {
    words: 'conversations ls',
    summary: 'list conversations, one page as the service reports it, or all',
    effect: 'none',
    options: [
      ...PAGE_OPTIONS,
      ALL_OPTION,
      ['--subject <words>', 'only conversations whose subject has these words, as in arx search'],
      [
        '--matching <query>',
        'only conversations with messages that this search finds; adds their number, hits',
      ],
      ['--since <date>', 'only conversations with a message from this date on, e.g. 2021, 2021-03-04, 3m'],
      ['--until <date>', 'only conversations begun before this date'],
      ['--on <date>', 'only conversations under way on this day, or in this month or year, e.g. 2021-03'],
      sortOption('started', 'last', 'messages', 'subject', 'hits'),
      COUNT_OPTION,
    ],
    examples: [
      'arx conversations ls --limit 5',
      'arx conversations ls --since 2019-05 --sort -messages --limit 5',
      'arx conversations ls --matching harbour --sort -hits --limit 5',
    ],
  },
  {
    words: 'conversations show',
    summary: 'show a conversation with its messages',
    effect: 'none',
    arguments: [['<id>', 'conversation, e.g. conv_1']],
    options: [['--plot', 'draw its messages over time, without their list']],
    examples: [
      'arx conversations show conv_1',
      'arx conversations show conv_1 --plot',
      'arx messages ls --conversation conv_1 --all -o tsv',
    ],
  },
  {
    words: 'conversations export',
    summary: 'write a conversation into one file, with its files',
    effect: 'change',
    arguments: [['<id>', 'conversation, e.g. conv_1']],
    options: [
      [
        '--format <format>',
        'form of the file (default: by the name of --to, else mbox)',
        ['mbox', 'md', 'html'],
      ],
      [
        '--to <path>',
        'the file; or a folder, which with md and html gets the attachments too (default: -, standard output)',
      ],
      ...LIMIT_OPTIONS,
      ['--allow-escape-sequences', 'send control characters to the terminal'],
    ],
    examples: [
      'arx conversations export conv_1 --to thread.mbox',
      'arx conversations export conv_1 --format html --to thread/',
      'arx conversations export conv_1 --format md | less',
    ],
    topics: ['files'],
  },
  {
    words: 'conversations walk',
    summary: 'list all conversations, each once and in order, although answers may be wrong',
    effect: 'none',
    options: [
      ...WALK_OPTIONS,
      [
        '--cross-check <mode>',
        'compare with the list of messages: not, where in doubt, or every row (default: boundary)',
        ['off', 'boundary', 'full'],
      ],
    ],
    examples: [
      'arx conversations walk -o ndjson | wc -l',
      'arx conversations walk --freeze walk1 --report walk1.json',
    ],
    topics: ['drift'],
  },
  {
    words: 'conversations verify',
    summary: 'check the hash chain and the rows of a frozen log, offline',
    effect: 'none',
    arguments: [['<dir>', 'folder of conversations walk --freeze']],
    examples: ['arx conversations verify walk1'],
    topics: ['drift', 'evidence'],
  },
  {
    words: 'conversations diff',
    summary: 'compare two frozen walks: rows added, moved, lost, changed; offline',
    effect: 'none',
    arguments: [
      ['<a>', 'folder of the earlier conversations walk --freeze'],
      ['<b>', 'folder of the later one'],
    ],
    examples: ['arx conversations diff walk1 walk2', 'arx conversations diff walk1 walk2 -o ndjson'],
    topics: ['drift'],
  },
  {
    words: 'conversations plot',
    summary: 'draw the drift and the reads of a frozen walk, offline',
    effect: 'none',
    arguments: [['<dir>', 'folder of conversations walk --freeze']],
    options: [['--html <file>', 'also write them as a page, one file without links; - prints only the page']],
    examples: ['arx conversations plot walk1', 'arx conversations plot walk1 --html walk1.html'],
    topics: ['drift'],
  },
  {
    words: 'walk',
    summary: 'list all rows of any web API, each once and in order, if its cursors are row ids',
    effect: 'none',
    arguments: [['<url>', 'address of the list, with its filters']],
    options: [
      ...WALK_OPTIONS,
      ['--id-field <name>', 'field of a row that is its id and the cursor, e.g. meta.id (default: detected)'],
      ['--data-field <name>', 'field of the answer that holds the rows (default: detected)'],
      ['--positions-field <name>', 'field of a row that numbers the rows without gaps'],
      ['--after-param <name>', 'query parameter for rows after one (default: starting_after)'],
      ['--before-param <name>', 'query parameter for rows before one (default: ending_before)'],
      ['--limit-param <name>', 'query parameter for the size of a page (default: limit)'],
      ['--forward-only', 'never ask for rows before one'],
    ],
    examples: [
      'arx walk "https://api.example/v1/orders?status=open" --token-file key -o ndjson',
      'arx walk https://api.example/items --after-param after --before-param before --freeze items',
    ],
    topics: ['drift'],
  },
  {
    words: 'messages ls',
    summary: 'list messages, one page or all; with --walk in frozen windows',
    effect: 'none',
    options: [
      ['--conversation <id>', 'only messages of this conversation'],
      ['--opening', 'only the first message of each conversation'],
      ['--from <words>', 'only messages whose sender has these words, as in arx search'],
      ['--subject <words>', 'only messages whose subject has these words, as in arx search'],
      ...DATE_OPTIONS,
      sortOption('date', 'from', 'subject', 'files'),
      ALL_OPTION,
      COUNT_OPTION,
      ['--walk', 'list all messages exactly, in frozen windows; takes the options of a walk'],
      ...PAGE_OR_WALK_OPTIONS,
    ],
    examples: [
      'arx messages ls --conversation conv_1',
      'arx messages ls --from carvalho --sort -date',
      'arx messages ls --walk -o ndjson | wc -l',
    ],
    topics: ['drift'],
  },
  {
    words: 'messages show',
    summary: 'show a row of the list of messages, with --around its neighbours',
    effect: 'none',
    arguments: [['<id>', 'message, e.g. msg_1']],
    options: [
      ['--around <count>', 'also show this many messages before it and after it, 1 to 1000'],
      ['--in <list>', 'with --around: the list (default: conversation)', ['conversation', 'archive']],
    ],
    examples: ['arx messages show msg_3', 'arx messages show msg_3 --around 5'],
  },
  {
    words: 'sequence show',
    summary: 'show where the service places the entries of a sequence, and where they really are',
    effect: 'none',
    arguments: [['<name>', `${ARC_RECONSTRUCTION} or ${MIRROR_RELAY}`, [ARC_RECONSTRUCTION, MIRROR_RELAY]]],
    options: [
      ...PAGE_OPTIONS,
      ALL_OPTION,
      ['--plot', 'draw how far each entry is displaced, in place of the rows'],
    ],
    examples: [
      `arx sequence show ${ARC_RECONSTRUCTION}`,
      `arx sequence show ${ARC_RECONSTRUCTION} --all --plot`,
    ],
    topics: ['drift'],
  },
  {
    words: 'sequence watch',
    summary:
      'print each change of a sequence: the drift ratio that the service states, and the displaced entries',
    effect: 'none',
    arguments: [['<name>', `${ARC_RECONSTRUCTION} or ${MIRROR_RELAY}`, [ARC_RECONSTRUCTION, MIRROR_RELAY]]],
    options: [
      [
        '--threshold <ratio>',
        'end with exit code 8 when the drift ratio is this or more, e.g. 0.2; where the service states none, the share of displaced entries',
      ],
      ['--interval <seconds>', 'time between two reads (default: 10)'],
      ['--reads <count>', 'end after this many reads (default: none; --max-time ends it too)'],
    ],
    examples: [
      `arx sequence watch ${ARC_RECONSTRUCTION} --threshold 0.2 --max-time 5`,
      `arx sequence watch ${ARC_RECONSTRUCTION} --reads 3 --interval 1 -o ndjson`,
    ],
    topics: ['drift'],
  },
] as const satisfies readonly CommandSpec[];
