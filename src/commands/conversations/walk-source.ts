// The conversation list as the walk reads it, with /messages as its second witness (interface 4.7 rule 3, 4.8).
import type { Client } from '../../client/index.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { Fault } from '../../faults.ts';
import type { Source } from '../../walk/source.ts';
import { withoutUndefined } from '../input.ts';

export function conversationSource(client: Client): Source<Conversation> {
  return {
    async page({ after, before, limit }) {
      const query = withoutUndefined({ starting_after: after, ending_before: before, limit });
      const { data, has_more, drift_ratio } = (await client.conversations(query)).body;
      return { rows: data, ...withoutUndefined({ has_more, drift_ratio }) };
    },
    /** `opening=true` lists the first message of each conversation; a service that does not know it cannot tell. */
    async crossCheck({ after, limit }) {
      const cursor = after?.first_message_id;
      if (after !== undefined && typeof cursor !== 'string') return undefined;
      try {
        const { data } = (
          await client.messages({
            opening: true,
            limit,
            ...withoutUndefined({ starting_after: cursor ?? undefined }),
          })
        ).body;
        const ids = data.map((row) => row.conversation_id);
        // Two messages of one conversation: the service does not know `opening`. One message twice is drift.
        const openings = new Set(data.map(({ id }) => id)).size;
        if (!ids.every((id) => typeof id === 'string') || new Set(ids).size !== openings) return undefined;
        return ids;
      } catch (error) {
        if (error instanceof Fault && ['not_found', 'forbidden', 'usage'].includes(error.kind))
          return undefined;
        throw error;
      }
    },
  };
}
