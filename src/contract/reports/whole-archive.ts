// The JSON of `arx report`: figures over a whole archive, and what could not be proven about them.
import * as z from 'zod';
import { AttachmentCount } from './attachment-count.ts';
import { count, version } from './fields.ts';
import { VerifiedFile, VerifyReport } from './files.ts';

/**
 * A list that was read. `rows` were read; `complete` says whether these are all; `changed` rows differed from one answer to another,
 * and each is counted once. `problem` says why the list is not complete.
 */
export const ReadList = z.object({
  list: z.enum(['attachments', 'conversations', 'messages', 'sequence']),
  rows: count,
  complete: z.boolean(),
  changed: count,
  problem: z.object({ class: z.string(), message: z.string() }).nullable(),
});
export type ReadList = z.infer<typeof ReadList>;

/** Values that the list of `values` does not show, and their rows. `values` is null where there were too many to tell them apart. */
const Others = z.object({ values: count.nullable(), rows: count });

/** Files by a value, the most frequent first. */
export const FilesByValue = z.object({ values: z.array(AttachmentCount), others: Others });
export type FilesByValue = z.infer<typeof FilesByValue>;

/** Messages by a value, the most frequent first. */
export const MessagesByValue = z.object({
  values: z.array(z.object({ value: z.string().nullable(), messages: count })),
  others: Others,
});
export type MessagesByValue = z.infer<typeof MessagesByValue>;

/** Rows by the integrity that they state: from `from` up to and without `to`; both are 1 in the last group. */
export const IntegrityCounts = z.object({
  lowest: z.number().nullable(),
  not_stated: count,
  groups: z.array(z.object({ from: z.number(), to: z.number(), rows: count })),
});
export type IntegrityCounts = z.infer<typeof IntegrityCounts>;

/**
 * The drift of a sequence. `compared` entries have a reported and a checked position; `displaced` of them are elsewhere than
 * reported, at most `ahead` positions after the checked one, or `behind` before it. `groups`: neighbouring entries, by number.
 */
export const SequenceDrift = z.object({
  name: z.string(),
  entries: count,
  compared: count,
  displaced: count,
  ahead: count,
  behind: count,
  groups: z.array(z.object({ first: count, last: count, displaced: count, ahead: count, behind: count })),
});
export type SequenceDrift = z.infer<typeof SequenceDrift>;

/**
 * `arx report --json`. `reader`: null for what is not known of the token. `complete`: every list was read to its end; `withheld` rows are
 * in the totals, and in other figures as far as they show a value. `messages.by_month`
 * has the months (UTC) that have messages. `sequence` is null where none was read, `verification` without `--verify`; its `differing`
 * files are those that do not match.
 */
export const ArchiveReport = z.object({
  version,
  archive: z.string(),
  service: z.string().nullable(),
  read_from: z.string(),
  read_until: z.string(),
  reader: z.object({
    client_id: z.string().nullable(),
    tier: z.string().nullable(),
    scope: z.array(z.string()).nullable(),
  }),
  complete: z.boolean(),
  lists: z.array(ReadList),
  attachments: z.object({
    total: count,
    available: count,
    withheld: count,
    absent: count,
    bytes: count,
    cities: FilesByValue,
    types: FilesByValue,
    sources: FilesByValue,
  }),
  conversations: z.object({ total: count, withheld: count }),
  messages: z.object({
    total: count,
    withheld: count,
    undated: count,
    by_month: z.array(z.object({ month: z.string(), messages: count })),
    sources: MessagesByValue,
  }),
  integrity: z.object({
    attachments: IntegrityCounts,
    conversations: IntegrityCounts,
    messages: IntegrityCounts,
  }),
  sequence: SequenceDrift.nullable(),
  verification: VerifyReport.omit({ version: true, files: true })
    .extend({ dir: z.string(), differing: z.array(VerifiedFile) })
    .nullable(),
});
export type ArchiveReport = z.infer<typeof ArchiveReport>;
