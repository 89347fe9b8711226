// Applies events to records: many in few statements, with the same result as one after the other (interface 6).
import { idOf, numberOf } from '../../rules/identifier.ts';
import { isLaterWriter, type CHANGING_TYPES, type Effect, type KnownEvent } from '../../rules/ingest.ts';
import { MESSAGE } from '../../rules/integrity.ts';
import { ATTACHMENTS } from '../../records/attachment.ts';
import { EVENTS } from '../../records/event.ts';
import { MESSAGES } from '../../records/message.ts';
import type { StoredRow } from '../../records/table.ts';
import type { Statements } from '../sql/database.ts';
import { invalidateSummary } from '../meta-table/summary.ts';
import { atEnd, selectIn, updateRows } from '../sql/bulk-statements.ts';

/** An event with its number. */
export type NumberedEvent = KnownEvent & { n: number };
/** What tells the record that an event names. */
type Named = { type: string; payload: Record<string, unknown> };

/** What becomes of an event: its effect, and the record that it waits for. */
export type EventOutcome = Pick<StoredRow<typeof EVENTS>, 'n' | 'effect' | 'message' | 'attachment'>;

/** What events do to records, and not yet in the database. */
export type Effects = {
  /**
   * Applies an event that arrived after all others. Returns its outcome, in which `effect` becomes `superseded` when a later event overrides
   * it.
   */
  apply(event: NumberedEvent): EventOutcome;
  /** Writes the changed records and the earlier events that are overridden. */
  save(): Promise<void>;
};

/** Reads the records that events name, to apply these events. Call it in the transaction of the only writer. */
export async function readEffects(statements: Statements, events: readonly Named[]): Promise<Effects> {
  const outcomes = new Map<number, EventOutcome>();
  const overridden = new Set<number>();
  const records = await recordsOf(statements, events);
  return {
    apply(event) {
      const outcome = applyToRecords(event, records, (n) => {
        const here = outcomes.get(n);
        if (here === undefined) overridden.add(n);
        else here.effect = 'superseded';
      });
      outcomes.set(event.n, outcome);
      return outcome;
    },
    async save() {
      await saveMessages(statements, records.messages);
      const end = atEnd(statements);
      await saveAttachments(
        end,
        [...records.attachments.values()].filter(({ isChanged }) => isChanged),
      );
      if (overridden.size === 0) return;
      await end.run(
        `UPDATE events SET effect = 'superseded' WHERE n IN (SELECT CAST(value AS BIGINT) FROM json_each($1))`,
        [JSON.stringify([...overridden])],
      );
    },
  };
}

/** Applies events in this order and stores the effect of each. Call it in the transaction of the only writer. */
export async function applyEvents(statements: Statements, events: readonly NumberedEvent[]): Promise<void> {
  const effects = await readEffects(statements, events);
  const outcomes = events.map((event) => effects.apply(event));
  const last = await statements.get<{ ordinal: number | null }>('SELECT MAX(applied) AS ordinal FROM events');
  let ordinal = last?.ordinal ?? 0;
  await effects.save();
  await updateRows(
    atEnd(statements),
    EVENTS,
    ['effect', 'applied', 'message', 'attachment'],
    outcomes.map((outcome) => {
      if (outcome.effect !== 'waiting') ordinal += 1;
      return { ...outcome, applied: outcome.effect === 'waiting' ? null : ordinal };
    }),
  );
}

type Records = { messages: Map<number, Movable>; attachments: Map<number, Changeable> };

/** Returns the records that events name. */
export async function recordsOf(statements: Statements, events: readonly Named[]): Promise<Records> {
  const [messages, attachments] = await Promise.all([
    messagesOf(statements, events),
    attachmentsOf(statements, events),
  ]);
  return { messages, attachments };
}

/** Returns the effect of an event, and changes its record. Calls `supersede` with the number of each event that it overrides. */
export function applyToRecords(
  event: NumberedEvent,
  { messages, attachments }: Records,
  supersede: (n: number) => void,
): EventOutcome {
  const outcome: EventOutcome = { n: event.n, effect: 'recorded', message: null, attachment: null };
  if (event.type === 'message.reordered') {
    outcome.effect = moveMessage(event, messages, supersede);
    if (outcome.effect === 'waiting') outcome.message = numberOf('msg', event.payload.id) ?? null;
  }
  if (event.type === 'attachment.reclassified') {
    outcome.effect = reclassify(event, attachments, supersede);
    if (outcome.effect === 'waiting') outcome.attachment = numberOf('att', event.payload.id) ?? null;
  }
  return outcome;
}

/** `moved_n`: the number of the event that moved it last. `parent_sequence`: the stored position of its parent. */
type Message = Pick<
  StoredRow<typeof MESSAGES>,
  'n' | 'conversation' | 'parent' | 'sequence' | 'moved_by' | 'failed'
> & { moved_n: number | null; parent_sequence: number | null };
type Movable = Message & { isMoved: boolean };

async function messagesOf(statements: Statements, events: readonly Named[]): Promise<Map<number, Movable>> {
  const rows = await selectIn<Message>(
    statements,
    `SELECT n, conversation, parent, sequence, moved_by, failed,
        (SELECT e.n FROM events e WHERE e.id = m.moved_by) AS moved_n,
        (SELECT p.sequence FROM messages p WHERE p.n = m.parent) AS parent_sequence
      FROM messages m WHERE n IN ?`,
    numbersIn(events, 'message.reordered', 'msg'),
  );
  return new Map(rows.map((row) => [row.n, { ...row, isMoved: false }]));
}

