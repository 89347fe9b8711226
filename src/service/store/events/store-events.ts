// Stores accepted events once each, and applies them or queues them to be applied later (interface 4.6, 6).
import { ApiError } from '../../rules/api-error.ts';
import { numberOf } from '../../rules/identifier.ts';
import { CHANGING_TYPES, EventConflict, type AcceptedEvent } from '../../rules/ingest.ts';
import type { RateLimiter } from '../../rules/rate-limiter.ts';
import type { Statements } from '../sql/database.ts';
import { EVENTS } from '../../records/event.ts';
import type { NewRow, StoredRow } from '../../records/table.ts';
import { readEffects, type EventOutcome, type NumberedEvent } from './effects.ts';
import { appendRows, atEnd, selectIn, updateRows } from '../sql/bulk-statements.ts';
import { eventsByEffect } from './by-effect.ts';

/** Events that may wait for records (our choice). Anyone with a token can name records that will never exist. */
const MAX_WAITING_EVENTS = 100_000;

type Kept = Pick<StoredRow<typeof EVENTS>, 'n' | 'id' | 'body_sha256' | 'effect' | 'applied' | 'deliveries'>;
type Fresh = { event: AcceptedEvent; row: Kept & EventOutcome };

/** What became of events: the error of each, undefined where it is stored; and whether any event of the archive is queued. */
export type Stored = { errors: (ApiError | undefined)[]; hasQueued: boolean };

/**
 * Stores events in the order given, in the transaction of the only writer. While nothing is queued before it, an event is applied at once;
 * else it is `queued`. Without `mayApply` an event that changes a record is queued, too. Resolves to an ApiError for each event, or undefined where it is stored:
 * `event_conflict` for another body under a known id, `rate_limited` when too
 * many events wait for records or a mirror layer is announced too often. Another delivery of the same body only
 * increases the count; it queues a dead event again.
 */
export async function storeEvents(
  statements: Statements,
  events: readonly AcceptedEvent[],
  { now, mirrors, mayApply }: { now: number; mirrors: RateLimiter; mayApply: boolean },
): Promise<Stored> {
  const [rows, effects] = await Promise.all([
    selectIn<Kept>(statements, KNOWN[statements.engine], new Set(events.map(({ id }) => id))),
    readEffects(statements, mayApply ? events : []),
  ]);
  const known = new Map<string, Kept>(rows.map((row) => [row.id, row]));
  const absent = await unknownRecords(
    statements,
    events.filter(({ id }) => !known.has(id)),
  );
  const fresh = new Map<number, Fresh>();
  const again = new Set<Kept>();
  const last = known.get('');
  let n = last?.n ?? 0;
  let ordinal = last?.applied ?? 0;
  let hasQueued = last?.effect === 'queued';

  const keep = async (event: AcceptedEvent): Promise<ApiError | undefined> => {
    const before = known.get(event.id);
    if (before !== undefined) {
      if (before.body_sha256 !== event.bodySha256) {
        return new EventConflict(before.body_sha256, event.bodySha256);
      }
      before.deliveries += 1;
      if (!fresh.has(before.n)) again.add(before);
      if (before.effect === 'dead') hasQueued = true;
      return undefined;
    }
    if (absent.has(event)) {
      return new ApiError(
        'rate_limited',
        `${MAX_WAITING_EVENTS} events wait for their records, no more are taken in`,
        { 'retry-after': '60' },
      );
    }
    const wait =
      event.type === 'mirror.detected' ? await mirrors.take(String(event.payload['layer']), now) : 0;
    if (wait > 0) {
      return new ApiError('rate_limited', `this mirror layer is announced too often, wait ${wait} s`, {
        'retry-after': String(wait),
      });
    }
    n += 1;
    hasQueued ||= !mayApply && CHANGING_TYPES.some((type) => type === event.type);
    const outcome: EventOutcome = hasQueued
      ? { n, effect: 'queued', message: null, attachment: null }
      : effects.apply(numbered(event, n));
    const isSettled = outcome.effect !== 'queued' && outcome.effect !== 'waiting';
    if (isSettled) ordinal += 1;
    // The same object, because a later event can change the outcome.
    const row: Fresh['row'] = Object.assign(outcome, {
      id: event.id,
      body_sha256: event.bodySha256,
      applied: isSettled ? ordinal : null,
      deliveries: 1,
    });
    fresh.set(n, { event, row });
    known.set(event.id, row);
    return undefined;
  };

  const errors: (ApiError | undefined)[] = [];
  for (const event of events) errors.push(await keep(event));
  const added = [...fresh].map(([number, { event, row }]): NewRow<typeof EVENTS> => {
    const { id, type, payloadText, payloadSha256, bodySha256 } = event;
    return {
      n: number,
      id,
      type,
      payload: payloadText,
      body_sha256: bodySha256,
      payload_sha256: payloadSha256,
      received_ms: now,
      deliveries: row.deliveries,
      effect: row.effect,
      applied: row.applied,
      message: row.message,
      attachment: row.attachment,
    };
  });
  await effects.save();
  await countDeliveries(atEnd(statements), [...again]);
  await appendRows(statements, EVENTS, added);
  return { errors, hasQueued };
}

