// A thread, or one message, as an HTML page.
import type { App } from '../../app.ts';
import type { ReadMessage } from '../../contract/reports/reading.ts';
import { plural } from '../../format/numbers.ts';
import type { ThreadHead } from '../../format/thread.ts';
import type { Thread } from '../read/read-thread.ts';
import type { ThreadFiles } from './export-files.ts';

/** Returns what stands above the messages of a thread. */
export function headOf({ conversation, messages, fault }: Thread): ThreadHead {
  const { id, subject, source } = conversation;
  return {
    title: subject ?? id,
    facts: [
      `Conversation ${id}${source === undefined ? '' : `, from ${source}`}`,
      plural(messages.length, 'message'),
    ],
    doubts: fault === undefined ? [] : [fault.message],
  };
}

/** Yields the page. `onMessage` is called before each message and returns its number. */
export async function* pageOf(
  head: ThreadHead,
  messages: AsyncIterable<ReadMessage> | Iterable<ReadMessage>,
  files: ThreadFiles,
  onMessage: (message: ReadMessage) => number,
  app: App,
): AsyncGenerator<Buffer> {
  const { threadFrame, threadMessage } = await import('../../format/html/thread-page.ts');
  const { before, behind } = threadFrame(head, app.version);
  yield Buffer.from(before);
  for await (const message of messages) {
    const number = onMessage(message);
    for (const piece of threadMessage(message, number, await files.styleOf(message)))
      yield Buffer.from(piece);
  }
  yield Buffer.from(behind);
}
