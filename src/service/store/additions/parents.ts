// Which message each arriving message answers, and which earlier ones were waiting for it.
import type { ImportedMessage } from '../../records/import-items.ts';
import { CONVERSATION, MESSAGE } from '../../rules/integrity.ts';
import type { Statements } from '../sql/database.ts';
import { ORPHANS } from '../../records/message.ts';
import type { NewRow } from '../../records/table.ts';
import { insertRows, selectIn } from '../sql/bulk-statements.ts';
import type { Arrival, ConversationGroups } from './conversations.ts';

/**
 * Finds the parent of each arrival: the message whose key it names first of those the archive has (of messages with
 * one key the first to arrive). What it names and the archive lacks is remembered, so that the outcome does not
 * depend on the order of arrival. Undefined for a message that names nobody, null for one whose parents are absent.
 */
export async function findParents(
  statements: Statements,
  arrivals: readonly Arrival[],
): Promise<(arrival: Arrival) => number | null | undefined> {
  const wanted = new Set(
    arrivals.flatMap(({ message }) => [message.key ?? [], candidatesOf(message)].flat()),
  );
  const numbers = await numbersOf(statements, wanted);
  for (const { n, message } of arrivals) {
    if (message.key !== null && !numbers.has(message.key)) numbers.set(message.key, n);
  }
  const orphans: NewRow<typeof ORPHANS>[] = [];
  const parents = new Map<number, number | null>();
  for (const { n, message } of arrivals) {
    const candidates = candidatesOf(message);
    if (candidates.length === 0) continue;
    const best = candidates.findIndex((key) => numbers.has(key));
    const absent = best < 0 ? candidates : candidates.slice(0, best);
    orphans.push(...absent.map((message_key, rank) => ({ message_key, message: n, rank })));
    parents.set(n, best < 0 ? null : numbers.get(candidates[best]!)!);
  }
  await insertRows(statements, ORPHANS, orphans);
  return ({ n }) => parents.get(n);
}

/** Gives the earlier messages that waited for these arrivals their parent. Call after the arrivals are stored. */
export async function linkWaitingReplies(
  statements: Statements,
  arrivals: readonly Arrival[],
  threading: ConversationGroups,
): Promise<void> {
  const keys = arrivals.flatMap(({ message }) => message.key ?? []);
  const waiting = await selectIn<{ message_key: string; message: number; rank: number }>(
    statements,
    'SELECT message_key, message, rank FROM orphans WHERE message_key IN ?',
    new Set(keys),
  );
  const numbers = await numbersOf(statements, new Set(waiting.map(({ message_key }) => message_key)));
  const best = new Map<number, { rank: number; parent: number }>();
  for (const { message_key, message, rank } of waiting) {
    const parent = numbers.get(message_key);
    const known = best.get(message);
    if (parent === undefined || (known !== undefined && known.rank <= rank)) continue;
    best.set(message, { rank, parent });
  }
  for (const [message, { rank, parent }] of best) {
    await statements.run(
      `UPDATE messages SET parent = $2,
         classification = CASE WHEN classification = 'orphan' THEN 'reply' ELSE classification END,
         failed = (failed & $3) | CASE WHEN sequence <= $2 THEN $4 ELSE 0 END WHERE n = $1`,
      [message, parent, ~(MESSAGE.parentPresent | MESSAGE.positionMonotonic), MESSAGE.positionMonotonic],
    );
    await statements.run('DELETE FROM orphans WHERE message = $1 AND rank >= $2', [message, rank]);
    const arrival = arrivals.find(({ n }) => n === parent);
    if (arrival === undefined) continue;
    const conversation = threading.of(arrival);
    threading.clear(conversation, message, CONVERSATION.rooted);
    threading.fail(conversation, CONVERSATION.ordered);
  }
}

/** What a message says it answers, the best first: its parent, then its other relations from the nearest back. */
function candidatesOf({ key, parent, related }: ImportedMessage): string[] {
  if (parent === null) return [];
  return [...new Set([parent, ...related.toReversed()])].filter((candidate) => candidate !== key);
}

async function numbersOf(statements: Statements, keys: ReadonlySet<string>): Promise<Map<string, number>> {
  const rows = await selectIn<{ message_key: string; n: number }>(
    statements,
    'SELECT message_key, MIN(n) AS n FROM messages WHERE message_key IN ? GROUP BY message_key',
    keys,
  );
  return new Map(rows.map(({ message_key, n }) => [message_key, n]));
}
