// What is drawn for one list read: whether it lies, by which chance, and from which snapshot; a pure function of the seed.
import { randomFrom, type Random } from './seeded-random.ts';

/**
 * How lies hang together. `each`: every read by itself. `key`: the identical request always lies the same way, another
 * limit, cursor or direction does not. `sticky`: the same, for a second of the service's clock at a time. `burst`: lies
 * come in runs. `collude`: sixteen reads in a row, of whatever list, share one snapshot.
 */
export const DRIFT_MODES = ['each', 'key', 'sticky', 'burst', 'collude'] as const;
export type DriftMode = (typeof DRIFT_MODES)[number];

/** A read: its rank among all list reads (from 0), what tells its request from others, and when (ms) it came. */
export type Asked = { index: number; key: string; now: number };
export type Lot = {
  lying: boolean;
  random: Random;
  /** Names the snapshot of a stale answer. */
  state: string;
};

/** Reads in a row that share one stale state. */
const TOGETHER = 16;
/** Reads in a row that lie, or do not, in a burst; and how many of those that do. */
const RUN = 6;
const BURSTING = 0.95;
const STICKY_MS = 1000;

/** `ratio` is the share of faulty reads, 0 to 1. */
export function draw(mode: DriftMode, seed: number, asked: Asked, ratio: number): Lot {
  const { index } = asked;
  const own = `${seed}/${ownName(mode, asked)}`;
  const random = randomFrom(own);
  const first = random();
  const bursting = mode === 'burst' && randomFrom(`${seed}/burst/${Math.floor(index / RUN)}`)() < ratio;
  return {
    lying: mode === 'burst' ? bursting && first < BURSTING : first < ratio,
    random,
    state: mode === 'collude' ? `${seed}/snapshot/${Math.floor(index / TOGETHER)}` : own,
  };
}

function ownName(mode: DriftMode, { index, key, now }: Asked): string {
  if (mode === 'key') return `key/${key}`;
  if (mode === 'sticky') return `key/${key}/${Math.floor(now / STICKY_MS)}`;
  return `read/${index}`;
}
