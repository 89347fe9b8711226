// The messages of a conversation as a person reads them, in the order of the thread.
import type { App } from '../../app.ts';
import type { Conversation, Message } from '../../contract/conversation.ts';
import type { ReadMessage } from '../../contract/reports/reading.ts';
import { Fault } from '../../faults.ts';
import { findConversation, readMessages } from '../conversations/conversation-messages.ts';
import { isOfOneRecord } from '../lists/single-record.ts';
import { readMessage, unreadable, type ReadOptions } from './read-message.ts';
import { threadOrder } from './thread-order.ts';

/** A conversation with its messages. `fault`: why these may not be all. */
export type Thread = { conversation: Conversation; messages: Message[]; fault: Fault | undefined };

/** Is told of the messages that are there so far. */
type OnRows = (rows: readonly Message[], conversation: Conversation) => void;

/** Returns a conversation with its messages. Throws as {@link findConversation}. */
export async function readThread(id: string, app: App, onRows?: OnRows): Promise<Thread> {
  return readThreadOf(await findConversation(id, await app.client(), app), app, onRows);
}

/** Returns this conversation with its messages. */
export async function readThreadOf(conversation: Conversation, app: App, onRows?: OnRows): Promise<Thread> {
  const { messages, fault } = await readMessages(
    conversation,
    await app.client(),
    app,
    onRows && ((rows) => onRows(rows, conversation)),
  );
  const isComplete =
    fault === undefined && (conversation.message_count ?? messages.length) === messages.length;
  const text = `${conversation.id}: the service does not prove that these are all its messages`;
  return {
    conversation,
    messages,
    fault: isComplete ? undefined : (fault ?? new Fault('partial', text)),
  };
}

/** Yields the messages of a thread, in its order. One that cannot be read has a problem, which is a Fault of the run too. */
export async function* threadMessages(
  messages: readonly Message[],
  options: ReadOptions,
  app: App,
): AsyncGenerator<ReadMessage> {
  for (const { row, depth } of threadOrder(messages)) yield { ...(await readRow(row, options, app)), depth };
}

/** Returns a message of a list. One that cannot be read keeps what the list says of it. */
export async function readRow(row: Message, options: ReadOptions, app: App): Promise<ReadMessage> {
  const message = await readOrProblem(row.id, options, app);
  if (message.problem === undefined) return message;
  return {
    ...message,
    conversation_id: row.conversation_id ?? null,
    parent_id: row.parent_id ?? null,
    from: row.from ?? null,
    date: row.date ?? null,
    subject: row.subject ?? null,
    channel: row.channel ?? null,
  };
}

/** Returns a message, or what is wrong with it, which is a Fault of the run then. */
export async function readOrProblem(id: string, options: ReadOptions, app: App): Promise<ReadMessage> {
  try {
    return await readMessage(id, options, app);
  } catch (error) {
    return problemOf(id, error, app);
  }
}

/** Returns what stands for a message or conversation that cannot be read; why is a Fault of the run then. Throws other errors. */
export function problemOf(id: string, error: unknown, app: App): ReadMessage {
  if (!isOfOneRecord(error)) throw error;
  app.addFault(error);
  return unreadable(id, error);
}
