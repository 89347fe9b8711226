// The two sequences as stored: messages by arrival, and events by their arrival at the relay.
import type { Statements } from '../sql/database.ts';
import { EVENTS, type EventRow } from '../../records/event.ts';
import type { MessageRow } from '../../records/message.ts';
import type { UNSETTLED_EFFECTS } from '../../../contract/event.ts';
import { readSpan, type Span } from '../sql/keyset.ts';

export type MessagePositionRow = Pick<MessageRow, 'n' | 'sequence' | 'source' | 'failed' | 'tier'>;

export function readMessagePositions(statements: Statements, span: Span) {
  const select = 'SELECT n, sequence, source, failed, tier FROM messages';
  return readSpan<MessagePositionRow>(statements, { select, key: ['n'], where: [] }, span);
}

/** Events in order of arrival; `effect` is one that has an index of its own, and is no one's input. */
export function readEvents(statements: Statements, span: Span, effect?: (typeof UNSETTLED_EFFECTS)[number]) {
  const select = `SELECT ${EVENTS.select} FROM events`;
  // As text, since a parameter would keep the engine from an index for one value.
  const where = effect === undefined ? [] : [{ sql: `effect = '${effect}'`, values: [] }];
  return readSpan<EventRow>(statements, { select, key: ['n'], where }, span);
}

/** The arrival number of the event with this id. */
export async function eventNumber(statements: Statements, id: string): Promise<number | undefined> {
  return (await statements.get<{ n: number }>('SELECT n FROM events WHERE id = $1', [id]))?.n;
}

export function countEvents(statements: Statements): Promise<number> {
  return countOf(statements, 'SELECT COALESCE(MAX(n), 0) AS rows FROM events');
}

export function countDisplacedEvents(statements: Statements): Promise<number> {
  return countOf(statements, 'SELECT COUNT(*) AS rows FROM events WHERE applied <> n');
}

async function countOf(statements: Statements, sql: string): Promise<number> {
  return (await statements.get<{ rows: number }>(sql))?.rows ?? 0;
}
