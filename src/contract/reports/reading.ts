// The JSON of `arx read`: messages as a person reads them, in parts.
import * as z from 'zod';
import { FILE_STATES } from '../attachment-file.ts';
import { LoreRecord } from '../content.ts';

/** A doubt about a message, said where a reader sees what it is about. */
export const ReadWarning = z.object({
  about: z.enum(['date', 'position', 'structure', 'content', 'files']),
  text: z.string(),
});
export type ReadWarning = z.infer<typeof ReadWarning>;

/** A part of a message, in the order of the message. */
export const ReadPart = z.object({
  /** `alternative`: another form of a text that is shown, such as its HTML. */
  kind: z.enum(['text', 'file', 'alternative']),
  type: z.string().nullable(),
  /** HTML is text here, and text with format=flowed has a line for each paragraph. */
  text: z.string().optional(),
  /** The addresses that `[1]`, `[2]` … in `text` stand for. */
  links: z.array(z.string()).optional(),
  /** Of a file: its attachment, null where the catalogue has none. */
  id: z.string().nullable().optional(),
  filename: z.string().nullable().optional(),
  sha256: z.string().optional(),
  bytes: z.number().int().optional(),
  /** Of a file: `unlisted` if the catalogue has no such row. */
  state: z.enum([...FILE_STATES, 'unlisted']).optional(),
  reason: z.string().nullable().optional(),
  /** False where the place of a file in the message is not known. */
  in_place: z.boolean().optional(),
  /** From, Date, To and Subject of forwarded messages that begin here. */
  forwarded: z.array(z.array(z.tuple([z.string(), z.string()]))).optional(),
  warnings: z.array(z.string()).optional(),
});
export type ReadPart = z.infer<typeof ReadPart>;

/** A message of `arx read`. One that cannot be read has `problem` and no parts. */
export const ReadMessage = z.object({
  version: z.literal(1),
  id: z.string(),
  conversation_id: z.string().nullable(),
  parent_id: z.string().nullable(),
  /** In a thread: how many messages are above it. */
  depth: z.number().int().optional(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  cc: z.string().nullable(),
  date: z.string().nullable(),
  subject: z.string().nullable(),
  /** Of a chat; null for direct messages and for what is no chat. */
  channel: z.string().nullable(),
  headers: z.array(z.tuple([z.string(), z.string()])).optional(),
  parts: z.array(ReadPart),
  warnings: z.array(ReadWarning),
  lore: LoreRecord.optional(),
  problem: z.object({ class: z.string(), message: z.string() }).optional(),
});
export type ReadMessage = z.infer<typeof ReadMessage>;
