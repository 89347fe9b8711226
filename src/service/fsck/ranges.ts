// Runs checks of rows over the numbers of their columns, one range after the other, so that they can be interrupted and continued.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Archive } from '../store/archive.ts';
import type { CheckName, Findings } from './findings.ts';

/**
 * Numbers that are checked together, by all checks that need their rows: each page of the file is read once then. It stays far below
 * the time limit of a statement.
 */
const NUMBERS_AT_ONCE = 2_048;

/** How a check is interrupted, and who learns its progress. */
export type RangeOptions = {
  signal: AbortSignal;
  /** Called with what is checked now, and how much of it is done. */
  progress(state: { label: string; done: number; total: number; unit: string }): void;
};

/** The numbers above `after`, up to `to`. */
export type Range = { after: number; to: number };

/** A check of the rows of a table, whose column holds the numbers by which they are read. */
export type Part = {
  check: CheckName;
  table: string;
  column: string;
  /** The greatest number that is checked, where it is not that of the column. */
  upto?: () => Promise<number>;
  work: (range: Range) => Promise<void>;
};

/** Parts that are checked together, range by range, because they read the same rows. */
export type Group = { label: string; parts: readonly Part[] };

/** Throws the reason of the signal. SQLite answers in the same turn of the event loop, in which no signal would arrive. */
export async function letSignalsIn({ signal }: Pick<RangeOptions, 'signal'>): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}

/** Parts with the greatest number that each checks. */
type CountedPart = { part: Part; last: number };

/** Returns the parts, each with the greatest number that it checks. */
export async function countedParts(
  archive: Archive,
  parts: readonly Part[],
  findings: Findings,
): Promise<CountedPart[]> {
  const counted: CountedPart[] = [];
  for (const part of parts) counted.push({ part, last: await totalOf(archive, part, findings) });
  return counted;
}

/** Runs all parts over the numbers of their columns above `from`, one range after the other. */
export async function inRanges(
  archive: Archive,
  { label, parts }: Group,
  from: number,
  findings: Findings,
  options: RangeOptions,
  done: (after: number) => void = () => {},
): Promise<void> {
  const counted = await countedParts(archive, parts, findings);
  const total = Math.max(...counted.map(({ last }) => last));
  for (let after = from; after < total; after += NUMBERS_AT_ONCE) {
    await letSignalsIn(options);
    options.progress({ label, done: after - from, total: total - from, unit: 'rows' });
    await checkRange(counted, { after, to: after + NUMBERS_AT_ONCE }, findings);
    done(after + NUMBERS_AT_ONCE);
  }
}

/** Runs those parts over a range whose numbers reach that far. */
export async function checkRange(
  parts: readonly CountedPart[],
  { after, to }: Range,
  findings: Findings,
): Promise<void> {
  for (const { part, last } of parts) {
    if (after >= last) continue;
    const range = { after, to: Math.min(to, last) };
    const { check, table, work } = part;
    await findings.guard(check, `${table} ${after + 1} to ${range.to}`, () => work(range));
  }
}

async function totalOf({ database }: Archive, part: Part, findings: Findings): Promise<number> {
  const { check, table, column, upto } = part;
  let total = 0;
  await findings.guard(check, table, async () => {
    if (upto !== undefined) {
      total = await upto();
      return;
    }
    const greatest = await database.get<{ greatest: number | null }>(
      `SELECT MAX(${column}) AS greatest FROM ${table}`,
    );
    total = greatest?.greatest ?? 0;
  });
  return total;
}
