// The record that each command prints, as a schema: `--fields` knows its names from here. Loaded only for that.
import * as z from 'zod';
import { SentAttachment } from '../contract/attachment.ts';
import { FILE_STATES } from '../contract/attachment-file.ts';
import { Content } from '../contract/content.ts';
import { Conversation, Message } from '../contract/conversation.ts';
import { Acknowledgement, SentEnvelope } from '../contract/event.ts';
import { RefusedEvent } from '../contract/ingest.ts';
import { Health } from '../contract/health.ts';
import {
  ArchiveCopyReport,
  BackupReport,
  FilesMoveReport,
  ArchiveMoveReport,
  ArchiveUpgradeReport,
  FsckReport,
  ImportReport,
} from '../contract/reports/archive.ts';
import { AttachmentCount } from '../contract/reports/attachment-count.ts';
import { Listening } from '../contract/reports/command.ts';
import {
  ExportReport,
  PlannedFile,
  PulledFile,
  PullPlan,
  PullReport,
  ThreadReport,
  VerifiedFile,
  VerifyReport,
} from '../contract/reports/files.ts';
import { MessageDiff, ViewDiff } from '../contract/reports/content-diff.ts';
import { ReadMessage } from '../contract/reports/reading.ts';
import { ReconcileReport } from '../contract/reports/reconcile.ts';
import { SequenceReading } from '../contract/reports/sequence-reading.ts';
import { ServiceFinding, ServiceReport } from '../contract/reports/service.ts';
import { DiffReport, PlotReport, WalkedWindow } from '../contract/reports/walk.ts';
import { ArchiveReport } from '../contract/reports/whole-archive.ts';
import { SearchCount, SearchHit, SearchPage } from '../contract/search/search.ts';
import { SentPosition } from '../contract/sequence.ts';
import { attachmentFacts } from './attachment-facts.ts';
import type { CommandWords } from './index.ts';

/** What decides which record a command prints. */
export type PrintingRun = {
  /** Arguments and options of the command, by name. */
  given: Readonly<Record<string, unknown>>;
  /** The output form has one row in each line, so that a report is printed as its rows. */
  isOneRowPerLine: boolean;
  isRemote: boolean;
  /** Which fields can be selected: also those that are read only if they are. */
  isSelection?: boolean;
};

const text = z.string();
const Count = z.number().int();
const CountedRows = z.object({ total: Count, complete: z.boolean() });
const DroppedArchive = z.object({
  name: text,
  state: text,
  schema: Count.nullable(),
  messages: Count.nullable(),
  attachments: Count.nullable(),
});
const ListedArchive = DroppedArchive.extend({ bytes: Count.nullable(), problem: text.nullable() });
const Check = z.object({ name: text, verdict: text, detail: text });
const Setting = z.object({
  key: text,
  value: z.union([text, z.number(), z.boolean()]).nullable(),
  origin: text,
});
const ChangedSetting = z.object({ key: text, value: text.nullable(), profile: text.nullable() });
const Identity = z.object({
  origin: text,
  profile: text,
  client_id: text,
  observer_tier: text,
  requested_tier: text,
  access_tier: text.optional(),
  given_tier: text.optional(),
  scope: z.array(text).optional(),
  expires_at: text.optional(),
  effective_expires_at: text.optional(),
  expired: z.boolean(),
  issued_by: text.optional(),
  timeline_offset_ms: z.number().optional(),
  session_drift_ms: z.number().optional(),
  source_integrity: z.number().optional(),
  obtained_at: text,
  clock_offset_ms: z.number(),
  stored_in: text,
});
const IssuedToken = z.object({
  id: text,
  client_id: text,
  access_tier: text,
  scope: z.array(text),
  issued_at: text,
  expires_at: text,
  expired: z.boolean(),
});
const Change = z.object({
  change: text,
  id: text,
  after_a: text.nullable().optional(),
  after_b: text.nullable().optional(),
  from: z.unknown().optional(),
  to: z.unknown().optional(),
  fields: z.array(text).optional(),
});
const LogVerdict = z.object({
  version: Count,
  verdict: text,
  base_url: text.nullable(),
  list: text.nullable(),
  complete: z.boolean().nullable(),
  finished_at: text.nullable(),
  confidence: z.number().nullable(),
  windows: Count,
  conversations: Count,
  withheld: Count,
  head: text.nullable(),
  torn: z.boolean(),
  problems: z.array(z.object({ what: text })),
});

const InstalledCompletion = z.object({
  shell: text,
  path: text,
  done: z.enum(['written', 'replaced', 'unchanged', 'removed', 'absent']),
  start_file: text.nullable(),
  lines: z.array(text),
  added: z.boolean(),
  loaded: z.boolean(),
  dry_run: z.boolean(),
});

/** `--fields` can select the state that the table shows. */
const sentAttachment = ({ isSelection = false }: PrintingRun): z.ZodType =>
  isSelection ? SentAttachment.extend({ state: z.enum(FILE_STATES) }) : SentAttachment;

type Printed = z.ZodType | ((run: PrintingRun) => z.ZodType | undefined) | undefined;

