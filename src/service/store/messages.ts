// Messages and conversations as stored: single rows, stored bytes, and windows in their stable orders.
import type { Tier } from '../../contract/token.ts';
import type { Statements } from './database.ts';
import { readSpan, type Condition, type Span } from './window.ts';

export type MessageRow = {
  n: number;
  conversation: number;
  parent: number | null;
  sequence: number;
  date_ms: number | null;
  sender: string | null;
  subject: string | null;
  format: 'rfc822' | 'slack' | 'file';
  source: string;
  classification: string;
  raw_sha256: string;
  raw_bytes: number;
  attachments: number;
  tier: Tier;
  failed: number;
};

/** `tier` is that of the first message, whose subject the conversation bears. */
export type ConversationRow = {
  n: number;
  subject: string | null;
  source: string;
  first_message: number;
  message_count: number;
  started_ms: number | null;
  last_ms: number | null;
  failed: number;
  tier: Tier | null;
};

const MESSAGE_COLUMNS = `m.n, m.conversation, m.parent, m.sequence, m.date_ms, m.sender, m.subject, m.format, m.source,
  m.classification, m.raw_sha256, m.raw_bytes, m.attachments, m.tier, m.failed`;
const MESSAGES = `SELECT ${MESSAGE_COLUMNS} FROM messages m`;
const OPENINGS = `SELECT ${MESSAGE_COLUMNS} FROM conversations c JOIN messages m ON m.n = c.first_message`;
const CONVERSATIONS = `SELECT c.n, c.subject, c.source, c.first_message, c.message_count, c.started_ms, c.last_ms,
  c.failed, f.tier FROM conversations c LEFT JOIN messages f ON f.n = c.first_message`;

export function findMessage(statements: Statements, n: number): Promise<MessageRow | undefined> {
  return statements.get<MessageRow>(`${MESSAGES} WHERE m.n = $1`, [n]);
}

export function findConversation(statements: Statements, n: number): Promise<ConversationRow | undefined> {
  return statements.get<ConversationRow>(`${CONVERSATIONS} WHERE c.n = $1`, [n]);
}

/** The bytes of a message as they are stored now; empty where they are lost. */
export async function storedBytes(statements: Statements, n: number): Promise<Uint8Array> {
  const row = await statements.get<{ content: Uint8Array }>('SELECT content FROM raws WHERE n = $1', [n]);
  return row?.content ?? new Uint8Array();
}

/** How many bytes of a message are stored now; 0 where they are lost. */
export async function storedSize(statements: Statements, n: number): Promise<number> {
  const row = await statements.get<{ size: number }>(
    'SELECT length(content) AS size FROM raws WHERE n = $1',
    [n],
  );
  return row?.size ?? 0;
}

/** At most `count` stored bytes from `from` on. */
export async function storedPiece(
  statements: Statements,
  n: number,
  from: number,
  count: number,
): Promise<Uint8Array> {
  const row = await statements.get<{ piece: Uint8Array }>(
    'SELECT substr(content, $2, $3) AS piece FROM raws WHERE n = $1',
    [n, from + 1, count],
  );
  return row?.piece ?? new Uint8Array();
}

/** Messages in the order (sequence, n), which are the two numbers of a span's keys. */
export function readMessages(statements: Statements, conversation: number | undefined, span: Span) {
  const where: Condition[] =
    conversation === undefined ? [] : [{ sql: 'm.conversation = $1', values: [conversation] }];
  return readSpan<MessageRow>(statements, { select: MESSAGES, key: ['m.sequence', 'm.n'], where }, span);
}

/** The first message of each conversation in the order of conversations, whose number is a span's key. */
export function readOpenings(statements: Statements, conversation: number | undefined, span: Span) {
  const where: Condition[] = conversation === undefined ? [] : [{ sql: 'c.n = $1', values: [conversation] }];
  return readSpan<MessageRow>(statements, { select: OPENINGS, key: ['c.n'], where }, span);
}

export function readConversations(statements: Statements, span: Span) {
  return readSpan<ConversationRow>(statements, { select: CONVERSATIONS, key: ['c.n'], where: [] }, span);
}
