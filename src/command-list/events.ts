// Commands for events.
import { EVENT_TYPES, UNSETTLED_EFFECTS } from '../contract/event-types.ts';
import type { CommandSpec } from './command-spec.ts';
import { ALL_OPTION, COUNT_OPTION, DATE_OPTIONS, PAGE_OPTIONS, sortOption } from './shared-options.ts';

const JOURNAL = [
  '--journal <file>',
  'file of events sent and acknowledged (default: one per service and profile)',
] as const;
const SIGN = [
  '--sign-with <file>',
  'sign with the secrets in FILE, one per line (Standard Webhooks); - is standard input',
] as const;

/** Names, arguments, options and examples of the `events` commands. */
export const EVENT_COMMANDS = [
  {
    words: 'events send',
    summary: 'send events and confirm that each was acknowledged',
    effect: 'change',
    arguments: [['[type]', 'event type; arx events types lists them', EVENT_TYPES]],
    options: [
      ['--id <id>', 'id of the event, which you choose; the same on every retry'],
      ['--payload <json>', 'payload as JSON, or @FILE; @- is standard input'],
      ['--file <file>', 'events as JSON {id, type, payload}, one per line; - is standard input'],
      ['--allow-unknown-type', 'send an event type that arx does not know'],
      [
        '--retry-for <seconds>',
        'send again while the service is away or busy (default: 120; 0: only as --retries says)',
      ],
      JOURNAL,
      SIGN,
    ],
    examples: [
      `arx events send message.reordered --id evt_1 --payload '{"id":"msg_2","entry":"entry_2","sequence":7}'`,
    ],
    topics: ['events'],
  },
  {
    words: 'events types',
    summary: 'list the event types with the fields of their payload',
    effect: 'none',
    examples: [
      `arx events types --json | jq -r '.data[].type'`,
      `arx events send ${EVENT_TYPES[4]} --id evt_2 --payload '{"layer":"x"}'`,
    ],
    topics: ['events'],
  },
  {
    words: 'events ls',
    summary: 'list the events that the service received, with their effect, one page or all',
    effect: 'none',
    options: [
      ...PAGE_OPTIONS,
      ALL_OPTION,
      [
        '--effect <effect>',
        'only events with this effect; those that are applied or recorded are the rest',
        UNSETTLED_EFFECTS,
      ],
      ...DATE_OPTIONS,
      sortOption('received', 'type', 'deliveries'),
      COUNT_OPTION,
    ],
    examples: ['arx events ls', 'arx events ls --effect dead', 'arx events ls --sort -received --limit 5'],
    topics: ['events'],
  },
  {
    words: 'events reconcile',
    summary: 'compare the journal with what the service acknowledged and holds',
    effect: 'none',
    options: [JOURNAL, ['--replay', 'send missing and dead events again, under the same ids'], SIGN],
    examples: ['arx events reconcile', 'arx events reconcile --replay --json | jq .findings'],
    topics: ['events'],
  },
] as const satisfies readonly CommandSpec[];
