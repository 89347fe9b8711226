// Conversations and messages (interface 2.5, 4.7, 4.8). The interface shows no fields of them, so only `id` is required.
import * as z from 'zod';
import { Integrity } from './scalars.ts';

/** A conversation. All fields but `id` are our choice (interface 2.5). */
export const Conversation = z.looseObject({
  id: z.string().min(1),
  sequence: z.number().int().optional(),
  subject: z.string().nullable().optional(),
  status: z.string().optional(),
  source: z.string().optional(),
  message_count: z.number().int().min(0).optional(),
  first_message_id: z.string().nullable().optional(),
  started_at: z.string().nullable().optional(),
  last_at: z.string().nullable().optional(),
  integrity: Integrity.optional(),
});
export type Conversation = z.infer<typeof Conversation>;

/** A message in a list. All fields but `id` are our choice. `entry` is its entry marker, `entry_<number>` (interface 2.5). */
export const Message = z.looseObject({
  id: z.string().min(1),
  conversation_id: z.string().nullable().optional(),
  parent_id: z.string().nullable().optional(),
  entry: z.string().optional(),
  sequence: z.number().int().optional(),
  date: z.string().nullable().optional(),
  from: z.string().nullable().optional(),
  subject: z.string().nullable().optional(),
  source: z.string().optional(),
  channel: z.string().optional(),
  status: z.string().optional(),
  attachments: z.number().int().min(0).optional(),
  integrity: Integrity.optional(),
});
export type Message = z.infer<typeof Message>;
