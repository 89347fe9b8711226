// Every record and report of the contract by name. A JSON Schema is generated for each.
import * as z from 'zod';
import { SentAttachment } from './attachment.ts';
import { Asset, Carrier, LoreRecord, Pipeline, RawRecord } from './content.ts';
import { Conversation, Message } from './conversation.ts';
import { ErrorBody } from './error.ts';
import { Acknowledgement, SentEnvelope } from './event.ts';
import { BatchAcknowledgement, IngestRequest, PAYLOADS, RefusedEvent } from './ingest.ts';
import {
  FrozenWalkCompletion,
  FrozenWalkSubject,
  FrozenWalkUnresolved,
  FrozenWindowLine,
} from './frozen-log.ts';
import { Health, Probe } from './health.ts';
import { sentListOf } from './list.ts';
import { MessageDiff, ViewDiff } from './reports/content-diff.ts';
import { ReadMessage } from './reports/reading.ts';
import { ReconcileReport } from './reports/reconcile.ts';
import { DiffReport, FrozenWalk, PlotReport, WalkedWindow, WalkReport } from './reports/walk.ts';
import { ExitRecord, Listening, ProgressRecord } from './reports/command.ts';
import {
  ArchiveCopyReport,
  BackupReport,
  FilesMoveReport,
  ArchiveMoveReport,
  ArchiveUpgradeReport,
  FsckReport,
  ImportReport,
} from './reports/archive.ts';
import { ArchiveReport } from './reports/whole-archive.ts';
import { SequenceReading } from './reports/sequence-reading.ts';
import { ServiceReport } from './reports/service.ts';
import { ExportReport, PullPlan, PullReport, ThreadReport, VerifyReport } from './reports/files.ts';
import { SearchCount, SearchHit, SearchPage } from './search/search.ts';
import { SentPosition, SentSequence } from './sequence.ts';
import { Token, TokenRequest } from './access-token.ts';

const MessageList = sentListOf(Message);

/** Records of the wire, by the name of their schema. */
export const RECORDS = {
  TokenRequest,
  Token,
  Attachment: SentAttachment,
  AttachmentList: sentListOf(SentAttachment),
  LoreRecord,
  RawRecord,
  LoreContent: z.looseObject({ view: z.literal('lore'), data: LoreRecord }),
  RawContent: z.looseObject({ view: z.literal('raw'), data: RawRecord }),
  Pipeline,
  Asset,
  Carrier,
  Sequence: SentSequence,
  Position: SentPosition,
  Health,
  Probe,
  IngestRequest,
  Acknowledgement,
  BatchAcknowledgement,
  Envelope: SentEnvelope,
  EnvelopeList: sentListOf(SentEnvelope),
  MessageReordered: PAYLOADS['message.reordered'],
  AttachmentReclassified: PAYLOADS['attachment.reclassified'],
  ContactFlagged: PAYLOADS['contact.flagged'],
  SequenceDiverged: PAYLOADS['sequence.diverged'],
  MirrorDetected: PAYLOADS['mirror.detected'],
  Conversation,
  ConversationList: sentListOf(Conversation),
  ConversationWithMessages: Conversation.extend({ messages: MessageList }),
  Message,
  MessageList,
  SearchHit,
  SearchCount,
  SearchPage,
  ErrorBody,
  ErrorDetail: ErrorBody.shape.error,
} as const satisfies Record<string, z.ZodType>;
/** The name of a record or report in {@link RECORDS}. */
export type RecordName = keyof typeof RECORDS;

/** JSON reports and files that commands write, by the name of their schema. */
export const REPORTS = {
  WalkReport,
  FrozenWalk,
  DiffReport,
  WalkedWindow,
  PlotReport,
  ArchiveReport,
  VerifyReport,
  PullReport,
  PullPlan,
  BackupReport,
  ArchiveCopyReport,
  FilesMoveReport,
  ArchiveMoveReport,
  ArchiveUpgradeReport,
  ExportReport,
  ThreadReport,
  FsckReport,
  ImportReport,
  MessageDiff,
  ViewDiff,
  ReadMessage,
  ReconcileReport,
  ServiceReport,
  SequenceReading,
  RefusedEvent,
  Listening,
  ExitRecord,
  ProgressRecord,
  FrozenWindowLine,
  FrozenWalkSubject,
  FrozenWalkCompletion,
  FrozenWalkUnresolved,
} as const satisfies Record<string, z.ZodType>;
