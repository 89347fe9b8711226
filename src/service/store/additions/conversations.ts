// Groups arriving messages into conversations by common keys, together with the messages stored before.
import type { Tier } from '../../../contract/tier.ts';
import type { ImportedMessage } from '../../records/import-items.ts';
import { CONVERSATION } from '../../rules/integrity.ts';
import { higherTier } from '../../rules/tiers.ts';
import type { Statements } from '../sql/database.ts';
import { invalidateSummary } from '../meta-table/summary.ts';
import { CONVERSATIONS, THREADS, type ConversationRow } from '../../records/conversation.ts';
import { insertRows, selectIn, updateRows } from '../sql/bulk-statements.ts';

/** A message with its number, the bits of its failed checks, and whether its date is plausible. */
export type Arrival = { n: number; message: ImportedMessage; failed: number; hasPlausibleDate: boolean };

/** The conversations of a batch of arrivals, until they are saved. */
export type ConversationGroups = {
  /** Returns the number of a message's conversation. */
  conversationOf(arrival: Arrival): number;
  /** Adds a bit to the failed checks of a conversation. */
  fail(conversation: number, bit: number): void;
  /** Removes a bit from the failed checks of a conversation whose first message is `message`. */
  clear(conversation: number, message: number, bit: number): void;
  /** Writes conversations and keys. Stored messages of conversations that were joined get the new number. */
  save(): Promise<void>;
};

/**
 * Groups arrivals into conversations. A conversation has the number of the message that opened it, so a number is never
 * used again. When conversations are joined, the oldest number stays.
 */
export async function groupIntoConversations(
  statements: Statements,
  arrivals: readonly Arrival[],
): Promise<ConversationGroups> {
  const keys = new Set(arrivals.flatMap(({ message }) => keysOf(message)));
  const stored = await selectIn<{ message_key: string; conversation: number }>(
    statements,
    'SELECT message_key, conversation FROM threads WHERE message_key IN ?',
    keys,
  );
  const threads = new Map(stored.map(({ message_key, conversation }) => [message_key, conversation]));
  const before = new Set(threads.keys());
  const summaries = new Map(
    (
      await selectIn<ConversationRow>(
        statements,
        `SELECT ${CONVERSATIONS.select} FROM conversations
          WHERE n IN ?`,
        new Set(threads.values()),
      )
    ).map((summary) => [summary.n, summary]),
  );
  const loaded = new Set(summaries.keys());
  const joined = new Map<number, number>();
  const root = (n: number): number => {
    let at = n;
    for (let next = joined.get(at); next !== undefined; next = joined.get(at)) at = next;
    return at;
  };
  const opened = new Map<number, number>();

  for (const arrival of arrivals) {
    const { n, message } = arrival;
    const own = keysOf(message);
    const found = [...new Set(own.flatMap((key) => threads.get(key) ?? []).map(root))].sort((a, b) => a - b);
    const [oldest = n, ...younger] = found;
    if (found.length === 0) summaries.set(n, opening(arrival));
    else addMessage(summaries.get(oldest)!, arrival);
    for (const other of younger) {
      merge(summaries.get(oldest)!, summaries.get(other)!);
      summaries.delete(other);
      joined.set(other, oldest);
    }
    for (const key of own) threads.set(key, oldest);
    opened.set(n, oldest);
  }

  return {
    conversationOf: ({ n }) => root(opened.get(n) ?? n),
    fail(conversation, bit) {
      const summary = summaries.get(root(conversation));
      if (summary !== undefined) summary.failed |= bit;
    },
    clear(conversation, message, bit) {
      const summary = summaries.get(root(conversation));
      if (summary?.first_message === message) summary.failed &= ~bit;
    },
    async save() {
      for (const [other, into] of joined) {
        if (!loaded.has(other)) continue;
        for (const table of ['messages', 'threads']) {
          await statements.run(`UPDATE ${table} SET conversation = $1 WHERE conversation = $2`, [
            root(into),
            other,
          ]);
        }
        await statements.run('DELETE FROM conversations WHERE n = $1', [other]);
        await invalidateSummary(statements, 'conversations');
      }
      const added = [...threads].filter(([key]) => !before.has(key));
      await insertRows(
        statements,
        THREADS,
        added.map(([message_key, n]) => ({ message_key, conversation: root(n) })),
      );
      const changed = [...summaries.values()].filter(({ n }) => loaded.has(n));
      for (const { n, ...rest } of changed) {
        await statements.run(
          `UPDATE conversations SET message_count = $2, started_ms = $3, last_ms = $4, failed = $5, tier = $6 WHERE n = $1`,
          [n, rest.message_count, rest.started_ms, rest.last_ms, rest.failed, rest.tier],
        );
      }
      const fresh = [...summaries.values()].filter(({ n }) => !loaded.has(n));
      await insertRows(statements, CONVERSATIONS, fresh);
    },
  };
}

/** Sets the tier of the conversations of these messages to the highest of all their messages. */
export async function updateConversationTiers(
  statements: Statements,
  messages: Iterable<number>,
): Promise<void> {
  const found = await selectIn<{ conversation: number }>(
    statements,
    'SELECT DISTINCT conversation FROM messages WHERE n IN ?',
    messages,
  );
  const tiers = await selectIn<{ conversation: number; tier: Tier }>(
    statements,
    'SELECT DISTINCT conversation, tier FROM messages WHERE conversation IN ?',
    new Set(found.map(({ conversation }) => conversation)),
  );
  const highest = new Map<number, Tier>();
  for (const { conversation, tier } of tiers)
    highest.set(conversation, higherTier(highest.get(conversation) ?? tier, tier));
  await updateRows(
    statements,
    CONVERSATIONS,
    ['tier'],
    [...highest].map(([n, tier]) => ({ n, tier })),
  );
}

function keysOf(message: ImportedMessage): string[] {
  return message.key === null ? message.related : [message.key, ...message.related];
}

function opening({ n, message, hasPlausibleDate }: Arrival): ConversationRow {
  return {
    n,
    subject: message.subject,
    source: message.source,
    first_message: n,
    message_count: 1,
    started_ms: message.date_ms,
    last_ms: message.date_ms,
    failed: hasPlausibleDate ? 0 : CONVERSATION.dated,
    tier: message.tier,
  };
}

function addMessage(summary: ConversationRow, { message, hasPlausibleDate }: Arrival): void {
  summary.message_count += 1;
  summary.started_ms = earliest(summary.started_ms, message.date_ms);
  summary.last_ms = latest(summary.last_ms, message.date_ms);
  if (!hasPlausibleDate) summary.failed |= CONVERSATION.dated;
  summary.tier = higherTier(summary.tier, message.tier);
}

function merge(into: ConversationRow, other: ConversationRow): void {
  into.message_count += other.message_count;
  into.started_ms = earliest(into.started_ms, other.started_ms);
  into.last_ms = latest(into.last_ms, other.last_ms);
  into.tier = higherTier(into.tier, other.tier);
  // Whether it is rooted depends on the first message, which is that of the older conversation.
  into.failed |= other.failed & ~CONVERSATION.rooted;
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

function latest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
