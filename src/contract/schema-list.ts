// Every record and report of the contract by name. A JSON Schema is generated for each.
import * as z from 'zod';
import { Attachment } from './attachment.ts';
import { Asset, Carrier, LoreRecord, Pipeline, RawRecord } from './content.ts';
import { Conversation, Message } from './conversation.ts';
import { ErrorBody } from './error.ts';
import {
  Acknowledgement,
  BatchAcknowledgement,
  Envelope,
  IngestRequest,
  PAYLOADS,
  RefusedEvent,
} from './event.ts';
import {
  FrozenWalkCompletion,
  FrozenWalkSubject,
  FrozenWalkUnresolved,
  FrozenWindowLine,
} from './frozen-log.ts';
import { Health, Probe } from './health.ts';
import { Integrity } from './scalars.ts';
import { ReconcileReport } from './reports/reconcile.ts';
import { DiffReport, FrozenWalk, PlotReport, WalkedWindow, WalkReport } from './reports/walk.ts';
import { ExitRecord, Listening } from './reports/command.ts';
import { BackupReport, FsckReport, ImportReport } from './reports/archive.ts';
import { ServiceReport } from './reports/service.ts';
import { ExportReport, PullPlan, PullReport, VerifyReport } from './reports/files.ts';
import { Position, Sequence } from './sequence.ts';
import { Token, TokenRequest } from './token.ts';

/** The schema of a list as our service sends it. A client accepts other bodies too: see list.ts. */
const sent = <Row extends z.ZodType>(row: Row) =>
  z.looseObject({
    object: z.literal('list'),
    status: z.enum(['stable', 'partial']),
    data: z.array(row),
    has_more: z.boolean(),
    drift_ratio: z.number().min(0).max(1),
    integrity: Integrity,
  });

const MessageList = sent(Message);

/** Records of the wire, by the name of their schema. */
export const RECORDS = {
  TokenRequest,
  Token,
  Attachment,
  AttachmentList: sent(Attachment),
  LoreRecord,
  RawRecord,
  LoreContent: z.looseObject({ view: z.literal('lore'), data: LoreRecord }),
  RawContent: z.looseObject({ view: z.literal('raw'), data: RawRecord }),
  Pipeline,
  Asset,
  Carrier,
  Sequence,
  Position,
  Health,
  Probe,
  IngestRequest,
  Acknowledgement,
  BatchAcknowledgement,
  Envelope,
  EnvelopeList: sent(Envelope),
  MessageReordered: PAYLOADS['message.reordered'],
  AttachmentReclassified: PAYLOADS['attachment.reclassified'],
  ContactFlagged: PAYLOADS['contact.flagged'],
  SequenceDiverged: PAYLOADS['sequence.diverged'],
  MirrorDetected: PAYLOADS['mirror.detected'],
  Conversation,
  ConversationList: sent(Conversation),
  ConversationWithMessages: Conversation.extend({ messages: MessageList }),
  Message,
  MessageList,
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
  VerifyReport,
  PullReport,
  PullPlan,
  BackupReport,
  ExportReport,
  FsckReport,
  ImportReport,
  ReconcileReport,
  ServiceReport,
  RefusedEvent,
  Listening,
  ExitRecord,
  FrozenWindowLine,
  FrozenWalkSubject,
  FrozenWalkCompletion,
  FrozenWalkUnresolved,
} as const satisfies Record<string, z.ZodType>;
