// Finds out what an id is of: a message, a conversation or an attachment.
import type { App } from '../../app.ts';
import { nounInId } from '../../client/record-hint.ts';
import { Fault } from '../../faults.ts';
import { attachmentSource } from '../attachments/catalogue.ts';
import { findConversation } from '../conversations/conversation-messages.ts';
import { findRecord } from './find-record.ts';

/** What has an id. */
export type RecordKind = 'message' | 'conversation' | 'attachment';

/** Faults about one record, so that it may be one of another kind. */
const UNDECIDED = new Set(['not_found', 'partial', 'unstable', 'protocol']);

/**
 * Returns what an id is of. Where the id does not say it the service is asked, first for a message. Returns `message` where
 * nothing is found, so that reading it gives the error. Throws the Faults of requests.
 */
export async function recordKind(id: string, app: App): Promise<RecordKind> {
  const own = nounInId(id);
  if (own !== undefined) return own;
  const client = await app.client();
  const lookups: readonly [RecordKind, () => Promise<unknown>][] = [
    ['message', () => client.content(id, { view: 'raw' })],
    ['conversation', () => findConversation(id, client, app)],
    ['attachment', async () => findRecord(id, await attachmentSource(app), app)],
  ];
  for (const [kind, lookUp] of lookups) if (await isFound(lookUp, `${id} as ${kind}`, app)) return kind;
  return 'message';
}

async function isFound(lookUp: () => Promise<unknown>, what: string, app: App): Promise<boolean> {
  try {
    await lookUp();
    return true;
  } catch (error) {
    if (!(error instanceof Fault) || !UNDECIDED.has(error.kind)) throw error;
    app.log(`${what}: ${error.message}`);
    return false;
  }
}
