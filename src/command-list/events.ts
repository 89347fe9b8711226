// Commands for events.
import { EVENT_TYPES, UNSETTLED_EFFECTS } from '../contract/event.ts';
import type { CommandSpec } from './command-spec.ts';
import { PAGE_OPTIONS } from './shared-options.ts';

const JOURNAL = [
  '--journal <file>',
  'what was sent and acknowledged (default: one for this service in the data folder)',
] as const;
const SIGN = ['--sign-with <file>', 'sign with these secrets (Standard Webhooks), one a line'] as const;

export const EVENT_COMMANDS = [
  {
    words: 'events send',
    summary: 'validate and send events, confirm each acknowledgement',
    arguments: [['[type]', 'event type', EVENT_TYPES]],
    options: [
      ['--id <id>', 'event id; the same on every retry'],
      ['--payload <json>', 'payload as JSON, or @FILE'],
      ['--file <file>', 'envelopes {id, type, payload}, one a line; - for standard input'],
      ['--allow-unknown-type', 'send a type the vocabulary does not hold'],
      JOURNAL,
      SIGN,
    ],
    examples: [
      `arx events send message.reordered --id evt_1 --payload '{"id":"msg_2","entry":"entry_2","sequence":7}'`,
    ],
  },
  {
    words: 'events types',
    summary: 'the vocabulary with payload fields',
    examples: [`arx events types --json | jq -r '.data[].type'`, `arx events send ${EVENT_TYPES[4]} …`],
  },
  {
    words: 'events ls',
    summary: 'what the service took in and what became of it',
    options: [...PAGE_OPTIONS, ['--effect <effect>', 'only events with this effect', UNSETTLED_EFFECTS]],
    examples: ['arx events ls', 'arx events ls --effect dead'],
  },
  {
    words: 'events reconcile',
    summary: 'what was sent against what was acknowledged and what the service holds',
    options: [JOURNAL, ['--replay', 'send again what is missing, under the same ids'], SIGN],
    examples: ['arx events reconcile', 'arx events reconcile --replay --json | jq .findings'],
  },
] as const satisfies readonly CommandSpec[];
