// Which conversation each arriving message belongs to: messages joined by a common key, earlier ones included.
import type { ImportedMessage } from '../../records/import-items.ts';
import { CONVERSATION } from '../../rules/integrity.ts';
import type { Statements } from '../sql/database.ts';
import { invalidateSummary } from '../meta-table/summary.ts';
import { CONVERSATIONS, THREADS, type ConversationRow } from '../../records/conversation.ts';
import { insertRows, selectIn } from '../sql/bulk-statements.ts';

/** A message with the number it arrives under and the bits of its own failed checks. */
export type Arrival = { n: number; message: ImportedMessage; failed: number; dated: boolean };

export type ConversationGroups = {
  /** Number of a message's conversation, once all arrivals are taken in. */
  of(arrival: Arrival): number;
  /** Adds to the failed checks of a conversation. */
  fail(conversation: number, bit: number): void;
  /** Takes a failed check back where `message` is the conversation's first. */
  clear(conversation: number, message: number, bit: number): void;
  /** Writes conversations and keys; messages stored before follow where their conversations were joined. */
  save(): Promise<void>;
};

/**
 * A conversation bears the number of the message that opened it, so a number never comes back. Of joined
 * conversations the oldest stays.
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
    else admit(summaries.get(oldest)!, arrival);
    for (const other of younger) {
      merge(summaries.get(oldest)!, summaries.get(other)!);
      summaries.delete(other);
      joined.set(other, oldest);
    }
    for (const key of own) threads.set(key, oldest);
    opened.set(n, oldest);
  }

  return {
    of: ({ n }) => root(opened.get(n) ?? n),
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
          `UPDATE conversations SET message_count = $2, started_ms = $3, last_ms = $4, failed = $5 WHERE n = $1`,
          [n, rest.message_count, rest.started_ms, rest.last_ms, rest.failed],
        );
      }
      const fresh = [...summaries.values()].filter(({ n }) => !loaded.has(n));
      await insertRows(statements, CONVERSATIONS, fresh);
    },
  };
}

function keysOf(message: ImportedMessage): string[] {
  return message.key === null ? message.related : [message.key, ...message.related];
}

function opening({ n, message, dated }: Arrival): ConversationRow {
  return {
    n,
    subject: message.subject,
    source: message.source,
    first_message: n,
    message_count: 1,
    started_ms: message.date_ms,
    last_ms: message.date_ms,
    failed: dated ? 0 : CONVERSATION.dated,
  };
}

function admit(summary: ConversationRow, { message, dated }: Arrival): void {
  summary.message_count += 1;
  summary.started_ms = earliest(summary.started_ms, message.date_ms);
  summary.last_ms = latest(summary.last_ms, message.date_ms);
  if (!dated) summary.failed |= CONVERSATION.dated;
}

function merge(into: ConversationRow, other: ConversationRow): void {
  into.message_count += other.message_count;
  into.started_ms = earliest(into.started_ms, other.started_ms);
  into.last_ms = latest(into.last_ms, other.last_ms);
  // Whether it is rooted is for the older one's first message to say.
  into.failed |= other.failed & ~CONVERSATION.rooted;
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

function latest(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b);
}
