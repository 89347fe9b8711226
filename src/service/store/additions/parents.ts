// Finds which message each arriving message answers, and links earlier messages that waited for it.
import type { ImportedMessage } from '../../records/import-items.ts';
import { CONVERSATION, MESSAGE } from '../../rules/integrity.ts';
import type { Statements } from '../sql/database.ts';
import { ORPHANS } from '../../records/message.ts';
import type { NewRow } from '../../records/table.ts';
import { insertRows, selectIn } from '../sql/bulk-statements.ts';
import type { Arrival, ConversationGroups } from './conversations.ts';

/**
 * Finds the parent of each arrival: of the keys that it names, the first that some message in the archive has; of several
 * messages with this key, the first to arrive. Keys without a message are stored as orphans, so that the result does not
 * depend on the order of arrival. The returned function gives undefined for a message that names no other, null where
 * none of the named messages is in the archive.
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
    for (const [rank, message_key] of absent.entries()) orphans.push({ message_key, message: n, rank });
    parents.set(n, best < 0 ? null : numbers.get(candidates[best]!)!);
  }
  await insertRows(statements, ORPHANS, orphans);
  return ({ n }) => parents.get(n);
}

/** Sets the parent of earlier messages that waited for these arrivals. Call it after the arrivals are stored. */
export async function linkWaitingReplies(
  statements: Statements,
  arrivals: readonly Arrival[],
  groups: ConversationGroups,
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
    const conversation = groups.conversationOf(arrival);
    groups.clear(conversation, message, CONVERSATION.rooted);
    groups.fail(conversation, CONVERSATION.ordered);
  }
}

/** Returns the keys that a message answers, the best first: its parent, then the others from the last to the first. */
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
