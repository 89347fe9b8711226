// Conversations and messages (interface 2.5, 4.7, 4.8). The interface shows no fields of them, so only `id` is required.
import * as z from 'zod';
import {
  NonEmptyText,
  OptionalCount,
  OptionalInteger,
  OptionalIntegrity,
  OptionalText,
  OptionalTextOrNull,
} from './scalars.ts';

/** A conversation. All fields but `id` are our choice (interface 2.5). */
export const Conversation = z.looseObject({
  id: NonEmptyText,
  sequence: OptionalInteger,
  subject: OptionalTextOrNull,
  status: OptionalText,
  source: OptionalText,
  message_count: OptionalCount,
  first_message_id: OptionalTextOrNull,
  started_at: OptionalTextOrNull,
  last_at: OptionalTextOrNull,
  integrity: OptionalIntegrity,
});
export type Conversation = z.infer<typeof Conversation>;

/** A message in a list. All fields but `id` are our choice. `entry` is its entry marker, `entry_<number>` (interface 2.5). */
export const Message = z.looseObject({
  id: NonEmptyText,
  conversation_id: OptionalTextOrNull,
  parent_id: OptionalTextOrNull,
  entry: OptionalText,
  sequence: OptionalInteger,
  date: OptionalTextOrNull,
  from: OptionalTextOrNull,
  subject: OptionalTextOrNull,
  source: OptionalText,
  channel: OptionalText,
  status: OptionalText,
  attachments: OptionalCount,
  integrity: OptionalIntegrity,
});
export type Message = z.infer<typeof Message>;
