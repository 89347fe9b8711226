// The clients that a bench sets side by side over one served list: the walk, and three that believe what they read.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { createClient, type Client } from '../../src/client/index.ts';
import { createNetwork } from '../../src/client/network.ts';
import { conversationSource } from '../../src/commands/conversations/walk-source.ts';
import type { Conversation } from '../../src/contract/conversation.ts';
import { Fault } from '../../src/faults.ts';
import type { Source } from '../../src/walk/source.ts';
import type { CrossCheckMode } from '../../src/walk/decide/confirmation.ts';
import { walk } from '../../src/walk/walk.ts';

export type Place = { baseUrl: string; token: string };
/** What a client gave out in order, whether it said that this is all, and what it cost. */
export type Given = { ids: string[]; complete: boolean; requests: number; ms: number };

export const LIMIT = 100;
/** Pages after which a client that goes round in circles is stopped, and reads of one page. */
const MAX_PAGES = 200;
const MAX_READS = 20;

/** The walk with everything but a terminal; without `positions` its rows show none. */
export function walkList(place: Place, crossCheck: CrossCheckMode, positions: boolean): Promise<Given> {
  return throughClient(place, async (client, ids) => {
    const source = conversationSource(client);
    const { signal } = new AbortController();
    const steps = walk(positions ? source : withoutPositions(source), { limit: LIMIT, crossCheck, signal });
    for (;;) {
      const step = await steps.next();
      if (step.done === true) return step.value.fault === undefined;
      ids.push(...step.value.rows.map(({ id }) => id));
    }
  });
}

function withoutPositions(source: Source<Conversation>): Source<Conversation> {
  return {
    ...source,
    async page(query, signal) {
      const page = await source.page(query, signal);
      const rows = page.rows.map((row) => {
        const { sequence: _sequence, ...rest } = row;
        return rest;
      });
      return { ...page, rows };
    },
  };
}

/** Page after page until has_more is false, each asked for until `equal` answers in a row are the same. */
export function readPages(place: Place, equal: number): Promise<Given> {
  return throughClient(place, async (client, ids) => {
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const query = { limit: LIMIT, starting_after: ids.at(-1) };
      const read = async () => (await client.conversations(query)).body;
      let page = await read();
      for (let same = 1, reads = 1; same < equal && reads < MAX_READS; reads++) {
        const next = await read();
        same = JSON.stringify(next.data) === JSON.stringify(page.data) ? same + 1 : 1;
        page = next;
      }
      ids.push(...page.data.map(({ id }) => id));
      if (page.has_more !== true || page.data.length === 0) return true;
    }
    return false;
  });
}

/** The official SDK's automatic pagination, as its users have it; only the host is ours. */
export async function paginateWithStripe({ baseUrl, token }: Place): Promise<Given> {
  const { hostname, port } = new URL(baseUrl);
  const stripe = new Stripe(token, { host: hostname, port, protocol: 'http', telemetry: false });
  let requests = 0;
  stripe.on('request', () => requests++);
  const ids: string[] = [];
  const begun = performance.now();
  const rows = new Conversations(stripe).list({ limit: LIMIT });
  let complete = true;
  try {
    for await (const { id } of rows) if (ids.push(id) > MAX_PAGES * LIMIT) throw new Error('in circles');
  } catch {
    complete = false;
  }
  return { ids, complete, requests, ms: performance.now() - begun };
}

/** What the SDK has for its own lists, for ours. */
class Conversations extends Stripe.StripeResource {
  list(params: { limit: number }): AsyncIterable<{ id: string }> {
    // A resource's list methods are made so: the promise of the first page is an iterator over all rows.
    const page: unknown = this._makeRequest('GET', '/v1/conversations', params, {}, { methodType: 'list' });
    return page as AsyncIterable<{ id: string }>;
  }
}

/** `work` fills the ids and says whether they are all. Faults end it, everything else is thrown. */
async function throughClient(
  { baseUrl, token }: Place,
  work: (client: Client, ids: string[]) => Promise<boolean>,
): Promise<Given> {
  const network = await createNetwork({ connectTimeoutMs: 10_000, idleTimeoutMs: 20_000 });
  const given: Given = { ids: [], complete: false, requests: 0, ms: 0 };
  const client = createClient({
    baseUrl,
    transport: (request) => {
      given.requests++;
      return network.transport(request);
    },
    bearer: async () => token,
    world: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      sleep: (ms) => sleep(ms),
      randomBytes,
      signal: new AbortController().signal,
    },
  });
  const begun = performance.now();
  try {
    given.complete = await work(client, given.ids);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
  given.ms = performance.now() - begun;
  await network.close();
  return given;
}
