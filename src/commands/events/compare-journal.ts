// Compares the events of a journal with the events that the service has.
import { readEvents } from './event-pages.ts';
import type { Client } from '../../client/index.ts';
import { isRefusedStatus } from '../../client/shapes/acceptance.ts';
import type { Envelope } from '../../contract/event.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { Finding } from '../../contract/reports/reconcile.ts';
import { PROBLEMS } from '../../contract/reports/reconcile-problems.ts';
import { Fault } from '../../faults.ts';
import type { JournalEntry } from './journal.ts';
import { EventTable } from './event-table.ts';

/** What was found. Counts are numbers of events. */
export type JournalComparison = {
  sent: number;
  acknowledged: number;
  indexed: number;
  others: number;
  counts: Partial<Record<Finding, number>>;
  events: { id: string; finding: Finding }[];
  /** Events to send again. */
  missing: number;
  /** Returns whether an event has to be sent again; true only once for each id. */
  claimMissing(id: string, digest: string): boolean;
};

/** Events that the report names for one kind of finding: few that are usual after a failover, many that a person must look into. */
const MAX_NAMED_EVENTS = 1_000;
const MAX_NAMED_PROBLEMS = 100_000;

/** Flags of an event. Its digest is that of the acknowledged body, else of the one sent last. */
const SENT = 1;
const SENT_AGAIN = 2;
const ACKNOWLEDGED = 4;
const REFUSED = 8;
const OTHER_BODY = 16;
/** The service has the event; of its effects only these three are reported. */
const ON_SERVICE = 32;
const EFFECTS = { dead: 64, queued: 128, waiting: 256 } as const;
const MISSING = 512;

/** Reads the journal, then the events of the service, then the journal once more for the ids. Throws the Faults of both. */
export async function compareJournal(
  journal: () => AsyncIterable<JournalEntry>,
  client: Client,
): Promise<JournalComparison> {
  const table = new EventTable();
  for await (const entry of journal()) addEntry(table, entry);
  const counts: JournalComparison['counts'] = {};
  const named: Partial<Record<Finding, string[]>> = {};
  const count = (finding: Finding) => void (counts[finding] = (counts[finding] ?? 0) + 1);
  const name = (id: string, finding: Finding): void => {
    const ids = (named[finding] ??= []);
    if (ids.length < (PROBLEMS.has(finding) ? MAX_NAMED_PROBLEMS : MAX_NAMED_EVENTS)) ids.push(id);
  };
  let others = 0;
  let lastPosition = -1;
  for await (const event of allEvents(client)) {
    const { id, deliveries = 1 } = event;
    const effect = effectOf(event);
    const position = table.find(id);
    if (position === undefined) {
      others += 1;
      continue;
    }
    table.addFlags(position, ON_SERVICE | (effect === undefined ? 0 : EFFECTS[effect]));
    const findings: Finding[] = [];
    if (deliveries > 1) findings.push('delivered_again');
    if (position < lastPosition) findings.push('out_of_order');
    for (const finding of findings) {
      count(finding);
      name(id, finding);
    }
    lastPosition = Math.max(lastPosition, position);
  }
  const totals = { acknowledged: 0, indexed: 0 };
  let missing = 0;
  let findingCount = 0;
  for (let position = 0; position < table.size; position += 1) {
    const flags = table.flags(position);
    if ((flags & ACKNOWLEDGED) !== 0) totals.acknowledged += 1;
    if ((flags & ON_SERVICE) !== 0) totals.indexed += 1;
    const findings = findingsOf(flags);
    for (const finding of findings) count(finding);
    findingCount += findings.length;
    if (findings.some((finding) => ['not_indexed', 'unacknowledged', 'dead'].includes(finding))) {
      missing += 1;
      table.addFlags(position, MISSING);
    }
  }
  if (findingCount > 0) {
    let next = 0;
    for await (const entry of journal()) {
      const id = idOf(entry);
      if (table.find(id) !== next) continue;
      for (const finding of findingsOf(table.flags(next))) name(id, finding);
      next += 1;
    }
  }
  const events = Finding.options.flatMap((finding) => (named[finding] ?? []).map((id) => ({ id, finding })));
  const claimMissing = (id: string, digest: string): boolean => {
    const position = table.find(id);
    if (
      position === undefined ||
      (table.flags(position) & MISSING) === 0 ||
      !table.hasDigest(position, digest)
    ) {
      return false;
    }
    table.clearFlags(position, MISSING);
    return true;
  };
  return { sent: table.size, ...totals, others, counts, events, missing, claimMissing };
}

/** Returns the effect of an event, if it is one that is reported. Other services may say by the status alone that they did not take it. */
function effectOf({ effect, status = '' }: Envelope): keyof typeof EFFECTS | undefined {
  const word = effect?.toLowerCase() ?? (isRefusedStatus(status) ? 'dead' : undefined);
  return word === 'dead' || word === 'queued' || word === 'waiting' ? word : undefined;
}

function idOf(entry: JournalEntry): string {
  return entry.type === 'sent' ? entry.event.id : entry.id;
}

function addEntry(table: EventTable, entry: JournalEntry): void {
  const known = table.size;
  const index = table.add(idOf(entry));
  const { digest } = entry;
  if (index === known) table.setDigest(index, digest);
  if (!table.hasDigest(index, digest)) table.addFlags(index, OTHER_BODY);
  const flags = table.flags(index);
  if (entry.type === 'sent') table.addFlags(index, (flags & SENT) === 0 ? SENT : SENT_AGAIN);
  if (entry.type === 'refused') table.addFlags(index, REFUSED);
  if (entry.type === 'acked') table.addFlags(index, ACKNOWLEDGED);
  if (entry.type === 'acked' || (flags & ACKNOWLEDGED) === 0) table.setDigest(index, digest);
}

function findingsOf(flags: number): Finding[] {
  const state = stateOf(flags);
  return [
    ...(state === undefined ? [] : [state]),
    ...((flags & SENT_AGAIN) === 0 ? [] : ['sent_again' as const]),
    ...((flags & OTHER_BODY) === 0 ? [] : ['other_body' as const]),
  ];
}

/** Returns what is wrong with an event, if anything. An acknowledgement outweighs an attempt that was refused. */
function stateOf(flags: number): Finding | undefined {
  const isRefused = (flags & REFUSED) !== 0;
  const isAcknowledged = (flags & ACKNOWLEDGED) !== 0;
  if ((flags & ON_SERVICE) === 0) {
    if (isAcknowledged) return 'not_indexed';
    return isRefused ? 'refused' : 'unacknowledged';
  }
  for (const effect of ['dead', 'queued', 'waiting'] as const)
    if ((flags & EFFECTS[effect]) !== 0) return effect;
  if (isAcknowledged) return undefined;
  return isRefused ? 'refused' : 'lost_acknowledgement';
}

/** Yields all events of the service in the order of their arrival. Throws Fault 'protocol' for a list without an end. */
async function* allEvents(client: Client): AsyncGenerator<Envelope> {
  for (let after: string | undefined; ;) {
    const { body } = await readEvents(client, {
      limit: PAGE_LIMIT.maximum,
      ...(after === undefined ? {} : { starting_after: after }),
    });
    yield* body.data;
    const last = body.data.at(-1)?.id;
    if (body.has_more === false || last === undefined) return;
    if (last === after) throw new Fault('protocol', `the list of events repeats its page after ${last}`);
    after = last;
  }
}
