// Draws one case for the calibration of the walk from a seed: the list, the service, its faults, and whether it can be read exactly.
import type { CrossCheckMode } from '../../src/walk/decide/confirmation.ts';
import { randomFrom, type Random } from './random.ts';

/** What a faulty answer may do to the page that was asked for. */
export const FAULTS = [
  'start early',
  'start late',
  'end short',
  'end long',
  'later segment',
  'adjacent swap',
  'several swaps',
  'moved block',
  'shuffled page',
  'dropped row',
  'dropped rows',
  'repeated row',
  'stale',
] as const;
export type FaultName = (typeof FAULTS)[number];

/** Which old state of the list a stale answer shows: one of its own, the one that all share, or one of a few ages. */
export type Staleness = 'own' | 'shared' | 'ages';

/** One case: everything about the list, the service and the walk that the seed decides. */
export type JudgedCase = {
  seed: number;
  /** Its name in tables: the fault, `mixture`, `none`, or what is special about its stale answers. */
  kind: string;
  size: number;
  limit: number;
  concurrency: number;
  directions: 'all' | 'forward only' | 'no backward' | 'no closed';
  /** `dense`: every row shows its true number. `dense renumbered`: its number in the state that the answer shows. */
  positions: 'none' | 'dense' | 'sparse' | 'dense renumbered';
  firstPosition: number;
  /** Share of the reads that are faulty; where `placement` is not `anywhere`, of the reads that show such rows. */
  drift: number;
  /** A faulty read picks one of these. */
  faults: readonly FaultName[];
  /**
   * Which reads are faulty: each by chance, many in a row, the same request for some time in the same way, or the same
   * request always in the same way.
   */
  timing: 'by chance' | 'bursts' | 'sticky' | 'same request';
  /** Mean length of a burst, or the reads for which a request fails the same way. */
  timingReads: number;
  /** Where in the list: anywhere, in a few stretches, at its first and last rows, or always at the same few rows. */
  placement: 'anywhere' | 'stretches' | 'edges' | 'spots';
  staleness: Staleness;
  /** Share of the rows that an old state lacks, and of dead rows that it shows. */
  missingShare: number;
  phantomShare: number;
  hasMore: 'right' | 'absent' | 'inverted' | 'always true' | 'always false';
  /** `stale`: as often from the old state as the list. `lagging`: always from the old state. */
  crossCheckSource: 'missing' | 'honest' | 'faulty' | 'stale' | 'lagging';
  crossCheckMode: CrossCheckMode;
  writes: 'none' | 'appends' | 'inserts' | 'deletes';
  /** Number of writes, and the answers between two of them. */
  writeCount: number;
  writeEvery: number;
  /** Share of the requests that the service refuses with a status that means nothing to the walk. */
  refusals: number;
  /** Rows that the service returns at most, whatever the limit says. */
  maxPageRows: number;
  /** Indexes of the rows that the walk is told to start after and to end before; without them it reads the whole list. */
  after?: number;
  before?: number;
  epsilon: number;
  /** See {@link isRecoverable}. */
  recoverable: boolean;
};

const MAX_SIZE = 3000;
const MIN_LIMIT = 8;
const MAX_LIMIT = 100;
const MIN_ROWS_FOR_RANGE = 4;
/** Above this drift a right majority among a few reads is not to be expected. */
const MAX_RECOVERABLE_DRIFT = 0.21;
/** Shorter lists may be read within one burst. */
const MIN_PAGES_AGAINST_BURSTS = 10;

/** Drift with its weight. */
const DRIFTS: readonly [number, number][] = [
  [0.02, 10],
  [0.05, 20],
  [0.13, 25],
  [0.21, 30],
  [0.35, 15],
];
/** Kinds with their weight. Those that are no name of a fault are explained in {@link stalenessOf} and {@link drawCase}. */
const KINDS: readonly [string, number][] = [
  ['none', 4],
  ...FAULTS.filter((name) => name !== 'stale').map((name): [string, number] => [name, 4]),
  ['stale own', 5],
  ['stale shared', 6],
  ['stale ages', 5],
  ['phantoms own', 3],
  ['phantoms shared', 5],
  ['phantoms ages', 4],
  ['stale majority', 3],
  ['mixture', 20],
];

