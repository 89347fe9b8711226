// Parsers of the fault-injection options of `arx serve`. They throw an Error whose text names the part that is wrong.
import {
  EXPLICIT_TRANSPORT_FAULTS,
  FAULTY_LISTS,
  TRANSPORT_FAULTS,
  type DriftMode,
  type FaultyList,
  type TransportFault,
} from '../../contract/injected-faults.ts';
import {
  DRIFT_FAULTS,
  EXPLICIT_DRIFT_FAULTS,
  SNAPSHOT_FAULTS,
  type DriftFault,
  type DriftOptions,
  type Ratio,
} from './drift.ts';
import { WRITE_KINDS, type Writes } from './write-overlay.ts';

/**
 * Returns drift options. `ratio` is read by {@link parseRatio}; `seed` is an integer from 0 to 4294967295; `faults` are
 * names joined by commas. Default faults: all of {@link DRIFT_FAULTS}, and in mode `collude` only `stale`.
 */
export function parseDrift(
  ratio: string,
  seed = 0,
  faults?: string,
  mode: DriftMode = 'each',
): DriftOptions & { mode: DriftMode } {
  const defaults: readonly DriftFault[] = mode === 'collude' ? ['stale'] : DRIFT_FAULTS;
  const kinds =
    faults === undefined
      ? defaults
      : parseNames('drift fault', [...DRIFT_FAULTS, ...EXPLICIT_DRIFT_FAULTS], faults);
  if (mode === 'collude' && !SNAPSHOT_FAULTS.some((name) => kinds.includes(name))) {
    throw new Error(
      `mode collude needs a fault with a snapshot: add one of ${SNAPSHOT_FAULTS.join(', ')} to --drift-faults, or name no faults`,
    );
  }
  return { ...parseRatio(ratio), seed: parseSeed(seed), faults: kinds, mode };
}

/** Returns a constant ratio from one number, or a changing one from `from:to`. */
export function parseRatio(text: string): Ratio {
  const parts = text.split(':');
  if (parts.length > 2 || !parts.every(isShare)) {
    throw new Error(`must be a ratio from 0 to 1, or two of them like 0.13:0.21, not "${text}"`);
  }
  const [from = 0, to = from] = parts.map(Number);
  return { from, to };
}

/** Returns the seed where it is an integer from 0 to 4294967295. */
export function parseSeed(seed: number): number {
  if (Number.isInteger(seed) && seed >= 0 && seed <= 0xffffffff) return seed;
  throw new Error(`must be an integer from 0 to 4294967295, not ${seed}`);
}

/**
 * Returns the share of requests that fail, 0 to 1, and the faults to draw from: names joined by commas, default
 * {@link TRANSPORT_FAULTS}.
 */
export function parseTransportFaults(
  share: string,
  kinds?: string,
): { share: number; kinds: readonly TransportFault[] } {
  if (!isShare(share)) throw new Error(`must be a share from 0 to 1, not "${share}"`);
  return {
    share: Number(share),
    kinds:
      kinds === undefined
        ? TRANSPORT_FAULTS
        : parseNames('transport fault', [...TRANSPORT_FAULTS, ...EXPLICIT_TRANSPORT_FAULTS], kinds),
  };
}

/** Returns the lists in `text`, names joined by commas. */
export function parseLists(text: string): FaultyList[] {
  return parseNames('list', FAULTY_LISTS, text);
}

/** Returns the writes of a text like `append:10:4,delete:3:9` (COUNT rows, one every that many reads), each kind at most once. */
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

/** Returns the names in `text`, in the order of `known`. Throws for a name that is not known. */
function parseNames<T extends string>(what: string, known: readonly T[], text: string): T[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`unknown ${what} "${unknown}"; use one of ${known.join(', ')}`);
  return known.filter((one) => names.includes(one));
}
