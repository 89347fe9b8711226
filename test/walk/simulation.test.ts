// Ten thousand small walks over lists that lie in every way, in virtual time: complete means exact, and nothing untrue is given out.
import { describe, expect, test } from 'vitest';
import { WalkReport } from '../../src/contract/report.ts';
import { LIES } from '../support/lie.ts';
import { type Correlation, type LyingOptions } from '../support/lying-list.ts';
import { randomFrom } from '../support/random.ts';
import { isExact, simulate } from '../support/simulate.ts';
import type { CrossCheckMode } from '../../src/walk/testimony.ts';

const WALKS = 10_000;
const SHARES = 10;
const CORRELATIONS: Correlation[] = ['each', 'key', 'sticky', 'burst'];

/** A list and a limit drawn by number: every kind of lie alone and together, every correlation, writes, broken lines. */
function drawn(number: number): { lying: LyingOptions; limit: number; crossCheck: CrossCheckMode } {
  const random = randomFrom(`walk ${number}`);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const writes = pick(['append', 'insert', 'delete'] as const);
  const size = pick([0, 1, 2, 7, 20, 39, 40, 41, 60, 90]);
  const lying: LyingOptions = {
    seed: number,
    size,
    drift: pick([0, 0.05, 0.13, 0.21, 0.21, 0.35]),
    lies: random() < 0.5 ? LIES : [pick(LIES)],
    // A walk of a handful of reads may lie in one burst as a whole: nothing recovers that.
    correlation: pick(size < 20 ? CORRELATIONS.slice(0, 3) : CORRELATIONS),
    positions: pick(['none', 'none', 'dense', 'sparse'] as const),
    transport: pick([0, 0, 0.05]),
    ...(random() < 0.2 ? { writes: { kind: writes, count: 3, every: 5 } } : {}),
  };
  const limit = pick([8, 20, 40, 100]);
  // Half of the walks have a second witness, which may lie as often as the pages do.
  const witness = pick([undefined, undefined, 'honest', 'lying'] as const);
  if (witness !== undefined) lying.witness = witness;
  return { lying, limit, crossCheck: pick(['boundary', 'full']) };
}

describe(`${WALKS} walks`, () => {
  test.each(Array.from({ length: SHARES }, (_, share) => share))('share %i', async (share) => {
    let complete = 0;
    const each = WALKS / SHARES;
    for (let number = share * each; number < (share + 1) * each; number++) {
      const { lying, limit, crossCheck } = drawn(number);
      const walked = await simulate(lying, { limit, crossCheck });
      const { list, ids, fault, report } = walked;
      const about = `walk ${number}: ${JSON.stringify({ lying, limit, crossCheck, fault: fault?.message })}`;
      expect(new Set(ids).size, about).toBe(ids.length);
      expect(
        ids.every((id) => list.ever.has(id)),
        about,
      ).toBe(true);
      expect(new Set(list.keys).size, about).toBe(list.keys.length);
      expect(WalkReport.parse(report)).toEqual(report);
      if (fault === undefined) expect(isExact(walked, true), about).toBe(true);
      else expect(['unstable', 'protocol', 'busy'], about).toContain(fault.kind);
      if (fault === undefined) complete++;
    }
    expect(complete).toBeGreaterThan(0.95 * each);
  });
});

describe('2,000 rows at drift 0.21', () => {
  const size = 2000;
  const drift = 0.21;

  test.each(['honest', 'lying'] as const)(
    '%s: a witness makes colluding answers cheaper',
    async (witness) => {
      for (let seed = 1; seed <= 3; seed++) {
        const lying: LyingOptions = { size, drift, seed, correlation: 'collude', witness };
        const alone = await simulate(lying, { crossCheck: 'off' });
        const walked = await simulate(lying, { crossCheck: 'boundary' });
        expect(walked.fault).toBeUndefined();
        expect(isExact(walked)).toBe(true);
        expect(walked.requests).toBeLessThan(0.9 * alone.requests);
        expect(walked.report.cross_check.agreed).toBeGreaterThan(0.9 * size);
      }
    },
  );

  test('without faults the witness is asked about the edges, instead of two reads', async () => {
    const walked = await simulate({ size, witness: 'honest' }, { crossCheck: 'boundary' });
    expect(walked.report.cross_check).toEqual({ mode: 'boundary', asked: 104, agreed: 104, unavailable: 0 });
    expect(walked.requests).toBeLessThanOrEqual(46);
  });

  // Seeds of walks that a row in the wrong place, and one that went, once brought to a stop.
  test.each<[string, LyingOptions]>([
    ['a row shown twice', { size, drift, seed: 20_044, lies: ['dup'] }],
    [
      'a row deleted behind the frontier',
      { size, drift, seed: 20_024, writes: { kind: 'delete', count: 5, every: 9 } },
    ],
    [
      'a row deleted ahead of it',
      { size, drift, seed: 20_040, writes: { kind: 'delete', count: 5, every: 9 } },
    ],
    ['lies before the first window', { size, drift, seed: 20_045, correlation: 'collude' }],
  ])('%s does not stop the walk', async (_, lying) => {
    const walked = await simulate(lying);
    expect(walked.fault).toBeUndefined();
    expect(isExact(walked)).toBe(true);
  });
});
