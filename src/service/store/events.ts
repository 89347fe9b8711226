// Events taken in: kept once each, with their effects in the same transaction (interface 4.6, 6).
import type { EventType } from '../../contract/event.ts';
import type { Archive } from '../archive.ts';
import { Refusal } from '../refusal.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { isLaterWriter, type Effect, type TakenIn } from '../rules/ingest.ts';
import { MESSAGE } from '../rules/integrity.ts';
import type { Statements, Value } from './database.ts';
import { forgetSummary } from './meta.ts';

/** Most events that may wait for their records (our choice): anyone with a token can name records that never come. */
const MOST_WAITING = 100_000;

type Envelope = { id: string; type: EventType; payload: Record<string, unknown> };

/**
 * Keeps an event and applies it; durable when it resolves. A second delivery with the same body only counts.
 * Throws `event_conflict` for another body under a known id, `rate_limited` where too many wait for their records.
 */
export async function ingest(archive: Archive, event: TakenIn): Promise<void> {
  await archive.database.transaction(async (statements) => {
    const known = await statements.get<{ n: number; body_sha256: string }>(
      'SELECT n, body_sha256 FROM events WHERE id = $1',
      [event.id],
    );
    if (known !== undefined) {
      if (known.body_sha256 !== event.bodySha256) {
        throw new Refusal('event_conflict', 'an event with this id and another body was taken in before');
      }
      await statements.run('UPDATE events SET deliveries = deliveries + 1 WHERE n = $1', [known.n]);
      return;
    }
    const effect = await takeEffect(statements, event);
    if (effect === 'waiting') await admitWaiting(statements);
    const record = effect === 'waiting' ? String(event.payload['id']) : '';
    await statements.run(
      `INSERT INTO events
        (n, id, type, payload, body_sha256, received_ms, deliveries, effect, applied, message, attachment)
        VALUES ((SELECT COALESCE(MAX(n), 0) + 1 FROM events), $1, $2, $3, $4, $5, 1, $6, $7, $8, $9)`,
      [
        event.id,
        event.type,
        event.payloadText,
        event.bodySha256,
        archive.now(),
        effect,
        effect === 'waiting' ? null : await nextOrdinal(statements),
        event.type === 'message.reordered' ? (numberOf('msg', record) ?? null) : null,
        event.type === 'attachment.reclassified' ? (numberOf('att', record) ?? null) : null,
      ],
    );
  });
}

async function admitWaiting(statements: Statements): Promise<void> {
  const full = await statements.get(`SELECT n FROM events WHERE effect = 'waiting' LIMIT 1 OFFSET $1`, [
    MOST_WAITING - 1,
  ]);
  if (full === undefined) return;
  throw new Refusal('rate_limited', `${MOST_WAITING} events wait for their records, no more are taken in`, {
    'retry-after': '60',
  });
}

/** Applies the waiting events whose records have arrived by now; part of the transaction that stored those records. */
export async function applyWaiting(statements: Statements): Promise<void> {
  // Numbers are given in order, so what waits for a number up to the greatest is due, and the rest is never looked at.
  const dueOf = (kind: 'message' | 'attachment') =>
    statements.all<{ n: number }>(`SELECT n FROM events WHERE ${kind} <= (SELECT MAX(n) FROM ${kind}s)`);
  const due = [...(await dueOf('message')), ...(await dueOf('attachment'))];
  for (const { n } of due.sort((a, b) => a.n - b.n)) {
    // One at a time: payloads may be large.
    const event = await statements.get<{ id: string; type: EventType; payload: string }>(
      'SELECT id, type, payload FROM events WHERE n = $1',
      [n],
    );
    if (event === undefined) continue;
    const payload = JSON.parse(event.payload) as Record<string, unknown>;
    const effect = await takeEffect(statements, { ...event, payload });
    if (effect === 'waiting') continue;
    await statements.run(
      'UPDATE events SET effect = $1, applied = $2, message = NULL, attachment = NULL WHERE n = $3',
      [effect, await nextOrdinal(statements), n],
    );
  }
}

function takeEffect(statements: Statements, event: Envelope): Promise<Effect> {
  if (event.type === 'message.reordered') return moveMessage(statements, event);
  if (event.type === 'attachment.reclassified') return reclassify(statements, event);
  return Promise.resolve('recorded');
}

async function moveMessage(statements: Statements, { id, payload }: Envelope): Promise<Effect> {
  const n = numberOf('msg', String(payload['id']));
  if (n === undefined) return 'waiting';
  // An envelope that names two different records is kept, but it moves neither.
  if (payload['entry'] !== idOf('entry', n)) return 'recorded';
  const message = await statements.get<{ conversation: number; moved_by: string | null }>(
    'SELECT conversation, moved_by FROM messages WHERE n = $1',
    [n],
  );
  if (message === undefined) return 'waiting';
  if (!isLaterWriter(id, message.moved_by)) return 'superseded';
  await statements.run('UPDATE messages SET sequence = $1, moved_by = $2 WHERE n = $3', [
    payload['sequence'] as number,
    id,
    n,
  ]);
  if (message.moved_by !== null) await supersede(statements, message.moved_by);
  await checkPositions(statements, message.conversation, n);
  await forgetSummary(statements);
  return 'applied';
}

/** Sets the position check of a moved message and of those that answer it. */
async function checkPositions(statements: Statements, conversation: number, n: number): Promise<void> {
  await statements.run(
    `UPDATE messages SET failed = CASE
        WHEN (sequence, n) < (SELECT p.sequence, p.n FROM messages p WHERE p.n = messages.parent)
        THEN failed | $3 ELSE failed & ~$3 END
      WHERE conversation = $1 AND (n = $2 OR parent = $2)`,
    [conversation, n, MESSAGE.positionMonotonic],
  );
}

/** Source and layer have each their own last writer, so that the outcome does not depend on arrival. */
const FIELDS = [
  { field: 'source', writer: 'source_by' },
  { field: 'decorative_layer', writer: 'decorative_by' },
] as const;
type Writers = { source_by: string | null; decorative_by: string | null };

async function reclassify(statements: Statements, { id, payload }: Envelope): Promise<Effect> {
  const named = FIELDS.filter(({ field }) => payload[field] !== undefined);
  if (named.length === 0) return 'recorded';
  const n = numberOf('att', String(payload['id']));
  const writers =
    n === undefined
      ? undefined
      : await statements.get<Writers>('SELECT source_by, decorative_by FROM attachments WHERE n = $1', [n]);
  if (n === undefined || writers === undefined) return 'waiting';
  const mine = named.filter(({ writer }) => isLaterWriter(id, writers[writer]));
  for (const { field, writer } of mine) {
    const value = payload[field];
    await statements.run(`UPDATE attachments SET ${field} = $1, ${writer} = $2 WHERE n = $3`, [
      typeof value === 'boolean' ? Number(value) : (value as Value),
      id,
      n,
    ]);
    const before = writers[writer];
    writers[writer] = id;
    if (before !== null && !Object.values(writers).includes(before)) await supersede(statements, before);
  }
  return mine.length === 0 ? 'superseded' : 'applied';
}

/** What the event wrote is overwritten. */
async function supersede(statements: Statements, id: string): Promise<void> {
  await statements.run(`UPDATE events SET effect = 'superseded' WHERE id = $1`, [id]);
}

async function nextOrdinal(statements: Statements): Promise<number> {
  const row = await statements.get<{ ordinal: number }>(
    'SELECT COALESCE(MAX(applied), 0) + 1 AS ordinal FROM events',
  );
  return row?.ordinal ?? 1;
}
