// The words of `arx serve` that make a service lie, as the rules take them; an Error's text names the part that is wrong.
import { DRIFT_FAULTS, NAMED_FAULTS, type DriftOptions, type Ratio } from './drift.ts';
import { LINE_FAULTS, type LineFault } from './transport-fault-sampling.ts';
import type { DriftMode } from './fault-sampling.ts';
import { WRITE_KINDS, type Writes } from './write-overlay.ts';

/**
 * `ratio` as {@link parseRatio} reads it, `seed` an integer 0 to 4294967295, `faults` names joined by commas. Where
 * they are absent all usual kinds are drawn from, and in mode `collude` only the stale answers that it is about.
 */
export function parseDrift(
  ratio: string,
  seed = 0,
  faults?: string,
  mode: DriftMode = 'each',
): DriftOptions & { mode: DriftMode } {
  const usual = mode === 'collude' ? (['stale'] as const) : DRIFT_FAULTS;
  const kinds =
    faults === undefined ? usual : named('drift fault', [...DRIFT_FAULTS, ...NAMED_FAULTS], faults);
  if (mode === 'collude' && !kinds.includes('stale')) {
    throw new Error('stale answers are what colludes, so stale must be among the faults');
  }
  return { ...parseRatio(ratio), seed: parseSeed(seed), faults: kinds, mode };
}

/** One ratio (constant), or two as `from:to`. */
export function parseRatio(text: string): Ratio {
  const parts = text.split(':');
  if (parts.length > 2 || !parts.every(isShare)) {
    throw new Error(`drift must be a ratio from 0 to 1 or two of them like 0.13:0.21, not "${text}"`);
  }
  const [from = 0, to = from] = parts.map(Number);
  return { from, to };
}

export function parseSeed(seed: number): number {
  if (Number.isInteger(seed) && seed >= 0 && seed <= 0xffffffff) return seed;
  throw new Error(`drift seed must be an integer from 0 to 4294967295, not ${seed}`);
}

/** `share` of requests that fail, `kinds` names joined by commas (all where absent). */
export function parseLine(share: string, kinds?: string): { share: number; kinds: readonly LineFault[] } {
  if (!isShare(share)) throw new Error(`the share must be from 0 to 1, not "${share}"`);
  return {
    share: Number(share),
    kinds: kinds === undefined ? LINE_FAULTS : named('transport fault', LINE_FAULTS, kinds),
  };
}

/** `append:COUNT:EVERY,insert:COUNT:EVERY,delete:COUNT:EVERY`, each kind at most once. */
export function parseWrites(text: string): Writes {
  const writes: Writes = {};
  for (const part of text.split(',')) {
    const [name = '', count = '', every = '', ...rest] = part.trim().split(':');
    const kind = WRITE_KINDS.find((known) => known === name);
    const whole = [count, every].every((digits) => /^[1-9]\d{0,3}$/.test(digits));
    if (kind === undefined || rest.length > 0 || !whole || writes[kind] !== undefined) {
      throw new Error(
        `"${part}" is not one of ${WRITE_KINDS.join(', ')}, each once and like append:10:4 (10 rows, one every 4 reads)`,
      );
    }
    writes[kind] = { count: Number(count), every: Number(every) };
  }
  return writes;
}

function isShare(text: string): boolean {
  return /^(0|1|[01]?\.\d{1,6})$/.test(text) && Number(text) <= 1;
}

/** The known names among those given, in the order of the known ones. */
function named<T extends string>(what: string, known: readonly T[], text: string): T[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`${what} "${unknown}" is none of ${known.join(', ')}`);
  return known.filter((one) => names.includes(one));
}
