// The answer to a search. All of it is our choice.
import * as z from 'zod';
import { Message } from '../conversation.ts';
import { sentListOf } from '../list.ts';
import { SEARCH_SORTS } from './parameters.ts';

/** Where words of a query were found. `quoted`: in lines that the message quotes. */
const MATCHED = ['subject', 'from', 'body', 'file', 'quoted'] as const;

/**
 * A message that was found. `matched`: where its words are. `snippet`: a part of its text in one line, null where its stored
 * bytes are damaged. `marks`: the parts of the snippet that match, as offsets of its first UTF-16 unit and of the one behind it.
 * A search without snippets has none of the three.
 */
export const SearchHit = Message.extend({
  matched: z.array(z.enum(MATCHED)).optional(),
  snippet: z.string().nullable().optional(),
  marks: z.array(z.object({ start: z.number().int().min(0), end: z.number().int().min(0) })).optional(),
});
export type SearchHit = z.infer<typeof SearchHit>;
/** Where words of a query were found. */
export type Matched = (typeof MATCHED)[number];

/** The messages with one value of a field, null where they have none. Only a conversation has a `subject`, null where it has none or withholds it. */
export const SearchCount = z.looseObject({
  value: z.string().nullable(),
  messages: z.number().int().min(1),
  subject: z.string().nullable().optional(),
});
export type SearchCount = z.infer<typeof SearchCount>;

/**
 * A page of messages. `total`: all that match. `order`: the order that they are in. `index`: of the messages up to number `of`,
 * so many are `indexed`; the others are not found yet. `withheld`: of all messages, those above the reader's tier, which are
 * not searched; `withheld_files`: of all files, those that are redacted or above it. `notes`: what was understood in another way than it may be meant.
 * `alone`: where nothing was found, how many messages each part of the query finds alone. `counts`: the messages by the field
 * that was asked for, of `values` different ones; `data` is empty then.
 */
export const SearchPage = sentListOf(SearchHit).extend({
  total: z.number().int().min(0),
  order: z.enum(SEARCH_SORTS),
  index: z.looseObject({
    of: z.number().int().min(0),
    indexed: z.number().int().min(0),
    withheld: z.number().int().min(0).optional(),
    withheld_files: z.number().int().min(0).optional(),
  }),
  notes: z.array(z.string()),
  alone: z.array(z.looseObject({ query: z.string(), total: z.number().int().min(0) })).optional(),
  counts: z.array(SearchCount).optional(),
  values: z.number().int().min(0).optional(),
});
export type SearchPage = z.infer<typeof SearchPage>;
