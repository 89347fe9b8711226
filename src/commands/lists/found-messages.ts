// Every message that a search finds, for commands that do something with them.
import type { App } from '../../app.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import type { SearchHit } from '../../contract/search/search.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { checkQuery, firstPage, hiddenFiles, isKnown, readPage, sayWhyNone } from '../search.ts';

/** What a search finds. `areAll`: every message was searched. */
export type FoundMessages = { areAll: boolean; hits: AsyncIterable<SearchHit> };

/**
 * Returns the messages that a query finds. Throws Fault 'usage' for a wrong query, 'not_found' where the service has no search, and the
 * Faults of requests. Messages that are not indexed yet are Fault 'partial' of the run.
 */
export async function foundMessages(q: string, app: App): Promise<FoundMessages> {
  const query = checkQuery(q, app, { name: '--matching' });
  const client = await app.client();
  const asked = { q, sort: 'oldest', limit: PAGE_LIMIT.maximum, snippets: false };
  const first = await firstPage(client, asked, app);
  const hidden = await hiddenFiles(first, query, undefined, client, app);
  await sayWhyNone(query, first, client, app, { hidden });
  const missing = first.index.of - first.index.indexed;
  if (missing > 0)
    app.addFault(new Fault('partial', `${plural(missing, 'message')} not indexed yet, so not found`));
  return { areAll: isKnown(first, query, undefined, hidden), hits: hits() };

  async function* hits(): AsyncGenerator<SearchHit> {
    for (let page = first; ;) {
      yield* page.data;
      const last = page.data.at(-1);
      if (!page.has_more || last === undefined) return;
      page = await readPage(client, { ...asked, starting_after: last.id });
    }
  }
}