/** Returns the case of a seed. */
export function drawCase(seed: number): JudgedCase {
  const random = randomFrom(`judged case ${seed}`);
  const pick = <T>(weighted: readonly (readonly [T, number])[]): T => pickWeighted(random, weighted);
  const limit = Math.round(MIN_LIMIT * (MAX_LIMIT / MIN_LIMIT) ** random());
  const kind = pick(KINDS);
  const isStale = /^(stale|phantoms)/.test(kind);
  const isMajority = kind === 'stale majority';
  const drift = kind === 'none' ? 0 : isMajority ? 0.55 + 0.35 * random() : pick(DRIFTS);
  const faults = faultsOf(kind, random);
  const hasPhantoms = kind.startsWith('phantoms') || (faults.includes('stale') && random() < 0.3);
  const size = drawSize(random, limit);
  const drawn: Omit<JudgedCase, 'recoverable'> = {
    ...drawRange(seed, size),
    seed,
    kind,
    size,
    limit,
    concurrency: 1 + Math.floor(6 * random()),
    directions: pick([['all', 70] as const, ['forward only', 12], ['no backward', 9], ['no closed', 9]]),
    positions: pick([['none', 55] as const, ['dense', 15], ['sparse', 12], ['dense renumbered', 18]]),
    firstPosition: pick([[0, 40] as const, [1, 50], [1000, 10]]),
    drift,
    faults,
    timing: pick([['by chance', 50] as const, ['bursts', 15], ['sticky', 15], ['same request', 20]]),
    timingReads: 3 + Math.floor(8 * random()),
    placement: isMajority
      ? 'anywhere'
      : pick([['anywhere', 75] as const, ['stretches', 10], ['edges', 10], ['spots', 5]]),
    staleness: stalenessOf(kind, random),
    missingShare: 0.1 * random() ** 2,
    phantomShare: hasPhantoms ? 0.05 * random() : 0,
    hasMore: pick([
      ['right', 70] as const,
      ['absent', 12],
      ['inverted', 5],
      ['always true', 7],
      ['always false', 6],
    ]),
    crossCheckSource: pick([
      ['missing', 55] as const,
      ['honest', 17],
      ['faulty', 14],
      ['stale', isStale ? 12 : 6],
      ['lagging', isStale ? 2 : 0],
    ]),
    crossCheckMode: pick([['boundary', 75] as const, ['off', 15], ['full', 10]]),
    writes: pick([['none', 76] as const, ['appends', 10], ['inserts', 7], ['deletes', 7]]),
    writeCount: 1 + Math.floor(6 * random()),
    writeEvery: 2 + Math.floor(14 * random()),
    refusals: random() < 0.06 ? 0.01 + 0.04 * random() : 0,
    maxPageRows: random() < 0.04 ? Math.max(MIN_LIMIT, Math.round(limit / 2)) : Infinity,
    epsilon: pick([[0.001, 80] as const, [0.01, 10], [0.0001, 10]]),
  };
  return { ...drawn, recoverable: isRecoverable(drawn) };
}

/**
 * Returns whether a careful reader can be expected to read the list exactly. It cannot where most answers share a wrong state
 * or the second list always does; where more than 21 % of the reads are faulty; where the same few rows are shown wrong
 * in the same way again and again; where one burst may last as long as the walk; and where the list is empty and all pages say that
 * there is more, as they would if rows were withheld.
 */
export function isRecoverable(drawn: Omit<JudgedCase, 'recoverable'>): boolean {
  const { kind, drift, timing, placement, crossCheckSource, crossCheckMode, size, limit, hasMore } = drawn;
  if (size === 0 && (hasMore === 'always true' || hasMore === 'inverted')) return false;
  if (drift === 0) return true;
  if (kind === 'stale majority' || drift > MAX_RECOVERABLE_DRIFT || placement === 'spots') return false;
  if (crossCheckSource === 'lagging' && crossCheckMode !== 'off') return false;
  return timing !== 'bursts' || size >= MIN_PAGES_AGAINST_BURSTS * limit;
}

function faultsOf(kind: string, random: Random): FaultName[] {
  if (kind === 'none') return [];
  if (kind !== 'mixture') return [FAULTS.find((name) => name === kind) ?? 'stale'];
  const names = FAULTS.filter(() => random() < 0.35);
  return names.length > 1 ? names : [...FAULTS];
}

function stalenessOf(kind: string, random: Random): Staleness {
  const named = (['own', 'shared', 'ages'] as const).find((name) => kind.endsWith(name));
  if (named !== undefined || kind === 'stale majority') return named ?? 'shared';
  return pickWeighted(random, [['own', 1] as const, ['shared', 1], ['ages', 1]]);
}

/**
 * Half of the sizes are log-uniform from 0 to 3,000, three of ten log-uniform from ten pages on, because requests are compared with
 * the minimum there. One of five is a size at which pages end.
 */
function drawSize(random: Random, limit: number): number {
  const chance = random();
  const special = [0, 1, 2, limit - 1, limit, limit + 1, (2 + Math.floor(7 * random())) * limit];
  if (chance < 0.2) return special[Math.floor(special.length * random())]!;
  const min = chance < 0.5 ? 10 * limit : 1;
  return Math.floor(min * ((MAX_SIZE + 1) / min) ** random());
}

/** One of ten walks reads a part of its list. */
function drawRange(seed: number, size: number): Pick<JudgedCase, 'after' | 'before'> {
  const random = randomFrom(`judged range ${seed}`);
  if (random() >= 0.1 || size < MIN_ROWS_FOR_RANGE) return {};
  const after = Math.floor((size - 1) * random() ** 2);
  const before = after + 1 + Math.floor((size - after - 1) * random());
  const kind = random();
  return { ...(kind < 0.7 && { after }), ...(kind > 0.3 && { before }) };
}

/** Returns one of the values, each as likely as its weight says. */
function pickWeighted<T>(random: Random, weighted: readonly (readonly [T, number])[]): T {
  let left = random() * weighted.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of weighted) {
    left -= weight;
    if (left < 0) return value;
  }
  return weighted.at(-1)![0];
}
