// Query parameters of every route: one table for the service, the client and the OpenAPI document.
import * as z from 'zod';
import { UNSETTLED_EFFECTS } from './event-types.ts';
import { PAGE_LIMIT } from './scalars.ts';
import { MAX_QUERY_CHARACTERS, SEARCH_FACETS, SEARCH_SORTS } from './search/parameters.ts';
import type { RouteName } from './routes.ts';

const text = (description: string) => z.string().min(1).max(200).describe(description).optional();
const flag = (description: string) => z.boolean().describe(description).optional();

const limit = z.number().int().min(PAGE_LIMIT.minimum).max(PAGE_LIMIT.maximum);
const window = {
  starting_after: text('Cursor: return items after the row with this id'),
  ending_before: text('Cursor: return items before the row with this id'),
  limit: limit.describe(`Page size, ${PAGE_LIMIT.default} where absent`).optional(),
};

const messages = z.object({
  conversation: text('Only messages of this conversation'),
  opening: flag('Only the first message of each conversation, in the order of conversations'),
  ...window,
});

/** Query parameters by route (interface 4.2, 4.3, 4.7). On the wire each is text and stands at most once. */
export const PARAMETERS = {
  token: z.object({}),
  attachments: z.object({
    origin_city: text('Filters by origin_city'),
    redacted: flag('Only redacted rows, or only the others'),
    content_type: text('Filters by content_type'),
    source: text('Filters by source'),
    message_id: text('Only attachments of this message'),
    ...window,
  }),
  attachment: z.object({}),
  content: z.object({
    view: z.enum(['raw', 'lore']).describe('Which view of the record; raw where absent').optional(),
    include_stego: flag('Adds what the message carries unseen; false where absent'),
    include_pipeline: flag('Adds the pipeline block; false where absent'),
  }),
  sequence: z.object(window),
  health: z.object({}),
  live: z.object({}),
  ready: z.object({}),
  ingest: z.object({}),
  events: z.object({
    effect: z.enum(UNSETTLED_EFFECTS).describe('Only events with this effect').optional(),
    ...window,
  }),
  conversations: z.object(window),
  conversation: z.object({}),
  messages,
  messages_v1: messages,
  search: z.object({
    q: z.string().min(1).max(MAX_QUERY_CHARACTERS).describe('The query').optional(),
    sort: z.enum(SEARCH_SORTS).describe('The order; relevance where absent').optional(),
    count: flag('Only the number of messages'),
    snippets: flag('`false`: rows without matched, snippet and marks, which need the text of each message'),
    facet: z.enum(SEARCH_FACETS).describe('Only the numbers of messages by this field').optional(),
    starting_after: text('Cursor: return messages after the one with this id, which the same search found'),
    limit: limit.describe(`Page size, ${PAGE_LIMIT.default} where absent; of a facet, its values`).optional(),
  }),
  openapi: z.object({}),
} as const satisfies Record<RouteName, z.ZodObject>;
