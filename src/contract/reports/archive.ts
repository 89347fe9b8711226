// The JSON reports about a whole archive: import, backup and fsck.
import * as z from 'zod';
import { TIERS } from '../tier.ts';
import { FILES_PLACES } from '../files-place.ts';
import { count, version } from './fields.ts';

const ImportedMessages = z
  .object({ read: count, stored: count, known: count, refused: count })
  .refine(({ read, stored, known, refused }) => read === stored + known + refused, {
    message: 'read must be stored + known + refused',
  });

const ImportedFiles = z
  .object({ seen: count, read: count, known: count, refused: count, skipped: count })
  .refine(({ seen, read, known, refused, skipped }) => seen === read + known + refused + skipped, {
    message: 'seen must be read + known + refused + skipped',
  });

const ListedItem = z.enum(['refused', 'skipped', 'notices']);

/**
 * `arx import --json`. `offset` is a byte offset in a file, else an ordinal; null where a whole path was refused. `files`
 * counts the files of a source: `read` gave a new message or hold none, `known` had no new one. `formats`: how many files
 * were read as each format. `skipped` names what was not read on purpose: a file, or `bytes` of it at `offset`. `notices`: files
 * whose content was not understood, such as chats of systems that arx does not read. `not_listed`: how many more entries a list would
 * have, by their reason; each list has the first 10,000. `messages.refused` of the sources counts all that were refused.
 * `tier_changes`: how many known messages, with their attachments, got another tier; in a dry run, would get it. Without such, absent.
 */
export const ImportReport = z.object({
  version,
  /** Nothing was stored: the counts are those of an import. */
  dry_run: z.literal(true).optional(),
  sources: z.array(
    z.object({
      path: z.string(),
      kind: z.string(),
      /** Other paths that hold the uploaded files of this export. Its counts include them. */
      uploads: z.array(z.string()).optional(),
      messages: ImportedMessages,
      attachments: z.object({ stored: count, known: count }),
      files: ImportedFiles,
      formats: z.array(z.object({ format: z.string(), files: count })),
    }),
  ),
  conversations: count,
  refused: z.array(z.object({ path: z.string(), offset: count.nullable(), reason: z.string() })),
  skipped: z.array(
    z.object({ path: z.string(), offset: count.nullable(), bytes: count.nullable(), reason: z.string() }),
  ),
  notices: z.array(z.object({ path: z.string(), notice: z.string() })),
  not_listed: z.array(z.object({ list: ListedItem, reason: z.string(), count })).optional(),
  tier_changes: z.array(z.object({ from: z.enum(TIERS), to: z.enum(TIERS), messages: count })).optional(),
});
export type ImportReport = z.infer<typeof ImportReport>;

/**
 * `arx backup -o json`. `taken_at` is the instant whose state was copied. `bytes` counts the files that were added, `linked` those of
 * the backup that are hard links to files of the archive, so that one damage is in both.
 */
export const BackupReport = z.object({
  version,
  path: z.string(),
  taken_at: z.string(),
  database_bytes: count,
  files: z.object({ added: count, known: count, linked: count }),
  bytes: count,
});
export type BackupReport = z.infer<typeof BackupReport>;

/** The checks of `arx fsck`, in the order of its report. */
export const FSCK_CHECKS = [
  'engine',
  'messages',
  'conversations',
  'threads',
  'attachments',
  'events',
  'stored messages',
  'search',
  'files',
] as const;

/**
 * `arx fsck -o json`. `looked` counts the rows, files or messages of a check; `bytes` counts what was hashed. A finding counts all its
 * subjects and names the first hundred. Of damaged files, `attachments` has those that need each of them: all counted, the first three named. A `notice` is unusual, but no damage. `unchecked` names what was not checked because of an
 * error of arx itself. `unchecked_is_explained`: findings name values that their columns cannot hold, over which checks may fail.
 * `not_indexed` messages wait for the next search to index them, as after a redaction; the check of the search has no row of them.
 * `ok_since` and `nothing_new` say nothing about what is older than `since`.
 */
