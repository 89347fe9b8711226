// What a journal says was sent, held against what the service holds: each event once, and all that is found of it.
import type { Client } from '../../client/index.ts';
import type { Envelope } from '../../contract/event.ts';
import { LIMIT } from '../../contract/quantity.ts';
import { Finding } from '../../contract/reconciliation.ts';
import { Fault } from '../../faults.ts';
import type { Entry } from './journal.ts';

/** One event of the journal; `order` is its place among the first sendings. */
type Known = {
  order: number;
  sendings: number;
  /** Of what was acknowledged, else of what was sent last. */
  digest: string;
  isAcknowledged: boolean;
  isRefused: boolean;
  hasOtherBody: boolean;
  effect: string | undefined;
};

export type Survey = {
  sent: number;
  acknowledged: number;
  indexed: number;
  others: number;
  counts: Partial<Record<Finding, number>>;
  events: { id: string; finding: Finding }[];
  /** Digests of what must be sent again, by id. */
  missing: Map<string, string>;
};

/** Events named for one kind of finding. */
const MOST_NAMED = 1_000;

/** Reads the journal to its end, then the service's index. Throws Faults as both do. */
export async function surveyOf(journal: AsyncIterable<Entry>, client: Client): Promise<Survey> {
  const known = new Map<string, Known>();
  for await (const entry of journal) note(known, entry);
  const counts: Survey['counts'] = {};
  const named: Partial<Record<Finding, string[]>> = {};
  const find = (id: string, finding: Finding): void => {
    counts[finding] = (counts[finding] ?? 0) + 1;
    const ids = (named[finding] ??= []);
    if (ids.length < MOST_NAMED) ids.push(id);
  };
  let others = 0;
  let furthest = -1;
  for await (const { id, effect, deliveries = 1 } of indexOf(client)) {
    const event = known.get(id);
    if (event === undefined) {
      others += 1;
      continue;
    }
    event.effect = effect ?? 'recorded';
    if (deliveries > 1) find(id, 'delivered_again');
    if (event.order < furthest) find(id, 'out_of_order');
    furthest = Math.max(furthest, event.order);
  }
  const missing = new Map<string, string>();
  const totals = { acknowledged: 0, indexed: 0 };
  for (const [id, event] of known) {
    if (event.isAcknowledged) totals.acknowledged += 1;
    if (event.effect !== undefined) totals.indexed += 1;
    const finding = findingOf(event);
    if (finding !== undefined) find(id, finding);
    if (finding === 'not_indexed' || finding === 'unacknowledged' || finding === 'dead') {
      missing.set(id, event.digest);
    }
    if (event.sendings > 1) find(id, 'sent_again');
    if (event.hasOtherBody) find(id, 'other_body');
  }
  const events = Finding.options.flatMap((finding) => (named[finding] ?? []).map((id) => ({ id, finding })));
  return { sent: known.size, ...totals, others, counts, events, missing };
}

function note(known: Map<string, Known>, entry: Entry): void {
  const id = entry.type === 'sent' ? entry.event.id : entry.id;
  const { digest } = entry;
  let event = known.get(id);
  if (event === undefined) {
    event = {
      order: known.size,
      sendings: 0,
      digest,
      isAcknowledged: false,
      isRefused: false,
      hasOtherBody: false,
      effect: undefined,
    };
    known.set(id, event);
  }
  if (event.digest !== digest) event.hasOtherBody = true;
  if (entry.type === 'sent') event.sendings += 1;
  if (entry.type === 'refused') event.isRefused = true;
  if (entry.type === 'acked') event.isAcknowledged = true;
  if (entry.type === 'acked' || !event.isAcknowledged) event.digest = digest;
}

/** What is found of an event where it should be. An acknowledgement says more than a refusal of another sending. */
function findingOf({ effect, isAcknowledged, isRefused }: Known): Finding | undefined {
  if (effect === undefined) {
    if (isAcknowledged) return 'not_indexed';
    return isRefused ? 'refused' : 'unacknowledged';
  }
  if (effect === 'dead' || effect === 'queued' || effect === 'waiting') return effect;
  if (isAcknowledged) return undefined;
  return isRefused ? 'refused' : 'lost_acknowledgement';
}

/** All events that the service holds, in the order of their arrival. Throws Fault `protocol` for a list without an end. */
async function* indexOf(client: Client): AsyncGenerator<Envelope> {
  for (let after: string | undefined; ;) {
    const { body } = await client.events({
      limit: LIMIT.maximum,
      ...(after === undefined ? {} : { starting_after: after }),
    });
    yield* body.data;
    const last = body.data.at(-1)?.id;
    if (body.has_more !== true || last === undefined) return;
    if (last === after) throw new Fault('protocol', `the list of events does not go on after ${last}`);
    after = last;
  }
}
