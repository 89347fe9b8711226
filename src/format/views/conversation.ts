// How conversations and messages are shown; a single conversation as its thread (interface 4.7, 4.8).
import type { Conversation, Message } from '../../contract/conversation.ts';
import { UTC_INSTANTS, zonedInstant, type InstantStyle } from '../instants.ts';
import { plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { textWidth } from '../terminal/escape.ts';
import { plainText, spansOf, truncateLine, type Line } from '../terminal/styled-line.ts';
import { answersMark, treeLines, type Branch } from '../terminal/tree.ts';
import { keyLines, type View } from './view.ts';
import { viewForRows } from './columns-for-rows.ts';
import { ID, instants, integrityColumn, isNumber, statusStyle } from './shared-columns.ts';

/** A conversation. */
export const conversationView: View<Conversation> = {
  columns: [
    { name: 'id', of: (row) => row.id, ...ID },
    { name: 'sequence', of: (row) => row.sequence, align: 'right', detail: true },
    {
      name: 'messages',
      of: (row) => row.message_count,
      align: 'right',
      instead: { names: ['count'], fits: isNumber },
    },
    {
      name: 'started',
      of: (row) => row.started_at,
      instant: (row) => row.started_at,
      instead: instants('start', 'started', 'date', 'timestamp'),
    },
    {
      name: 'last',
      of: (row) => row.last_at,
      instant: (row) => row.last_at,
      importance: 'low',
    },
    {
      name: 'subject',
      of: (row) => row.subject,
      minColumns: 20,
      importance: 'essential',
      instead: { names: ['name', 'label', 'summary'] },
    },
    {
      name: 'source',
      of: (row) => row.source,
      whole: true,
      importance: 'low',
      instead: { names: ['origin', 'channel', 'platform'] },
    },
    {
      name: 'status',
      of: (row) => row.status,
      style: (row) => statusStyle(row.status),
      whole: true,
      instead: { names: ['state'] },
    },
    { name: 'first_message', of: (row) => row.first_message_id, detail: true },
    { ...integrityColumn, importance: 'low' },
  ],
};

/** A message. */
export const messageView: View<Message> = {
  columns: [
    { name: 'id', of: (row) => row.id, ...ID },
    {
      name: 'date',
      of: (row) => row.date,
      instant: (row) => row.date,
    },
    {
      name: 'from',
      of: (row) => row.from,
      minColumns: 12,
      instead: { names: ['sender', 'author', 'user', 'created_by'] },
    },
    {
      name: 'subject',
      of: (row) => row.subject,
      minColumns: 20,
      importance: 'essential',
      instead: { names: ['snippet', 'excerpt', 'preview', 'summary'] },
    },
    {
      name: 'files',
      of: (row) => row.attachments,
      align: 'right',
      importance: 'low',
    },
    { name: 'entry', of: (row) => row.entry, whole: true, importance: 'low' },
    { name: 'source', of: (row) => row.source, whole: true, importance: 'low' },
    {
      name: 'status',
      of: (row) => row.status,
      style: (row) => statusStyle(row.status),
      whole: true,
      importance: 'low',
    },
    { name: 'channel', of: (row) => row.channel, detail: true },
    {
      name: 'conversation',
      of: (row) => row.conversation_id,
      detail: true,
      instead: { names: ['conversation', 'thread'] },
    },
    { name: 'parent', of: (row) => row.parent_id, detail: true },
    { ...integrityColumn, detail: true },
  ],
};

/** A message and its place beside the one that was asked for. */
export const neighbourView: View<Message & { offset: number }> = {
  columns: [
    {
      name: 'place',
      of: ({ offset }) => (offset > 0 ? `+${offset}` : offset),
      shown: ({ offset }) => (offset === 0 ? '>' : offset > 0 ? `+${offset}` : String(offset)),
      align: 'right',
      importance: 'essential',
      style: ({ offset }) => (offset === 0 ? 'match' : undefined),
    },
    ...messageView.columns,
  ],
};

/** A conversation's record with its messages in the field `messages`. Our own shape. */
export type ConversationWithMessages = Conversation & { messages: { data: readonly Message[] } };

/** A conversation with its messages, drawn as a thread. */
export const conversationWithMessagesView: View<ConversationWithMessages> = {
  columns: [
    ...conversationView.columns,
    { name: 'message_ids', of: (row) => row.messages.data.map((message) => message.id).join(',') },
  ],
  lines: (wire, canvas) => [
    ...keyLines(viewForRows(conversationView, [wire]).columns, wire, canvas),
    '',
    ...threadLines(wire.messages.data, canvas),
  ],
};

/** Columns of a line of a thread that are not indent: two ids, a date and a few letters of the sender. */
const MIN_LINE_COLUMNS = 48;

/** A thread is indented by this many levels at least, and at most. */
const MIN_LEVELS = 4;
const MAX_LEVELS = 40;

/** Fewer columns of a sender after a date say nothing. */
const MIN_SENDER_COLUMNS = 6;

/** Returns the lines of a thread. Where not every line has room for its date, no line has one: a part of a date is another date. */
function threadLines(messages: readonly Message[], canvas: Canvas): Line[] {
  const columns = canvas.columns ?? Infinity;
  const lines = treeLines(threadOf(messages, canvas, canvas.instants ?? UTC_INSTANTS), canvas);
  const toDate = (line: Line): Line => spansOf(line).slice(0, 4);
  const hasRoom = lines.every((line) => textWidth(plainText(toDate(line))) + MIN_SENDER_COLUMNS <= columns);
  const shown = hasRoom ? lines : treeLines(threadOf(messages, canvas, undefined), canvas);
  return shown.map((line) => truncateLine(line, columns));
}

/**
 * Without `instants` the dates are left out. A message is drawn below its parent only where the parent came earlier in the list, so a
 * cycle of parents cannot loop. Messages below the last level are drawn at it. Where the line above in the tree is not the parent,
 * the line names the parent.
 */
function threadOf(
  messages: readonly Message[],
  canvas: Canvas,
  instants: InstantStyle | undefined,
): Branch[] {
  type Node = { id: string; line: Line; children: Node[]; level: number; above: Node | undefined };
  const room = Math.floor(((canvas.columns ?? Infinity) - MIN_LINE_COLUMNS) / 3);
  const levels = Math.min(Math.max(room, MIN_LEVELS), MAX_LEVELS);
  const roots: Node[] = [];
  const nodes = new Map<string, Node>();
  const topics = new Map(messages.map((message) => [message.id, topicOf(message)]));
  for (const message of messages) {
    const parent = nodes.get(message.parent_id ?? '');
    const above = parent?.level === levels ? parent.above : parent;
    const answers = message.parent_id === above?.id ? undefined : (message.parent_id ?? undefined);
    const node: Node = {
      id: message.id,
      line: messageLine(message, {
        answers: answers === undefined ? '' : `  ${answersMark(answers, canvas)}`,
        answeredTopic: topics.get(message.parent_id ?? ''),
        instants,
      }),
      children: [],
      level: (above?.level ?? 0) + 1,
      above,
    };
    (above?.children ?? roots).push(node);
    nodes.set(message.id, node);
  }
  return roots;
}

/** A reply shows its subject only where it differs from the subject of its parent. */
function messageLine(
  message: Message,
  {
    answers,
    answeredTopic,
    instants,
  }: { answers: string; answeredTopic: string | undefined; instants: InstantStyle | undefined },
): Line {
  const date = message.date == null || instants === undefined ? '' : zonedInstant(message.date, instants);
  const files = message.attachments ?? 0;
  const isNew = topicOf(message) !== answeredTopic;
  return [
    { text: message.id, style: 'id' },
    { text: answers, style: 'dim' },
    { text: instants === undefined ? '  ' : `  ${date}  `, style: 'dim' },
    message.from ?? '',
    isNew ? { text: `  ${message.subject ?? ''}`, style: 'head' } : '',
    files > 0 ? { text: `  ${plural(files, 'file')}`, style: 'good' } : '',
  ];
}

function topicOf({ subject }: Message): string {
  return (subject ?? '').replace(/^(?:(?:re|aw|fwd?|sv|antw)(?:\[\d+\])?:\s*)+/i, '');
}