/** The payload was checked against the schema of its type when the event was accepted. */
function numbered({ id, type, payload }: AcceptedEvent, n: number): NumberedEvent {
  return { n, id, type, payload } as { n: number; id: string } & Pick<
    AcceptedEvent,
    'payload'
  > as NumberedEvent;
}

/**
 * The events with these ids. The row with the id '', which no event has, holds the greatest number and ordinal, and the effect `queued`
 * if any event has it.
 */
const known = (engine: Statements['engine']): string =>
  `SELECT n, id, body_sha256, effect, applied, deliveries FROM events WHERE id IN ?
  UNION ALL SELECT (SELECT MAX(n) FROM events), '', '',
    (SELECT effect FROM ${eventsByEffect('queued', engine)} WHERE effect = 'queued' ORDER BY n LIMIT 1),
    (SELECT MAX(applied) FROM events), 0`;
const KNOWN = { sqlite: known('sqlite'), postgres: known('postgres') };

/** Stores how often known events were delivered, and queues those of them again that are dead. */
async function countDeliveries(statements: Pick<Statements, 'run'>, again: readonly Kept[]): Promise<void> {
  await updateRows(statements, EVENTS, ['deliveries'], again);
  const revived = again
    .filter(({ effect }) => effect === 'dead')
    .map(({ n }) => ({ n, effect: 'queued' as const, failures: 0, due_ms: 0, error: null }));
  await updateRows(statements, EVENTS, ['effect', 'failures', 'due_ms', 'error'], revived);
}

/** Returns the events whose record does not exist, if as many events wait as may wait; else none. */
async function unknownRecords(
  statements: Statements,
  events: readonly AcceptedEvent[],
): Promise<ReadonlySet<AcceptedEvent>> {
  const absent = new Set<AcceptedEvent>();
  for (const { type, kind } of [
    { type: 'message.reordered', kind: 'msg' },
    { type: 'attachment.reclassified', kind: 'att' },
  ] as const) {
    const naming = events.filter((event) => event.type === type);
    if (naming.length === 0 || !(await isFull(statements))) continue;
    const recordOf = ({ payload }: AcceptedEvent) => numberOf(kind, String(payload['id']));
    const rows = await selectIn<{ n: number }>(
      statements,
      `SELECT n FROM ${kind === 'msg' ? 'messages' : 'attachments'} WHERE n IN ?`,
      naming.map(recordOf).filter((record) => record !== undefined),
    );
    const there = new Set(rows.map((row) => row.n));
    for (const event of naming) if (!there.has(recordOf(event) ?? -1)) absent.add(event);
  }
  return absent;
}

async function isFull(statements: Statements): Promise<boolean> {
  const from = eventsByEffect('waiting', statements.engine);
  const most = await statements.get(`SELECT n FROM ${from} WHERE effect = 'waiting' LIMIT 1 OFFSET $1`, [
    MAX_WAITING_EVENTS - 1,
  ]);
  return most !== undefined;
}

/** Queues waiting events whose records exist now. Call it in the transaction that stored the records. */
export async function queueWaiting(statements: Statements): Promise<void> {
  // Numbers are given in order, so exactly the events that wait for a number up to the greatest are due.
  for (const kind of ['message', 'attachment']) {
    await statements.run(
      `UPDATE events SET effect = 'queued', ${kind} = NULL WHERE ${kind} <= (SELECT MAX(n) FROM ${kind}s)`,
    );
  }
}