function moveMessage(
  { n: number, id, payload }: NumberedEvent & { type: 'message.reordered' },
  messages: ReadonlyMap<number, Movable>,
  supersede: (n: number) => void,
): Effect {
  const n = numberOf('msg', payload.id);
  if (n === undefined) return 'waiting';
  // An event that names two different records is stored without an effect.
  if (payload.entry !== idOf('entry', n)) return 'recorded';
  const message = messages.get(n);
  if (message === undefined) return 'waiting';
  if (!isLaterWriter(number, message.moved_n)) return 'superseded';
  if (message.moved_n !== null) supersede(message.moved_n);
  Object.assign(message, { sequence: payload.sequence, moved_by: id, moved_n: number, isMoved: true });
  return 'applied';
}

/** Whether a message stands before the message that it answers. */
function isBeforeParent(
  { n, parent, parent_sequence, sequence }: Movable,
  messages: Records['messages'],
): boolean {
  const position = parent === null ? null : (messages.get(parent)?.sequence ?? parent_sequence);
  if (parent === null || position === null) return false;
  return sequence < position || (sequence === position && n < parent);
}

/** The failed checks of a message, with the position check made again. `$1` is its bit. */
const POSITION_CHECKED = `CASE WHEN (sequence, n) < (SELECT p.sequence, p.n FROM messages p WHERE p.n = messages.parent)
  THEN failed | $1 ELSE failed & ~$1 END`;

/** Writes new positions, and updates the position check of moved messages and of their replies. */
async function saveMessages(statements: Statements, messages: Records['messages']): Promise<void> {
  const moved = [...messages.values()].filter(({ isMoved }) => isMoved);
  if (moved.length === 0) return;
  await invalidateSummary(statements);
  const bit = MESSAGE.positionMonotonic;
  const end = atEnd(statements);
  await updateRows(
    end,
    MESSAGES,
    ['sequence', 'moved_by', 'failed'],
    moved.map((message) => {
      const failed = isBeforeParent(message, messages) ? message.failed | bit : message.failed & ~bit;
      return { ...message, failed };
    }),
  );
  await end.run(
    `WITH moved AS (SELECT CAST(value ->> 0 AS BIGINT) AS n, CAST(value ->> 1 AS BIGINT) AS conversation FROM json_each($2))
      UPDATE messages SET failed = ${POSITION_CHECKED}
      WHERE conversation IN (SELECT conversation FROM moved) AND parent IN (SELECT n FROM moved) AND failed <> ${POSITION_CHECKED}`,
    [bit, JSON.stringify(moved.map(({ n, conversation }) => [n, conversation]))],
  );
}

/** The fields of an attachment that events write, each with its last writer and, where it is read, the number of that event. */
export const WRITTEN_FIELDS = [
  { field: 'source', writer: 'source_by', number: 'source_n' },
  { field: 'decorative_layer', writer: 'decorative_by', number: 'decorative_n' },
] as const;
type Attachment = Pick<
  StoredRow<typeof ATTACHMENTS>,
  'n' | 'source' | 'decorative_layer' | 'source_by' | 'decorative_by'
> & { source_n: number | null; decorative_n: number | null };
type Changeable = Attachment & { isChanged: boolean };

async function attachmentsOf(
  statements: Statements,
  events: readonly Named[],
): Promise<Map<number, Changeable>> {
  const rows = await selectIn<Attachment>(
    statements,
    `SELECT n, source, decorative_layer, source_by, decorative_by,
        (SELECT e.n FROM events e WHERE e.id = source_by) AS source_n,
        (SELECT e.n FROM events e WHERE e.id = decorative_by) AS decorative_n
      FROM attachments WHERE n IN ?`,
    numbersIn(events, 'attachment.reclassified', 'att'),
  );
  return new Map(rows.map((row) => [row.n, { ...row, isChanged: false }]));
}

function reclassify(
  { n, id, payload }: NumberedEvent & { type: 'attachment.reclassified' },
  attachments: ReadonlyMap<number, Changeable>,
  supersede: (n: number) => void,
): Effect {
  const named = WRITTEN_FIELDS.filter(({ field }) => payload[field] !== undefined);
  if (named.length === 0) return 'recorded';
  const attachment = attachments.get(numberOf('att', payload.id) ?? -1);
  if (attachment === undefined) return 'waiting';
  const mine = named.filter(({ number }) => isLaterWriter(n, attachment[number]));
  for (const { field, writer, number } of mine) {
    const value = payload[field];
    const before = attachment[number];
    Object.assign(attachment, {
      [field]: typeof value === 'boolean' ? Number(value) : value,
      [writer]: id,
      [number]: n,
      isChanged: true,
    });
    const holds = WRITTEN_FIELDS.some(({ number: other }) => attachment[other] === before);
    if (before !== null && !holds) supersede(before);
  }
  return mine.length === 0 ? 'superseded' : 'applied';
}

async function saveAttachments(
  statements: Pick<Statements, 'run'>,
  changed: readonly Changeable[],
): Promise<void> {
  const columns = ['source', 'decorative_layer', 'source_by', 'decorative_by'] as const;
  await updateRows(statements, ATTACHMENTS, columns, changed);
}

/** Returns the numbers of the records that events of this type name. */
function numbersIn(
  events: readonly Named[],
  type: (typeof CHANGING_TYPES)[number],
  kind: 'msg' | 'att',
): Set<number> {
  const numbers = events.map((event) =>
    event.type === type ? numberOf(kind, String(event.payload['id'])) : undefined,
  );
  return new Set(numbers.filter((n) => n !== undefined));
}
