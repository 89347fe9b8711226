// Commands that read and walk lists: conversations, any list, messages, sequences.
import { ARC_RECONSTRUCTION, MIRROR_RELAY } from '../contract/sequence.ts';
import type { CommandSpec } from './command-spec.ts';
import { PAGE_OPTIONS, WALK_OPTIONS } from './shared-options.ts';

export const LIST_COMMANDS = [
  {
    words: 'conversations ls',
    summary: 'one raw page of conversations, as the service tells it',
    options: PAGE_OPTIONS,
    examples: ['arx conversations ls --limit 5'],
  },
  {
    words: 'conversations show',
    summary: 'one conversation with its messages',
    arguments: [['<id>', 'conversation, e.g. conv_1']],
    examples: ['arx conversations show conv_1'],
  },
  {
    words: 'conversations walk',
    summary: 'the exact list, through frozen windows',
    options: [
      ...WALK_OPTIONS,
      ['--cross-check <mode>', 'second witness /messages (default: boundary)', ['off', 'boundary', 'full']],
    ],
    examples: [
      'arx conversations walk -o ndjson | wc -l',
      'arx conversations walk --freeze walk1 --report walk1.json',
    ],
  },
  {
    words: 'conversations verify',
    summary: 'check the hash chain and the rows of a frozen log, offline',
    arguments: [['<dir>', 'folder of conversations walk --freeze']],
    examples: ['arx conversations verify walk1'],
  },
  {
    words: 'conversations diff',
    summary: 'what was added, moved, lost and changed between two frozen walks, offline',
    arguments: [
      ['<a>', 'folder of the earlier conversations walk --freeze'],
      ['<b>', 'folder of the later one'],
    ],
    examples: ['arx conversations diff walk1 walk2', 'arx conversations diff walk1 walk2 -o ndjson'],
  },
  {
    words: 'conversations plot',
    summary: 'drift and reads over the windows of a frozen walk, drawn, offline',
    arguments: [['<dir>', 'folder of conversations walk --freeze']],
    options: [['--html <file>', 'also write them as a page, in one file that needs nothing else']],
    examples: ['arx conversations plot walk1', 'arx conversations plot walk1 --html walk1.html'],
  },
  {
    words: 'walk',
    summary: 'the exact list of any service whose cursors are the ids of its rows',
    arguments: [['<url>', 'address of the list, with its filters']],
    options: [
      ...WALK_OPTIONS,
      ['--id-field <name>', 'field that cursors are; dots lead inward (default: id)'],
      ['--data-field <name>', 'field of the answer that holds the rows (default: found)'],
      ['--positions-field <name>', 'field that numbers the rows without gaps'],
      ['--after-param <name>', 'parameter for rows after one (default: starting_after)'],
      ['--before-param <name>', 'parameter for rows before one (default: ending_before)'],
      ['--limit-param <name>', 'parameter for the size of a page (default: limit)'],
      ['--forward-only', 'never read backward'],
    ],
    examples: [
      'arx walk https://api.example/v1/orders?status=open --token-file key -o ndjson',
      'arx walk https://api.example/items --after-param after --before-param before --freeze items',
    ],
  },
  {
    words: 'messages ls',
    summary: 'one page of messages: the cross-check surface; or, walked, the exact list',
    options: [
      ['--conversation <id>', 'only messages of this conversation'],
      ['--opening', 'one message a conversation, its first, in the order of conversations'],
      ['--walk', 'the exact list, through frozen windows; the options of a walk go with it'],
      ...WALK_OPTIONS,
    ],
    examples: ['arx messages ls --conversation conv_1', 'arx messages ls --walk -o ndjson | wc -l'],
  },
  {
    words: 'sequence show',
    summary: 'positions, reported against checked, with the drift drawn',
    arguments: [['<name>', `${ARC_RECONSTRUCTION} or ${MIRROR_RELAY}`, [ARC_RECONSTRUCTION, MIRROR_RELAY]]],
    options: [...PAGE_OPTIONS, ['--all', 'every position, walked where the service follows cursors']],
    examples: [`arx sequence show ${ARC_RECONSTRUCTION}`],
  },
] as const satisfies readonly CommandSpec[];
