// Events taken in: kept once each and durably, to be applied from the queue (interface 4.6, 6).
import { ApiError } from '../../rules/api-error.ts';
import { numberOf } from '../../rules/identifier.ts';
import type { AcceptedEvent } from '../../rules/ingest.ts';
import type { RateLimiter } from '../../rules/rate-limiter.ts';
import type { Statements } from '../sql/database.ts';
import { EVENTS } from '../../records/event.ts';
import type { NewRow, StoredRow } from '../../records/table.ts';
import { appendRows, selectIn } from '../sql/bulk-statements.ts';

/** Most events that may wait for their records (our choice): anyone with a token can name records that never come. */
const MOST_WAITING = 100_000;

type Fresh = { event: AcceptedEvent; deliveries: number };
type Kept = Pick<StoredRow<typeof EVENTS>, 'n' | 'id' | 'body_sha256' | 'effect'>;

/**
 * Keeps events in the order given, as queued, within the transaction of the only writer. For each the refusal, or
 * undefined where it is kept: `event_conflict` for another body under a known id, `rate_limited` where too many wait for
 * their records or a mirror is announced too often. A further delivery of the same body only counts, but a dead event
 * is queued again by it.
 */
export async function storeEvents(
  statements: Statements,
  events: readonly AcceptedEvent[],
  { now, mirrors }: { now: number; mirrors: RateLimiter },
): Promise<(ApiError | undefined)[]> {
  const rows = await selectIn<Kept>(
    statements,
    `SELECT n, id, body_sha256, effect FROM events WHERE id IN ?
      UNION ALL SELECT MAX(n), '', '', 'recorded' FROM events`,
    new Set(events.map(({ id }) => id)),
  );
  const known = new Map<string, Kept>(rows.map((row) => [row.id, row]));
  const absent = await unknownRecords(
    statements,
    events.filter(({ id }) => !known.has(id)),
  );
  const fresh = new Map<number, Fresh>();
  const again = new Map<Kept, number>();
  // No event has this id.
  let n = known.get('')?.n ?? 0;

  const keep = async (event: AcceptedEvent): Promise<ApiError | undefined> => {
    const before = known.get(event.id);
    if (before !== undefined) {
      if (before.body_sha256 !== event.bodySha256) {
        return new ApiError('event_conflict', 'an event with this id and another body was taken in before');
      }
      const row = fresh.get(before.n);
      if (row === undefined) again.set(before, (again.get(before) ?? 0) + 1);
      else row.deliveries += 1;
      return undefined;
    }
    if (absent.has(event)) {
      return new ApiError(
        'rate_limited',
        `${MOST_WAITING} events wait for their records, no more are taken in`,
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
    fresh.set(n, { event, deliveries: 1 });
    known.set(event.id, { n, id: event.id, body_sha256: event.bodySha256, effect: 'queued' });
    return undefined;
  };

  const refusals: (ApiError | undefined)[] = [];
  for (const event of events) refusals.push(await keep(event));
  const added = [...fresh].map(([number, { event, deliveries }]): NewRow<typeof EVENTS> => {
    const { id, type, payloadText, bodySha256 } = event;
    return {
      n: number,
      id,
      type,
      payload: payloadText,
      body_sha256: bodySha256,
      received_ms: now,
      deliveries,
      effect: 'queued',
    };
  });
  for (const [row, times] of again) await countDeliveries(statements, row, times);
  await appendRows(statements, EVENTS, added);
  return refusals;
}

async function countDeliveries(statements: Statements, { n, effect }: Kept, times: number): Promise<void> {
  const revived = effect === 'dead' ? `, effect = 'queued', failures = 0, due_ms = 0, error = NULL` : '';
  await statements.run(`UPDATE events SET deliveries = deliveries + $1${revived} WHERE n = $2`, [times, n]);
}

/** Of these events those whose record is not there, where no more may wait for theirs; none otherwise. */
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
  const most = await statements.get(`SELECT n FROM events WHERE effect = 'waiting' LIMIT 1 OFFSET $1`, [
    MOST_WAITING - 1,
  ]);
  return most !== undefined;
}

/** Queues the waiting events whose records have arrived by now; part of the transaction that stored those records. */
export async function queueWaiting(statements: Statements): Promise<void> {
  // Numbers are given in order, so what waits for a number up to the greatest is due, and the rest is never looked at.
  for (const kind of ['message', 'attachment']) {
    await statements.run(
      `UPDATE events SET effect = 'queued', ${kind} = NULL WHERE ${kind} <= (SELECT MAX(n) FROM ${kind}s)`,
    );
  }
}
