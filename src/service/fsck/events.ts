// Checks events against their hashes, and against the records that they name.
import { PAYLOADS } from '../../contract/ingest.ts';
import { payloadOf, type EVENTS } from '../records/event.ts';
import type { StoredRow } from '../records/table.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { bodyHash, canonicalPayload } from '../rules/ingest.ts';
import type { Archive } from '../store/archive.ts';
import {
  recordsOf,
  applyToRecords,
  WRITTEN_FIELDS,
  type NumberedEvent,
  type EventOutcome,
} from '../store/events/effects.ts';
import { MAX_JOINT_PAYLOAD_CHARS } from '../store/events/queue.ts';
import type { Statements } from '../store/sql/database.ts';
import type { Findings } from './findings.ts';

const ROWS_PER_READ = 500;

/** The payload, or NULL for a long one: those are read one at a time. */
const SHORT_PAYLOAD = `CASE WHEN LENGTH(payload) <= ${MAX_JOINT_PAYLOAD_CHARS} THEN payload END`;

/** Numbers above `after`, up to `to`. */
type Range = { after: number; to: number };
type EventRow = Pick<
  StoredRow<typeof EVENTS>,
  'n' | 'id' | 'type' | 'body_sha256' | 'payload_sha256' | 'effect' | 'message' | 'attachment'
> & { payload: string | null };

/** Checks that the events of a range are as received, and that each has the effect that its record implies. */
export async function checkEvents(
  { database }: Archive,
  { after, to }: Range,
  findings: Findings,
): Promise<void> {
  for (let from = after; from < to; from += ROWS_PER_READ) {
    const rows = await database.all<EventRow>(
      `SELECT n, id, type, body_sha256, payload_sha256, effect, message, attachment, ${SHORT_PAYLOAD} AS payload
        FROM events WHERE n > $1 AND n <= $2 ORDER BY n`,
      [from, Math.min(from + ROWS_PER_READ, to)],
    );
    const events: NumberedEvent[] = [];
    for (const row of rows) {
      const event = asReceived(row, row.payload ?? (await readPayload(database, row.id)));
      if (event === undefined) findings.add('events', 'body is not the one received', nameOf(row));
      else events.push(event);
    }
    const expected = await expectedOutcomes(database, events);
    for (const row of rows) {
      const { n, effect, message, attachment } = row;
      if (effect === 'queued' || effect === 'dead' || !expected.has(n)) continue;
      const verdict = expected.get(n);
      const isSame =
        verdict?.effect === effect && verdict.message === message && verdict.attachment === attachment;
      if (isSame) continue;
      // Records were read after events. An event applied in between has another effect by now, and never this one again.
      const unchanged = await database.get('SELECT n FROM events WHERE n = $1 AND effect = $2', [n, effect]);
      if (unchanged !== undefined) findings.add('events', 'effect does not match its record', nameOf(row));
    }
  }
}

/** Returns the numbers of the records of a kind that the events of a range name, up to `upto`, each once. */
export async function recordsNamed(
  { database }: Archive,
  { after, to }: Range,
  { kind, upto }: { kind: 'msg' | 'att'; upto: number },
): Promise<number[]> {
  const numbers = new Set<number>();
  for (let from = after; from < to; from += ROWS_PER_READ) {
    const rows = await database.all<{ id: string; payload: string | null }>(
      `SELECT id, ${SHORT_PAYLOAD} AS payload FROM events WHERE n > $1 AND n <= $2 AND type = $3 ORDER BY n`,
      [from, Math.min(from + ROWS_PER_READ, to), TYPE_OF[kind]],
    );
    for (const { id, payload } of rows) {
      const named = parseFields(payload ?? (await readPayload(database, id)))['id'];
      const n = typeof named === 'string' ? numberOf(kind, named) : undefined;
      if (n !== undefined && n <= upto) numbers.add(n);
    }
  }
  return [...numbers];
}

/** The type of the events that change a record, by the kind of its id. */
const TYPE_OF = { msg: 'message.reordered', att: 'attachment.reclassified' } as const;

/** Returns the id of an event. In a damaged row it may be no text. */
function nameOf({ id, n }: EventRow): string {
  return typeof id === 'string' ? id : `event ${n}`;
}

