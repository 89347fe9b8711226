// Reads pages of the list of events, which other services than ours need not have.
import { MISSING_STATUS } from '../../capabilities/unsupported-status.ts';
import type { Client, Query } from '../../client/index.ts';
import { Fault } from '../../faults.ts';

/** Reads a page. Throws Fault 'not_found' where the service has no such list. */
export async function readEvents(client: Client, query: Query): ReturnType<Client['events']> {
  try {
    return await client.events(query);
  } catch (error) {
    if (!(error instanceof Fault) || error.detail.isFromOurService === true) throw error;
    const isWindow = query['starting_after'] !== undefined || query['ending_before'] !== undefined;
    if (isWindow || !MISSING_STATUS.has(error.detail.status ?? 0)) throw error;
    throw new Fault('not_found', 'this service has no list of events', {
      ...error.detail,
      hint: 'the acknowledgement of an event is all that is known of it',
    });
  }
}
