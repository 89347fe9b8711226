// Decides by seed whether one list read is faulty, with which random numbers, and from which snapshot.
import type { DriftMode } from '../../contract/injected-faults.ts';
import { seededRandom, type Random } from './seeded-random.ts';

/** A list read: its index among all list reads (from 0), a text that identifies the request, its time in milliseconds. */
export type SampledRequest = { index: number; key: string; now: number };

/** What the seed decides for one list read. */
export type ReadSample = {
  isFaulty: boolean;
  random: Random;
  /** Names the snapshot of a stale answer. */
  state: string;
};

/** Consecutive reads that share one stale snapshot. */
const READS_PER_SNAPSHOT = 16;
/** Consecutive reads of which a burst makes all faulty, or none. */
const READS_PER_BURST = 6;
/** Share of the reads in a burst that are faulty, so that its length varies. */
const FAULTY_SHARE_IN_BURST = 0.95;
const STICKY_PERIOD_MS = 1000;

/** Returns the sample of one read: a pure function of its arguments. `ratio` is the share of faulty reads, 0 to 1. */
export function sampleRead(mode: DriftMode, seed: number, read: SampledRequest, ratio: number): ReadSample {
  const { index } = read;
  const name = `${seed}/${nameOf(mode, read)}`;
  const random = seededRandom(name);
  const first = random();
  const inBurst =
    mode === 'burst' && seededRandom(`${seed}/burst/${Math.floor(index / READS_PER_BURST)}`)() < ratio;
  return {
    isFaulty: mode === 'burst' ? inBurst && first < FAULTY_SHARE_IN_BURST : first < ratio,
    random,
    state: mode === 'collude' ? `${seed}/snapshot/${Math.floor(index / READS_PER_SNAPSHOT)}` : name,
  };
}

function nameOf(mode: DriftMode, { index, key, now }: SampledRequest): string {
  if (mode === 'key') return `key/${key}`;
  if (mode === 'sticky') return `key/${key}/${Math.floor(now / STICKY_PERIOD_MS)}`;
  return `read/${index}`;
}
