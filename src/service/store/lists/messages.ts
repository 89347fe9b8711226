// Reads messages and conversations: single rows, stored bytes, and windows of the lists.
import type { Tier } from '../../../contract/tier.ts';
import type { Statements } from '../sql/database.ts';
import { readSpan, readPageRows, type Condition, type Span } from '../sql/keyset.ts';
import { conversationJson } from '../../records/conversation.ts';
import { messageJson, MESSAGES, type MessageRow } from '../../records/message.ts';
import { statementFor } from '../../records/reader.ts';

/** Returns the message with this number. */
export function findMessage(statements: Statements, n: number): Promise<MessageRow | undefined> {
  return statements.get<MessageRow>(`SELECT ${MESSAGES.select} FROM messages WHERE n = $1`, [n]);
}

/** A message with its stored bytes, null where they are lost, and 1 where it has files. */
type StoredMessage = MessageRow & { content: Uint8Array | null; has_files: number };

/** Returns the message with this number and its bytes in one statement. */
export function findStoredMessage(statements: Statements, n: number): Promise<StoredMessage | undefined> {
  return statements.get<StoredMessage>(
    `SELECT ${MESSAGES.select}, (SELECT content FROM raws WHERE raws.n = messages.n) AS content,
      CASE WHEN EXISTS (SELECT 1 FROM attachments a WHERE a.message = messages.n) THEN 1 ELSE 0 END AS has_files
      FROM messages WHERE n = $1`,
    [n],
  );
}

/** The key of a message in the list, and its conversation. */
export type MessagePosition = Pick<MessageRow, 'n' | 'sequence' | 'conversation'>;

/** Returns the position of the message with this number. */
export function messagePosition(statements: Statements, n: number): Promise<MessagePosition | undefined> {
  return statements.get<MessagePosition>('SELECT n, sequence, conversation FROM messages WHERE n = $1', [n]);
}

/** Returns whether there is a conversation with this number. */
export async function hasConversation(statements: Statements, n: number): Promise<boolean> {
  return (await statements.get('SELECT n FROM conversations WHERE n = $1', [n])) !== undefined;
}

/** Returns the stored bytes of a message, none where they are lost. */
export async function storedBytes(statements: Statements, n: number): Promise<Uint8Array> {
  const row = await statements.get<{ content: Uint8Array }>('SELECT content FROM raws WHERE n = $1', [n]);
  return row?.content ?? new Uint8Array();
}

/** Returns the size of the stored bytes of a message, 0 where they are lost. */
export async function storedSize(statements: Statements, n: number): Promise<number> {
  const row = await statements.get<{ size: number }>(
    'SELECT length(content) AS size FROM raws WHERE n = $1',
    [n],
  );
  return row?.size ?? 0;
}

/** Returns at most `count` stored bytes from offset `from` on. */
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

/** The conversation to read, all by default, and the tier of the reader. */
export type ListOptions = { conversation?: number | undefined; reader: Tier };

const MESSAGE_LISTS = statementFor((reader) => `SELECT ${messageJson(reader)} AS json FROM messages m`);
const OPENING_LISTS = statementFor(
  (reader) =>
    `SELECT ${messageJson(reader)} AS json FROM conversations c JOIN messages m ON m.n = c.first_message`,
);
const CONVERSATION_LISTS = statementFor(
  (reader) => `SELECT ${conversationJson(reader)} AS json FROM conversations c
    LEFT JOIN messages f ON f.n = c.first_message`,
);

/** Returns a window of messages in the order (sequence, n). These are the keys of the span. */
export function readMessages(statements: Statements, { conversation, reader }: ListOptions, span: Span) {
  const within = conversation === undefined ? undefined : { column: 'm.conversation', value: conversation };
  const rows = { table: 'messages', key: ['sequence', 'n'] };
  return readPageRows(
    statements,
    { select: MESSAGE_LISTS(reader), key: ['m.sequence', 'm.n'], where: [], within, rows },
    span,
  );
}

/** Returns a window of the first messages of all conversations. The number of the conversation is the key of the span. */
export function readFirstMessages(statements: Statements, { conversation, reader }: ListOptions, span: Span) {
  const where = conversation === undefined ? [] : [isNumber('c.n', conversation)];
  const rows = { table: 'messages', key: ['conversation'] };
  return readPageRows(statements, { select: OPENING_LISTS(reader), key: ['c.n'], where, rows }, span);
}

/** Returns a window of conversations in the order of their numbers, which are the keys of the span. */
export function readConversations(statements: Statements, { conversation, reader }: ListOptions, span: Span) {
  const where = conversation === undefined ? [] : [isNumber('c.n', conversation)];
  const rows = { table: 'conversations', key: ['n'] };
  return readPageRows(statements, { select: CONVERSATION_LISTS(reader), key: ['c.n'], where, rows }, span);
}

/** Returns the numbers of the conversations in a window. */
export async function conversationNumbers(statements: Statements, span: Span): Promise<number[]> {
  const read = { select: 'SELECT n FROM conversations', columns: ['n'] as const, key: ['n'], where: [] };
  return (await readSpan<{ n: number }>(statements, read, span)).rows.map(({ n }) => n);
}

function isNumber(column: string, n: number): Condition {
  return { sql: `${column} = $1`, values: [n] };
}
