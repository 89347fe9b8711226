// Reads the content record of a message, also where a service answers 404 for other reasons than that it has no such message.
import type { App } from '../../app.ts';
import type { ForeignContent, Reply } from '../../client/index.ts';
import type { Content } from '../../contract/content.ts';
import type { WindowQuery } from '../../contract/window.ts';
import { Fault } from '../../faults.ts';
import { findRecord } from '../lists/find-record.ts';
import { withKindOfId } from '../lists/single-record.ts';

/** Which record of which message. */
export type ContentRequest = { message: string; view: 'raw' | 'lore'; pipeline: boolean; stego: boolean };

/** Returns a content record. Throws Fault `not_found` only where our service says that there is no such message, or the whole list of messages does. */
export async function readContent(input: ContentRequest, app: App): Promise<Reply<Content | ForeignContent>> {
  const client = await app.client();
  const { message, view, stego: include_stego, pipeline: include_pipeline } = input;
  try {
    const reply = await client.content(message, { view, include_stego, include_pipeline });
    const { id } = reply.body.data;
    if (id === undefined || id === message) return reply;
    throw new Fault('protocol', `asked for ${message}, the service answered with another record`);
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'not_found' || error.detail.isFromOurService)
      throw withKindOfId(error, 'message', message);
    app.log(`${message}: ${error.message}; the list of messages decides whether there is such a message`);
  }
  const page = async (window: WindowQuery) => (await client.messages(window)).body;
  await findRecord(message, { noun: 'message', page }, app);
  throw new Fault('partial', `the service lists ${message} and has no content record of it`);
}
