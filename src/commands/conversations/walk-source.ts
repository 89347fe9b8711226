// The conversation list as a walk reads it, with /messages as its cross-check source (interface 4.7), (interface 4.8).
import type { Client } from '../../client/index.ts';
import type { Conversation } from '../../contract/conversation.ts';
import { Fault } from '../../faults.ts';
import type { Source } from '../../walk/source.ts';
import { withoutUndefined } from '../input.ts';

/** Returns the conversations of an archive as the source of a walk. */
export function conversationSource(client: Client): Source<Conversation> {
  return {
    async page({ after, before, limit }) {
      const query = withoutUndefined({ starting_after: after, ending_before: before, limit });
      const { data, has_more, drift_ratio } = (await client.conversations(query)).body;
      return { rows: data, ...withoutUndefined({ has_more, drift_ratio }) };
    },
    /** Asks for the first message of each conversation (`opening=true`). A service that ignores the parameter cannot tell. */
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
        // Two messages of one conversation: the service ignores `opening`. The same message twice is drift.
        const messages = new Set(data.map(({ id }) => id)).size;
        if (!ids.every((id) => typeof id === 'string') || new Set(ids).size !== messages) return undefined;
        return ids;
      } catch (error) {
        if (error instanceof Fault && ['not_found', 'forbidden', 'usage'].includes(error.kind))
          return undefined;
        throw error;
      }
    },
  };
}
