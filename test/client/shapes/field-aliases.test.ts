// Events, their acknowledgements and the entries of sequences as other services spell their fields.
import { describe, expect, test } from 'vitest';
import { createRecordListParser, createSequenceParser } from '../../../src/client/record-list.ts';
import { EVENTS, POSITIONS } from '../../../src/client/shapes/list-kinds.ts';
import { createClient } from '../../../src/client/index.ts';
import { clientWorld, faultFrom, TOKEN } from '../fixture.ts';
import { jsonAnswer } from './lists.ts';

const eventOf = (row: object): unknown =>
  createRecordListParser(EVENTS, {}).parse(jsonAnswer([row])).body.data[0];
const entryOf = (row: object): unknown =>
  createSequenceParser(POSITIONS, {}).parse(jsonAnswer([row])).body.data[0]!.row;

const AT = '2026-01-02T03:04:05Z';

test.each<[what: string, row: object, read: object]>([
  [
    'the fields of the interface',
    { id: 'e', type: 't', status: 'partial', payload: {} },
    { status: 'partial' },
  ],
  [
    'camelCase',
    { eventId: 'e', eventType: 't', state: 'applied', sequenceNumber: 7, receivedAt: AT, data: { a: 1 } },
    { id: 'e', type: 't', status: 'applied', sequence: 7, received_at: AT, payload: { a: 1 } },
  ],
  [
    'PascalCase, numbers as text',
    { EventId: 9, EventName: 't', Status: 'x', Seq: '7', DeliveryCount: '2', CreatedAt: AT, Body: { a: 1 } },
    { id: '9', type: 't', status: 'x', sequence: 7, deliveries: 2, received_at: AT, payload: { a: 1 } },
  ],
  [
    'how it ended',
    { id: 'e', kind: 't', outcome: 'dead', failedAttempts: 3, lastError: 'no such message', position: 2 },
    { type: 't', effect: 'dead', failures: 3, error: 'no such message', sequence: 2 },
  ],
  ['no word of its type, status or payload', { id: 'e' }, { id: 'e' }],
  ['an outcome that is none of ours', { id: 'e', result: 'ok' }, { result: 'ok' }],
])('an event with %s', (_what, row, read) => {
  const event = eventOf(row);
  expect(event).toMatchObject(read);
  if ('result' in row) expect(event).not.toHaveProperty('effect');
});

test.each<[what: string, row: object, read: object]>([
  [
    'the fields of the interface',
    { entry: 'entry_1', message_id: 'm', reported: 3, checked: 1, offset: 2 },
    { entry: 'entry_1', message_id: 'm', reported: 3, checked: 1, offset: 2 },
  ],
  [
    'camelCase',
    { entryId: 'entry_1', messageId: 12, reportedPosition: 3, checkedPosition: 1, drift: 2 },
    { id: 'entry_1', entry: 'entry_1', message_id: '12', reported: 3, checked: 1, offset: 2 },
  ],
  [
    'both positions, from which the offset follows',
    { marker: 'entry_1', Sequence: '3', VerifiedPosition: '5', state: 'stable', origin: 'gateway' },
    { entry: 'entry_1', reported: 3, checked: 5, offset: -2, status: 'stable', source: 'gateway' },
  ],
  ['one position: it is the reported one', { id: 'entry_1', seq: 4 }, { id: 'entry_1', reported: 4 }],
  ['a drift that is a share', { id: 'entry_1', position: 1, drift: 0.2 }, { reported: 1, drift: 0.2 }],
])('an entry of a sequence with %s', (_what, row, read) => {
  const entry = entryOf(row);
  expect(entry).toMatchObject(read);
  if (!('offset' in read)) expect(entry).not.toHaveProperty('offset');
});

describe('an acknowledgement', () => {
  const id = 'evt_1';
  const type = 'mirror.detected';
  const ingest = (ack: unknown) => {
    const { headers, bytes } = jsonAnswer(ack);
    const body = async function* () {
      yield bytes;
    };
    const client = createClient({
      baseUrl: 'https://archive.test',
      transport: async () => ({ status: 202, headers, body: body() }),
      bearer: async () => TOKEN,
      world: clientWorld(),
    });
    return client.ingest({ id, type, payload: { layer: 'a' } });
  };

  test.each<[what: string, ack: object, status: string]>([
    ['camelCase', { accepted: true, eventId: id, eventType: type, status: 'queued' }, 'queued'],
    ['PascalCase, flags as text', { Accepted: 'True', EventId: id, Type: type, State: 'Queued' }, 'Queued'],
    [
      'its own type',
      { type: 'acknowledgement', accepted: 'yes', event_id: id, event_type: type },
      'accepted',
    ],
    ['the id alone, and that it is acknowledged', { acknowledged: true, id }, 'accepted'],
    ['no status', { accepted: true, event_id: id, type }, 'accepted'],
    ['the id and a status', { data: { id, status: 'accepted' } }, 'accepted'],
    ['a success and the id', { success: true, eventId: id }, 'accepted'],
    ['the event, whose status says it', { event: { id, type, status: 'queued', payload: {} } }, 'queued'],
    ['no queue', { accepted: true, id, queued: false }, 'accepted'],
    ['one of a list', { results: [{ id, ok: true, state: 'enqueued' }] }, 'enqueued'],
  ])('with %s', async (_what, ack, status) => {
    expect((await ingest(ack)).body).toMatchObject({ accepted: true, event_id: id, type, status });
  });

  test.each<[what: string, ack: object]>([
    ['no id', { accepted: true }],
    ['a success and no id', { success: true, status: 'ok' }],
    ['another id', { acknowledged: true, id: 'evt_2' }],
    ['another type', { acknowledged: true, id, eventType: 'contact.flagged' }],
    ['that it was received', { received: true, id }],
    ['an acceptance that is neither true nor false', { accepted: 'rejected', id, status: 'ok' }],
    ['all of it in the payload that comes back', { payload: { id, accepted: true } }],
    ['an id and no word of acceptance', { id, type }],
    ['a status that says neither', { id, status: 'processing error pending' }],
    ['a success, and a status that says neither', { success: true, id, status: 'ignored' }],
    ['a status against its own part', { id, status: 'accepted', result: { accepted: false } }],
    ['a part that is refused', { accepted: true, id, results: [{ id, state: 'rejected' }] }],
    ['a flag against another', { accepted: true, id, acknowledged: false }],
  ])('that says %s: whether it was accepted is not known', async (_what, ack) => {
    await faultFrom(ingest(ack), 'unconfirmed');
  });

  test.each<[what: string, ack: object]>([
    ['Accepted', { Accepted: 'No', id }],
    ['acknowledged', { acknowledged: 0, eventId: id }],
    ['state', { id, state: 'Rejected' }],
    ['outcome', { id, outcome: 'dropped' }],
    ['accepted, beside another flag', { accepted: false, success: true, id }],
  ])('that refuses by %s', async (_what, ack) => {
    const { kind } = await ingest(ack).then(
      () => ({ kind: 'accepted' }),
      (error: unknown) => error as { kind: string },
    );
    expect(['conflict', 'unconfirmed']).toContain(kind);
  });
});
