// Messages and conversations as stored: single rows, stored bytes, and windows in their stable orders.
import type { Tier } from '../../../contract/token.ts';
import type { Statements } from '../sql/database.ts';
import { readSpan, readPageRows, type Condition, type Span } from '../sql/keyset.ts';
import { conversationJson } from '../../records/conversation.ts';
import { messageJson, MESSAGES, type MessageRow } from '../../records/message.ts';
import { forReaders } from '../../records/reader.ts';

export function findMessage(statements: Statements, n: number): Promise<MessageRow | undefined> {
  return statements.get<MessageRow>(`SELECT ${MESSAGES.select} FROM messages WHERE n = $1`, [n]);
}

/** The two numbers that say where a message stands, and its conversation. */
export type MessagePosition = Pick<MessageRow, 'n' | 'sequence' | 'conversation'>;

export function messagePosition(statements: Statements, n: number): Promise<MessagePosition | undefined> {
  return statements.get<MessagePosition>('SELECT n, sequence, conversation FROM messages WHERE n = $1', [n]);
}

export async function hasConversation(statements: Statements, n: number): Promise<boolean> {
  return (await statements.get('SELECT n FROM conversations WHERE n = $1', [n])) !== undefined;
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

/** Whose messages, all where undefined, and as what reader they are shown to; see records/page-json.ts. */
export type Asked = { conversation?: number | undefined; reader: Tier };

const MESSAGE_LISTS = forReaders((reader) => `SELECT ${messageJson(reader)} AS json FROM messages m`);
const OPENING_LISTS = forReaders(
  (reader) =>
    `SELECT ${messageJson(reader)} AS json FROM conversations c JOIN messages m ON m.n = c.first_message`,
);
const CONVERSATION_LISTS = forReaders(
  (reader) => `SELECT ${conversationJson(reader)} AS json FROM conversations c
    LEFT JOIN messages f ON f.n = c.first_message`,
);

/** Messages in the order (sequence, n), which are the two numbers of a span's keys. */
export function readMessages(statements: Statements, { conversation, reader }: Asked, span: Span) {
  const where = conversation === undefined ? [] : [isNumber('m.conversation', conversation)];
  const rows = { table: 'messages', key: ['sequence', 'n'] };
  return readPageRows(
    statements,
    { select: MESSAGE_LISTS[reader], key: ['m.sequence', 'm.n'], where, rows },
    span,
  );
}

/** The first message of each conversation in the order of conversations, whose number is a span's key. */
export function readFirstMessages(statements: Statements, { conversation, reader }: Asked, span: Span) {
  const where = conversation === undefined ? [] : [isNumber('c.n', conversation)];
  const rows = { table: 'messages', key: ['conversation'] };
  return readPageRows(statements, { select: OPENING_LISTS[reader], key: ['c.n'], where, rows }, span);
}

/** Conversations by their number, which is a span's key. */
export function readConversations(statements: Statements, { conversation, reader }: Asked, span: Span) {
  const where = conversation === undefined ? [] : [isNumber('c.n', conversation)];
  const rows = { table: 'conversations', key: ['n'] };
  return readPageRows(statements, { select: CONVERSATION_LISTS[reader], key: ['c.n'], where, rows }, span);
}

/** The numbers of the conversations in a span. */
export async function conversationNumbers(statements: Statements, span: Span): Promise<number[]> {
  const read = { select: 'SELECT n FROM conversations', key: ['n'], where: [] };
  return (await readSpan<{ n: number }>(statements, read, span)).rows.map(({ n }) => n);
}

function isNumber(column: string, n: number): Condition {
  return { sql: `${column} = $1`, values: [n] };
}