/** Returns the event when its hashes and its schema hold, else undefined. */
function asReceived(row: EventRow, payload: string): NumberedEvent | undefined {
  const { n, id, type, body_sha256, payload_sha256 } = row;
  const schema = PAYLOADS[type as keyof typeof PAYLOADS] as
    (typeof PAYLOADS)[keyof typeof PAYLOADS] | undefined;
  if (schema === undefined || payloadOf({ type, payload, payload_sha256, body_sha256 }) === undefined)
    return undefined;
  // Where the payload is canonical, its hash is this one.
  if (payload_sha256 !== null && bodyHash(type, canonicalPayload(payload) ?? '') !== body_sha256)
    return undefined;
  const fields = parseFields(payload);
  return schema.safeParse(fields).success ? ({ n, id, type, payload: fields } as NumberedEvent) : undefined;
}

/**
 * Returns what each event should have become, by its number, judged from its record. The value is undefined where the
 * event should have changed the record and did not.
 */
async function expectedOutcomes(
  statements: Statements,
  events: readonly NumberedEvent[],
): Promise<Map<number, EventOutcome | undefined>> {
  const { messages, attachments } = await recordsOf(statements, events);
  return new Map(
    events.map((event): [number, EventOutcome | undefined] => {
      const { id, type, payload } = event;
      const message =
        type === 'message.reordered' ? messages.get(numberOf('msg', payload.id) ?? 0) : undefined;
      const attachment =
        type === 'attachment.reclassified' ? attachments.get(numberOf('att', payload.id) ?? 0) : undefined;
      const isLastWriter =
        message?.moved_by === id ||
        WRITTEN_FIELDS.some(({ field, writer }) => attachment?.[writer] === id && field in payload);
      // Copies, because the verdict changes the record, and other events are judged from the same one.
      const records = {
        messages: new Map(message === undefined ? [] : [[message.n, { ...message }]]),
        attachments: new Map(attachment === undefined ? [] : [[attachment.n, { ...attachment }]]),
      };
      const verdict = applyToRecords(event, records, () => {});
      if (verdict.effect === 'applied') return [event.n, undefined];
      if (verdict.effect === 'superseded' && isLastWriter) verdict.effect = 'applied';
      return [event.n, verdict];
    }),
  );
}

type WrittenRow = { n: number; value: number | string; writer: string; payload: string | null };

/** The columns that events write, and for each the column that names the event which wrote it last. */
export const WRITTEN_COLUMNS = [
  { check: 'messages', kind: 'msg', field: 'sequence', writer: 'moved_by' },
  ...WRITTEN_FIELDS.map((names) => ({ check: 'attachments', kind: 'att', ...names }) as const),
] as const;

/** Checks that the records of a range which an event changed hold the value from that event. */
export async function checkWrittenColumn(
  { database }: Archive,
  { check, kind, field, writer }: (typeof WRITTEN_COLUMNS)[number],
  { after, to }: Range,
  findings: Findings,
): Promise<void> {
  for (let from: number | undefined = after; from !== undefined;) {
    const rows: WrittenRow[] = await database.all<WrittenRow>(
      `SELECT r.n, r.${field} AS value, r.${writer} AS writer,
          (SELECT ${SHORT_PAYLOAD} FROM events e WHERE e.id = r.${writer}) AS payload
        FROM ${check} r WHERE r.n > $1 AND r.n <= $2 AND r.${writer} IS NOT NULL
        ORDER BY r.n LIMIT ${ROWS_PER_READ}`,
      [from, to],
    );
    for (const row of rows) {
      const text = row.payload ?? (await readPayload(database, row.writer));
      // The rules in row-rules.ts report a missing event.
      if (text === '') continue;
      const payload = parseFields(text);
      const sent = payload[field];
      const value = typeof sent === 'boolean' ? Number(sent) : sent;
      if (payload['id'] !== idOf(kind, row.n) || value !== row.value)
        findings.add(check, 'not what the last event wrote', idOf(kind, row.n));
    }
    from = rows.length < ROWS_PER_READ ? undefined : rows.at(-1)!.n;
  }
}

/** Returns the payload of an event as text, '' when there is no such event. */
async function readPayload(statements: Statements, id: string): Promise<string> {
  const row = await statements.get<{ payload: string }>('SELECT payload FROM events WHERE id = $1', [id]);
  return row?.payload ?? '';
}

/** Returns the fields of a JSON object, none where the text is not JSON. */
function parseFields(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}