/** Undefined for commands that print bytes, or rows of any shape. */
const PRINTED: Record<CommandWords, Printed> = {
  login: Identity,
  logout: z.object({ origin: text, profile: text, forgotten: z.boolean() }),
  whoami: Identity,
  token: z.object({ access_token: text }),
  search: ({ given, isSelection }) =>
    given['count'] === true
      ? SearchPage.pick({ total: true, index: true }).extend({ complete: z.boolean() })
      : given['facet'] !== undefined
        ? SearchCount
        : given['snippets'] === false && isSelection !== true
          ? Message
          : SearchHit,
  'attachments ls': ({ given, isSelection = false }) => {
    if (given['count'] === true) return CountedRows;
    const { date, from, state } = attachmentFacts(given, () => isSelection);
    return SentAttachment.extend({
      ...(from ? { from: text.nullable() } : {}),
      ...(date ? { date: text.nullable() } : {}),
      ...(state ? { state: z.enum(FILE_STATES) } : {}),
    });
  },
  'attachments cities': AttachmentCount,
  'attachments types': AttachmentCount,
  'attachments sources': AttachmentCount,
  'attachments senders': AttachmentCount,
  'attachments show': sentAttachment,
  'attachments cat': undefined,
  'attachments pull': ({ given, isOneRowPerLine }) =>
    given['dryRun'] === true
      ? isOneRowPerLine
        ? PlannedFile
        : PullPlan
      : isOneRowPerLine
        ? PulledFile
        : PullReport,
  'attachments verify': ({ isOneRowPerLine }) => (isOneRowPerLine ? VerifiedFile : VerifyReport),
  'attachments export': ExportReport,
  read: ReadMessage,
  open: undefined,
  'content get': ({ given, isOneRowPerLine }) =>
    given['save'] === undefined ? Content : isOneRowPerLine ? PulledFile : PullReport,
  'content diff': z.union([ViewDiff, MessageDiff]),
  'conversations ls': ({ given }) =>
    given['count'] === true
      ? CountedRows
      : given['matching'] === undefined
        ? Conversation
        : Conversation.extend({ hits: Count }),
  'conversations show': Conversation.extend({
    messages: z.object({
      data: z.array(Message),
      summary: z.object({ rows: Count, complete: z.boolean() }),
    }),
  }),
  'conversations export': ThreadReport,
  'conversations walk': Conversation,
  'conversations verify': LogVerdict,
  'conversations diff': ({ isOneRowPerLine }) => (isOneRowPerLine ? Change : DiffReport),
  'conversations plot': ({ isOneRowPerLine }) => (isOneRowPerLine ? WalkedWindow : PlotReport),
  walk: undefined,
  'messages ls': ({ given }) => (given['count'] === true ? CountedRows : Message),
  'messages show': Message.extend({ offset: Count.optional() }),
  'sequence show': SentPosition,
  'sequence watch': SequenceReading,
  'events send': z.union([Acknowledgement, RefusedEvent]),
  'events types': z.object({
    type: text,
    meaning: text,
    payload: z.array(text),
    fields: z.array(z.object({ name: text, type: text, required: z.boolean() })),
  }),
  'events ls': SentEnvelope,
  'events reconcile': ReconcileReport,
  report: ArchiveReport,
  health: Health,
  doctor: ({ isOneRowPerLine, isRemote }) =>
    isRemote ? (isOneRowPerLine ? ServiceFinding : ServiceReport) : Check,
  'about api': z.object({ section: text, topic: text, fact: text, origin: text }),
  api: undefined,
  import: ImportReport,
  redact: sentAttachment,
  fsck: FsckReport,
  backup: BackupReport,
  'archive ls': ListedArchive,
  'archive create': z.object({ created: z.array(text), there: z.array(text) }),
  'archive copy': ArchiveCopyReport,
  'blobs move': FilesMoveReport,
  'tokens ls': IssuedToken,
  'tokens revoke': IssuedToken.extend({ revoked: z.boolean() }),
  'archive move': ArchiveMoveReport,
  'archive upgrade': ArchiveUpgradeReport,
  'archive drop': z.object({ dropped: z.boolean(), archives: z.array(DroppedArchive) }),
  serve: Listening,
  'config get': Setting,
  'config set': ChangedSetting,
  'config unset': ChangedSetting,
  'config ls': Setting,
  'config path': z.object({ config: text, tokens: text, archive: text }),
  'profile ls': z.object({ name: text, current: z.boolean(), base_url: text.nullable() }),
  'profile rm': z.object({ profile: text, settings: Count, tokens: Count, deleted: z.boolean() }),
  'profile use': z.object({ profile: text }),
  completion: ({ given }) =>
    ['install', 'uninstall'].includes(String(given['shell']))
      ? InstalledCompletion
      : z.object({ shell: text, script: text }),
  demo: undefined,
  explore: undefined,
};

/** Returns whether a command has the output form `sums`: whether it prints a report of files with their hashes. */
export function hasSums(words: CommandWords, run: PrintingRun): boolean {
  const printed = printedRecord(words, run);
  return printed === PullReport || printed === VerifyReport;
}

/** Returns the schema of the record that a command prints, undefined where its rows may have any fields. */
export function printedRecord(words: CommandWords, run: PrintingRun): z.ZodType | undefined {
  const printed = PRINTED[words];
  return typeof printed === 'function' ? printed(run) : printed;
}