export const FsckReport = z.object({
  version,
  engine: z.enum(['sqlite', 'postgres']),
  files: z.enum(FILES_PLACES),
  /** The folder or the bucket; absent where the files are in the database. */
  files_at: z.string().optional(),
  verdict: z.enum(['ok', 'ok_since', 'damaged', 'partly_checked', 'nothing_checked', 'nothing_new']),
  /** Only what was added or changed since `time` was checked: rows above these numbers, and those that later events name. */
  since: z.object({ time: z.string(), messages: count, attachments: count, events: count }).optional(),
  /** When a check that was interrupted and continued began. */
  began_at: z.string().optional(),
  checks: z.array(
    z.object({
      name: z.enum(FSCK_CHECKS),
      looked: count,
    }),
  ),
  not_indexed: count.optional(),
  bytes: count,
  findings: z.array(
    z.object({
      check: z.enum(FSCK_CHECKS),
      problem: z.string(),
      severity: z.enum(['damage', 'notice']),
      count,
      subjects: z.array(z.string()),
      attachments: z
        .array(
          z.object({
            sha256: z.string(),
            count,
            named: z.array(z.object({ id: z.string(), filename: z.string() })),
          }),
        )
        .optional(),
    }),
  ),
  unchecked: z.array(z.object({ check: z.string(), subject: z.string(), error: z.string() })).optional(),
  unchecked_is_explained: z.boolean().optional(),
});
export type FsckReport = z.infer<typeof FsckReport>;

const CopiedFiles = z.object({
  count,
  bytes: count,
  copied: count,
  copied_bytes: count,
  damaged: count,
  damaged_files: z.array(z.string()),
});

const CopyPlace = z.object({ engine: z.enum(['sqlite', 'postgres']), files: z.enum(FILES_PLACES) });

/**
 * `arx archive copy -o json`. `taken_at` is the instant whose state was copied. `copied` counts what this run stored; the rest was
 * there from a run that was interrupted. `sha256` of a table is that of its rows, null for the stored bytes of messages, which `fsck`
 * compares with their hashes; `equal` compares source and target. `damaged` files are missing in the source or have other bytes
 * than those of import. A list is compared page by page, as the highest tier reads it. `left_out` names what a copy does not have.
 */
export const ArchiveCopyReport = z.object({
  version,
  /** Nothing was written: the counts are those of a copy. */
  dry_run: z.literal(true).optional(),
  from: CopyPlace,
  to: CopyPlace,
  taken_at: z.string(),
  resumed: z.boolean(),
  tables: z.array(
    z.object({
      name: z.string(),
      rows: count,
      copied: count,
      sha256: z.string().nullable(),
      equal: z.boolean().nullable(),
    }),
  ),
  files: CopiedFiles,
  lists: z.array(
    z.object({ name: z.string(), pages: count, rows: count, sha256: z.string(), equal: z.boolean() }),
  ),
  fsck: FsckReport.nullable(),
  left_out: z.array(z.string()),
  verdict: z.enum(['equal', 'different', 'not_copied']),
});
export type ArchiveCopyReport = z.infer<typeof ArchiveCopyReport>;

/**
 * `arx blobs move -o json`. `from` and `to` name a folder or a bucket, or are `database`. `copied` counts what this run stored; the rest
 * was there from an earlier run. `damaged` files are missing in the old place or have other bytes than those of import; without
 * `--leave-damaged` they keep the files from being moved.
 */
export const FilesMoveReport = z.object({
  version,
  /** Nothing was written: the counts are those of a move. */
  dry_run: z.literal(true).optional(),
  from: z.string(),
  to: z.string(),
  files: CopiedFiles,
  verdict: z.enum(['moved', 'there_already', 'not_moved']),
});
export type FilesMoveReport = z.infer<typeof FilesMoveReport>;

/**
 * `arx archive upgrade -o json`. `current`: archives whose tables had the newest version. `failed` names the others, which are as they
 * were; the same command continues.
 */
export const ArchiveUpgradeReport = z.object({
  version,
  /** Nothing was changed: `upgraded` are those that would be. */
  dry_run: z.literal(true).optional(),
  archives: count,
  current: count,
  upgraded: count,
  failed: z.array(z.object({ name: z.string(), problem: z.string() })),
});
export type ArchiveUpgradeReport = z.infer<typeof ArchiveUpgradeReport>;

/**
 * `arx archive move -o json`. `there`: archives that were moved before. `failed` names those that stayed where they were.
 */
export const ArchiveMoveReport = z.object({
  version,
  /** Nothing was changed: `moved` are those that would be. */
  dry_run: z.literal(true).optional(),
  moved: z.array(z.string()),
  there: z.array(z.string()),
  failed: z.array(z.object({ name: z.string(), problem: z.string() })),
});
export type ArchiveMoveReport = z.infer<typeof ArchiveMoveReport>;
