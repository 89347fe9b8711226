// What a journal says was sent, held against what the service holds: each event once, and all that is found of it.
import type { Client } from '../../client/index.ts';
import type { Envelope } from '../../contract/event.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { Finding } from '../../contract/reports/reconcile.ts';
import { Fault } from '../../faults.ts';
import type { JournalEntry } from './journal.ts';
import { EventTable } from './event-table.ts';

export type JournalComparison = {
  sent: number;
  acknowledged: number;
  indexed: number;
  others: number;
  counts: Partial<Record<Finding, number>>;
  events: { id: string; finding: Finding }[];
  /** How many must be sent again. */
  missing: number;
  /** Whether this one must be; true only once for each id. */
  takeMissing(id: string, digest: string): boolean;
};

/** Events named for one kind of finding. */
const MAX_NAMED_EVENTS = 1_000;

/** What is noted of an event. The digest is that of what was acknowledged, else of what was sent last. */
const SENT = 1;
const SENT_AGAIN = 2;
const ACKNOWLEDGED = 4;
const REFUSED = 8;
const OTHER_BODY = 16;
/** What the service holds of it: one of the effects that are told, or any other. */
const INDEXED = 32;
const EFFECTS = { dead: 64, queued: 128, waiting: 256 } as const;
const MISSING = 512;

/** Reads the journal to its end, then the service's index, then the journal once more for the names. Throws Faults as both do. */
export async function compareJournal(
  journal: () => AsyncIterable<JournalEntry>,
  client: Client,
): Promise<JournalComparison> {
  const ledger = new EventTable();
  for await (const entry of journal()) note(ledger, entry);
  const counts: JournalComparison['counts'] = {};
  const named: Partial<Record<Finding, string[]>> = {};
  const count = (finding: Finding) => void (counts[finding] = (counts[finding] ?? 0) + 1);
  const name = (id: string, finding: Finding): void => {
    const ids = (named[finding] ??= []);
    if (ids.length < MAX_NAMED_EVENTS) ids.push(id);
  };
  let others = 0;
  let furthest = -1;
  for await (const { id, effect, deliveries = 1 } of allEvents(client)) {
    const place = ledger.find(id);
    if (place === undefined) {
      others += 1;
      continue;
    }
    const told = effect === 'dead' || effect === 'queued' || effect === 'waiting' ? EFFECTS[effect] : 0;
    ledger.note(place, INDEXED | told);
    const findings: Finding[] = [];
    if (deliveries > 1) findings.push('delivered_again');
    if (place < furthest) findings.push('out_of_order');
    for (const finding of findings) {
      count(finding);
      name(id, finding);
    }
    furthest = Math.max(furthest, place);
  }
  const totals = { acknowledged: 0, indexed: 0 };
  let missing = 0;
  let toName = 0;
  for (let place = 0; place < ledger.size; place += 1) {
    const notes = ledger.notes(place);
    if ((notes & ACKNOWLEDGED) !== 0) totals.acknowledged += 1;
    if ((notes & INDEXED) !== 0) totals.indexed += 1;
    const findings = findingsOf(notes);
    for (const finding of findings) count(finding);
    toName += findings.length;
    if (findings.some((finding) => ['not_indexed', 'unacknowledged', 'dead'].includes(finding))) {
      missing += 1;
      ledger.note(place, MISSING);
    }
  }
  if (toName > 0) {
    let next = 0;
    for await (const entry of journal()) {
      const id = idOf(entry);
      if (ledger.find(id) !== next) continue;
      for (const finding of findingsOf(ledger.notes(next))) name(id, finding);
      next += 1;
    }
  }
  const events = Finding.options.flatMap((finding) => (named[finding] ?? []).map((id) => ({ id, finding })));
  const takeMissing = (id: string, digest: string): boolean => {
    const place = ledger.find(id);
    if (place === undefined || (ledger.notes(place) & MISSING) === 0 || !ledger.hasDigest(place, digest)) {
      return false;
    }
    ledger.forget(place, MISSING);
    return true;
  };
  return { sent: ledger.size, ...totals, others, counts, events, missing, takeMissing };
}

function idOf(entry: JournalEntry): string {
  return entry.type === 'sent' ? entry.event.id : entry.id;
}

function note(ledger: EventTable, entry: JournalEntry): void {
  const known = ledger.size;
  const place = ledger.add(idOf(entry));
  const { digest } = entry;
  if (place === known) ledger.setDigest(place, digest);
  if (!ledger.hasDigest(place, digest)) ledger.note(place, OTHER_BODY);
  const notes = ledger.notes(place);
  if (entry.type === 'sent') ledger.note(place, (notes & SENT) === 0 ? SENT : SENT_AGAIN);
  if (entry.type === 'refused') ledger.note(place, REFUSED);
  if (entry.type === 'acked') ledger.note(place, ACKNOWLEDGED);
  if (entry.type === 'acked' || (notes & ACKNOWLEDGED) === 0) ledger.setDigest(place, digest);
}

function findingsOf(notes: number): Finding[] {
  const state = stateOf(notes);
  return [
    ...(state === undefined ? [] : [state]),
    ...((notes & SENT_AGAIN) === 0 ? [] : ['sent_again' as const]),
    ...((notes & OTHER_BODY) === 0 ? [] : ['other_body' as const]),
  ];
}

/** What is found of an event where it should be. An acknowledgement says more than a refusal of another sending. */
function stateOf(notes: number): Finding | undefined {
  const isRefused = (notes & REFUSED) !== 0;
  const isAcknowledged = (notes & ACKNOWLEDGED) !== 0;
  if ((notes & INDEXED) === 0) {
    if (isAcknowledged) return 'not_indexed';
    return isRefused ? 'refused' : 'unacknowledged';
  }
  for (const effect of ['dead', 'queued', 'waiting'] as const)
    if ((notes & EFFECTS[effect]) !== 0) return effect;
  if (isAcknowledged) return undefined;
  return isRefused ? 'refused' : 'lost_acknowledgement';
}

/** All events that the service holds, in the order of their arrival. Throws Fault `protocol` for a list without an end. */
async function* allEvents(client: Client): AsyncGenerator<Envelope> {
  for (let after: string | undefined; ;) {
    const { body } = await client.events({
      limit: PAGE_LIMIT.maximum,
      ...(after === undefined ? {} : { starting_after: after }),
    });
    yield* body.data;
    const last = body.data.at(-1)?.id;
    if (body.has_more !== true || last === undefined) return;
    if (last === after) throw new Fault('protocol', `the list of events does not go on after ${last}`);
    after = last;
  }
}
