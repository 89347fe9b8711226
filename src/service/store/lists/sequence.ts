// Reads the two sequences: messages by arrival, and events by arrival.
import type { Statements } from '../sql/database.ts';
import { EVENTS, type EventRow } from '../../records/event.ts';
import type { MessageRow } from '../../records/message.ts';
import type { UNSETTLED_EFFECTS } from '../../../contract/event.ts';
import { readSpan, type Span } from '../sql/keyset.ts';

/** The position of a message, and what decides how it is shown. */
export type MessagePositionRow = Pick<MessageRow, 'n' | 'sequence' | 'source' | 'failed' | 'tier'>;

/** Returns a window of the positions of messages. */
export function readMessagePositions(statements: Statements, span: Span) {
  const select = 'SELECT n, sequence, source, failed, tier FROM messages';
  return readSpan<MessagePositionRow>(statements, { select, key: ['n'], where: [] }, span);
}

/** Returns a window of events, all or those with one effect. Each of these effects has a partial index. */
export function readEvents(statements: Statements, span: Span, effect?: (typeof UNSETTLED_EFFECTS)[number]) {
  const select = `SELECT ${EVENTS.select} FROM events`;
  // As text, never user input: with a parameter the engine could not use the partial index.
  const where = effect === undefined ? [] : [{ sql: `effect = '${effect}'`, values: [] }];
  return readSpan<EventRow>(statements, { select, key: ['n'], where }, span);
}

/** Returns the number of the event with this id. */
export async function eventNumber(statements: Statements, id: string): Promise<number | undefined> {
  return (await statements.get<{ n: number }>('SELECT n FROM events WHERE id = $1', [id]))?.n;
}

/** Returns the number of events. */
export function countEvents(statements: Statements): Promise<number> {
  return countOf(statements, 'SELECT COALESCE(MAX(n), 0) AS rows FROM events');
}

/** Returns the number of events that took effect in another order than they arrived. */
export function countDisplacedEvents(statements: Statements): Promise<number> {
  return countOf(statements, 'SELECT COUNT(*) AS rows FROM events WHERE applied <> n');
}

async function countOf(statements: Statements, sql: string): Promise<number> {
  return (await statements.get<{ rows: number }>(sql))?.rows ?? 0;
}
