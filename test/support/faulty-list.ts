// A list on a virtual clock with the whole fault model of the walk, by seed: faulty pages, failing requests, changing rows.
import { Fault } from '../../src/faults.ts';
import type { PageQuery, Source } from '../../src/walk/source.ts';
import { correctPage, faultyPage, FAULT_NAMES, type PageFault } from './faulty-page.ts';
import { randomFrom } from './random.ts';
import { VirtualClock } from './virtual-clock.ts';

export type Row = { id: string; sequence?: number };

/**
 * How faults are correlated. `each`: not at all; `key`: the same request always has the same fault; `sticky`: the same
 * within one second; `burst`: faults come in runs; `collude`: stale answers of 16 reads share one snapshot.
 */
export type Correlation = 'each' | 'key' | 'sticky' | 'burst' | 'collude';

export type FaultyListOptions = {
  size: number;
  drift?: number;
  seed?: number;
  faults?: readonly PageFault[];
  correlation?: Correlation;
  positions?: 'none' | 'dense' | 'sparse';
  /** Probability that a request fails in transit. The list repeats it, as the client does. */
  transport?: number;
  /** Rows appended, inserted or deleted during the walk: one every `every` requests, `count` in all. */
  writes?: { kind: 'append' | 'insert' | 'delete'; count: number; every: number };
  /** A cross-check source: without faults, as faulty as the pages, or stale from the same snapshot as they are. */
  crossCheck?: 'correct' | 'faulty' | 'same snapshot';
  /** Milliseconds of a round trip. */
  rtt?: number;
};

/** Reads that share one snapshot. */
const READS_PER_SNAPSHOT = 16;
const MAX_ATTEMPTS = 6;
/** Requests in one burst. */
const BURST_REQUESTS = 6;
const FAULTY_SHARE_IN_BURST = 0.95;

export type FaultyList = Source<Row> & {
  clock: VirtualClock;
  /** The ids that the list holds now, all that it ever held, and those that were inserted. */
  ids: string[];
  ever: Set<string>;
  inserted: Set<string>;
  keys: string[];
  /** Requests, failed ones included, and pages with a fault. */
  requests: number;
  faultyReads: number;
};

/** Returns the list. The same options give the same answers to the same requests in the same order. */
export function faultyList(options: FaultyListOptions): FaultyList {
  const { size, drift = 0, seed = 1, faults = FAULT_NAMES, correlation = 'each', rtt = 50 } = options;
  const ids = Array.from({ length: size }, (_, n) => `r${n + 1}`);
  const step = randomFrom(`${seed}/positions`);
  let position = 0;
  const positions = new Map(
    ids.map((id) => [id, (position += options.positions === 'sparse' ? 1 + Math.floor(step() * 3) : 1)]),
  );
  const list: FaultyList = {
    clock: new VirtualClock(),
    ids,
    ever: new Set(ids),
    inserted: new Set(),
    keys: [],
    requests: 0,
    faultyReads: 0,
    async page(query) {
      const number = list.keys.push(JSON.stringify([query.after, query.before, query.limit]));
      await transmit(number);
      write(number);
      return { ...answer(query, number), ...(drift > 0 ? { drift_ratio: drift } : {}) };
    },
  };
  if (options.crossCheck !== undefined) list.crossCheck = crossCheck;
  return list;

  async function crossCheck({ after, limit }: { after?: Row; limit: number }): Promise<string[]> {
    const query = { ...(after === undefined ? {} : { after: after.id }), limit };
    // The texts that seed random numbers must not change: documents and tests name walks by their seed.
    const number = list.keys.push(`witness ${JSON.stringify([query.after, limit])}`);
    await transmit(number);
    write(number);
    if (options.crossCheck === 'correct') {
      refuse(list.ids, query);
      return correctPage(list.ids, query).ids;
    }
    return answer(query, number, options.crossCheck === 'faulty' ? 'witness ' : '').rows.map(({ id }) => id);
  }

  function answer(query: PageQuery, number: number, surface = '') {
    refuse(list.ids, query);
    const random = randomFrom(`${seed}/${chanceKey(number)}`);
    const isInBurst = randomFrom(`${seed}/burst/${Math.floor(number / BURST_REQUESTS)}`)() < drift;
    const isFaulty =
      correlation === 'burst' ? isInBurst && random() < FAULTY_SHARE_IN_BURST : random() < drift;
    const name = correlation === 'collude' ? 'stale' : faults[Math.floor(random() * faults.length)]!;
    const state = `${seed}/${surface}state/${correlation === 'collude' ? Math.floor(number / READS_PER_SNAPSHOT) : chanceKey(number)}`;
    const page = isFaulty
      ? faultyPage(name, list.ids, query, random, (id) => randomFrom(`${state}/${id}`)())
      : correctPage(list.ids, query);
    if (isFaulty) list.faultyReads++;
    return { rows: page.ids.map(rowOf), has_more: page.has_more };
  }

  function chanceKey(number: number): string {
    if (correlation === 'each' || correlation === 'burst' || correlation === 'collude')
      return `read/${number}`;
    const period = correlation === 'sticky' ? Math.floor(list.clock.now / 1000) : 0;
    return `key/${list.keys[number - 1]}/${period}`;
  }

  function rowOf(id: string): Row {
    if (options.positions === undefined || options.positions === 'none') return { id };
    return { id, sequence: positions.get(id)! };
  }

  /** Waits as long as a request takes: with retries after 429, 5xx and cut responses, and slow ones. */
  async function transmit(number: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const random = randomFrom(`${seed}/line/${number}/${attempt}`);
      list.requests++;
      await list.clock.sleep(rtt * (0.98 + 0.04 * random()));
      if (random() >= (options.transport ?? 0)) return;
      const kind = Math.floor(random() * 4);
      if (kind === 3) return list.clock.sleep(rtt);
      if (attempt === MAX_ATTEMPTS) throw new Fault('busy', 'server is busy');
      await list.clock.sleep(kind === 0 ? 2 * rtt : rtt / 2);
    }
  }

  function write(number: number): void {
    const { writes } = options;
    if (writes === undefined || number % writes.every !== 0 || number / writes.every > writes.count) return;
    const random = randomFrom(`${seed}/write/${number}`);
    const at = Math.floor(random() * list.ids.length);
    if (writes.kind === 'delete') {
      list.ids.splice(at, 1);
      return;
    }
    const id = `new${number}`;
    list.ids.splice(writes.kind === 'append' ? list.ids.length : at, 0, id);
    list.ever.add(id);
    if (writes.kind === 'insert') list.inserted.add(id);
    positions.set(id, writes.kind === 'append' ? ++position : 0);
  }
}

/** Throws 404 for a cursor that is not in the list and 409 for two in the wrong order. These answers are never wrong. */
function refuse(ids: readonly string[], { after, before }: PageQuery): void {
  for (const id of [after, before])
    if (id !== undefined && !ids.includes(id)) throw new Fault('not_found', `no row ${id}`);
  if (after !== undefined && before !== undefined && ids.indexOf(after) > ids.indexOf(before))
    throw new Fault('conflict', `${after} is later than ${before}`);
}
