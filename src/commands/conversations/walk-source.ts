// The conversation list as a walk reads it, with /messages as its cross-check source (interface 4.7), (interface 4.8).
import {
  answerWithin,
  MAX_CROSS_CHECK_MS,
  type MessagesQuery,
  type OpeningRow,
  type ReadMessages,
} from '../../capabilities/cross-check-support.ts';
import type { Client } from '../../client/index.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { Fault } from '../../faults.ts';
import type { Source } from '../../walk/source.ts';
import type { StatedTotals } from '../lists/contradictions.ts';
import { withoutUndefined } from '../shared/input.ts';

/** How the list and its cross-check source are read. */
export type SourceOptions = {
  /** Rows of one page that it accepts; absent: all that arx asks for. */
  limit?: number;
  /** Longest wait for one answer in milliseconds; absent: {@link MAX_CROSS_CHECK_MS}. */
  maxWaitMs?: number;
  /** Takes the number of rows that the pages of the list state. */
  totals?: StatedTotals;
};

/** Returns the conversations of an archive as the source of a walk. */
export function conversationSource(
  client: Client,
  { limit: accepted = PAGE_LIMIT.maximum, maxWaitMs = MAX_CROSS_CHECK_MS, totals }: SourceOptions = {},
): Source<Conversation> {
  const read = messageReader(client);
  return {
    async page({ after, before, limit }) {
      const query = withoutUndefined({ starting_after: after, ending_before: before, limit });
      const { body } = await client.conversations(query);
      totals?.add(body, limit);
      const { data, has_more, drift_ratio } = body;
      return { rows: data, ...withoutUndefined({ has_more, drift_ratio }) };
    },
    /** Asks for the first message of each conversation (`opening=true`). An answer that cannot be used is no answer. */
    async crossCheck({ after, limit }, signal) {
      const cursor = after?.first_message_id;
      if (after !== undefined && typeof cursor !== 'string') return undefined;
      try {
        return await answerWithin(maxWaitMs, signal, () =>
          openedConversations(read, { limit, ...withoutUndefined({ after: cursor ?? undefined }) }, accepted),
        );
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Fault && error.kind !== 'interrupted') return undefined;
        throw error;
      }
    },
  };
}

/** Returns how pages of messages are read from a service. */
export function messageReader(client: Client): ReadMessages {
  return async ({ after, ...query }) => {
    const { data, has_more } = (
      await client.messages({ ...query, ...withoutUndefined({ starting_after: after }) })
    ).body;
    return { rows: data, ...withoutUndefined({ has_more }) };
  };
}

/**
 * Returns the conversations of the next `limit` openings, fewer only where the list ends; undefined where these are not openings.
 * Reads on where a page has fewer rows than were asked for and does not say that it is the last.
 */
async function openedConversations(
  read: ReadMessages,
  { after, limit }: MessagesQuery,
  accepted: number,
): Promise<string[] | undefined> {
  const rows: OpeningRow[] = [];
  const seen = new Set<string>();
  for (let cursor = after; ;) {
    const size = Math.min(limit - rows.length, accepted);
    const page = await read({ opening: true, limit: size, ...withoutUndefined({ after: cursor }) });
    for (const row of page.rows) rows.push(row);
    const fresh = page.rows.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    cursor = fresh.at(-1)?.id;
    if (cursor === undefined || rows.length >= limit || page.has_more === false) break;
  }
  const ids = rows.map((row) => row.conversation_id);
  // Two messages of one conversation: the service ignores `opening`. The same message twice is drift.
  if (!ids.every((id) => typeof id === 'string') || new Set(ids).size !== seen.size) return undefined;
  return ids;
}
