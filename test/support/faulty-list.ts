// A list on a virtual clock whose pages lie, whose line fails and whose rows change: the whole fault model, by seed.
import { Fault } from '../../src/faults.ts';
import type { PageQuery, Source } from '../../src/walk/source.ts';
import { honestPage, faultyPage, FAULT_NAMES, type PageFault } from './faulty-page.ts';
import { randomFrom } from './random.ts';
import { VirtualClock } from './virtual-clock.ts';

export type Row = { id: string; sequence?: number };

/**
 * `each`: every read by itself; `key`: the identical request always lies the same way; `sticky`: the same, but for a
 * second at a time; `burst`: lies come in runs; `collude`: stale answers share one state for sixteen reads.
 */
export type Correlation = 'each' | 'key' | 'sticky' | 'burst' | 'collude';

export type FaultyListOptions = {
  size: number;
  drift?: number;
  seed?: number;
  faults?: readonly PageFault[];
  correlation?: Correlation;
  positions?: 'none' | 'dense' | 'sparse';
  /** Chance that an attempt fails on the line; the source tries again, as the client does. */
  transport?: number;
  /** Rows added at the end, added inside and deleted, each so often per read until `writes` of them were made. */
  writes?: { kind: 'append' | 'insert' | 'delete'; count: number; every: number };
  /** A second surface of the same rows: honest, lying by itself as often, or sharing the pages' stale state. */
  crossCheck?: 'honest' | 'lying' | 'accomplice';
  /** Milliseconds of a round trip. */
  rtt?: number;
};

const TOGETHER = 16;
const ATTEMPTS = 6;

export type FaultyList = Source<Row> & {
  clock: VirtualClock;
  /** What the list holds now, all ids it ever held, and those that came in between others. */
  ids: string[];
  ever: Set<string>;
  inserted: Set<string>;
  keys: string[];
  /** Requests that went over the line, failed ones too, and pages that lied. */
  requests: number;
  faultyReads: number;
};

export function faultyList(options: FaultyListOptions): FaultyList {
  const { size, drift = 0, seed = 1, faults: lies = FAULT_NAMES, correlation = 'each', rtt = 50 } = options;
  const ids = Array.from({ length: size }, (_, n) => `r${n + 1}`);
  const step = randomFrom(`${seed}/positions`);
  let position = 0;
  const ranks = new Map(
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
      await line(number);
      write(number);
      return { ...answer(query, number), ...(drift > 0 ? { drift_ratio: drift } : {}) };
    },
  };
  if (options.crossCheck !== undefined) list.crossCheck = witness;
  return list;

  async function witness({ after, limit }: { after?: Row; limit: number }): Promise<string[]> {
    const query = { ...(after === undefined ? {} : { after: after.id }), limit };
    const number = list.keys.push(`witness ${JSON.stringify([query.after, limit])}`);
    await line(number);
    write(number);
    if (options.crossCheck === 'honest') {
      refuse(list.ids, query);
      return honestPage(list.ids, query).ids;
    }
    return answer(query, number, options.crossCheck === 'lying' ? 'witness ' : '').rows.map(({ id }) => id);
  }

  function answer(query: PageQuery, number: number, surface = '') {
    refuse(list.ids, query);
    const random = randomFrom(`${seed}/${chanceKey(number)}`);
    const bursting = randomFrom(`${seed}/burst/${Math.floor(number / 6)}`)() < drift;
    const lying = correlation === 'burst' ? bursting && random() < 0.95 : random() < drift;
    const name = correlation === 'collude' ? 'stale' : lies[Math.floor(random() * lies.length)]!;
    const state = `${seed}/${surface}state/${correlation === 'collude' ? Math.floor(number / TOGETHER) : chanceKey(number)}`;
    const page = lying
      ? faultyPage(name, list.ids, query, random, (id) => randomFrom(`${state}/${id}`)())
      : honestPage(list.ids, query);
    if (lying) list.faultyReads++;
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
    return { id, sequence: ranks.get(id)! };
  }

  /** 429 with its wait, 5xx, cut bodies and slow ones. */
  async function line(number: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const random = randomFrom(`${seed}/line/${number}/${attempt}`);
      list.requests++;
      await list.clock.sleep(rtt * (0.98 + 0.04 * random()));
      if (random() >= (options.transport ?? 0)) return;
      const kind = Math.floor(random() * 4);
      if (kind === 3) return list.clock.sleep(rtt);
      if (attempt === ATTEMPTS) throw new Fault('busy', 'server is busy');
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
    ranks.set(id, writes.kind === 'append' ? ++position : 0);
  }
}

/** Cursors do not lie: 404 for what is no row, 409 for the wrong order. */
function refuse(ids: readonly string[], { after, before }: PageQuery): void {
  for (const id of [after, before])
    if (id !== undefined && !ids.includes(id)) throw new Fault('not_found', `no row ${id}`);
  if (after !== undefined && before !== undefined && ids.indexOf(after) > ids.indexOf(before))
    throw new Fault('conflict', `${after} is later than ${before}`);
}
