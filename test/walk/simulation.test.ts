// A thousand small walks over lists that lie in every way, in virtual time: complete means exact, and nothing untrue is given out.
import { describe, expect, test } from 'vitest';
import { checkSampledWalk } from '../support/sampled-walk.ts';
import type { FaultyListOptions } from '../support/faulty-list.ts';
import { isExact, simulateWalk } from '../support/simulated-walk.ts';

const WALKS = 1_000;
const SHARES = 2;

/** The long tests make ten thousand, `npm run bench many` a hundred thousand. */
describe(`${WALKS} walks`, () => {
  test.each(Array.from({ length: SHARES }, (_, share) => share))('share %i', async (share) => {
    let complete = 0;
    const each = WALKS / SHARES;
    for (let number = share * each; number < (share + 1) * each; number++) {
      const checked = await checkSampledWalk(number);
      expect(checked.problem).toBeUndefined();
      if (checked.complete) complete++;
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
        const lying: FaultyListOptions = { size, drift, seed, correlation: 'collude', crossCheck: witness };
        const alone = await simulateWalk(lying, { crossCheck: 'off' });
        const walked = await simulateWalk(lying, { crossCheck: 'boundary' });
        expect(walked.fault).toBeUndefined();
        expect(isExact(walked)).toBe(true);
        expect(walked.requests).toBeLessThan(0.9 * alone.requests);
        expect(walked.report.cross_check.agreed).toBeGreaterThan(0.9 * size);
      }
    },
  );

  test('without faults the witness is asked about the edges, instead of two reads', async () => {
    const walked = await simulateWalk({ size, crossCheck: 'honest' }, { crossCheck: 'boundary' });
    expect(walked.report.cross_check).toEqual({ mode: 'boundary', asked: 104, agreed: 104, unavailable: 0 });
    expect(walked.requests).toBeLessThanOrEqual(46);
  });

  // Seeds of walks that a row in the wrong place, and one that went, once brought to a stop.
  test.each<[string, FaultyListOptions]>([
    ['a row shown twice', { size, drift, seed: 20_044, faults: ['dup'] }],
    [
      'a row deleted behind the frontier',
      { size, drift, seed: 20_024, writes: { kind: 'delete', count: 5, every: 9 } },
    ],
    [
      'a row deleted ahead of it',
      { size, drift, seed: 20_040, writes: { kind: 'delete', count: 5, every: 9 } },
    ],
    [
      'one stale state in a list whose positions are dense',
      { size, drift, seed: 20_149, correlation: 'collude', positions: 'dense' },
    ],
    ['lies before the first window', { size, drift, seed: 20_045, correlation: 'collude' }],
  ])('%s neither stops nor fools the walk', async (_, lying) => {
    const walked = await simulateWalk(lying);
    expect(walked.fault).toBeUndefined();
    expect(isExact(walked)).toBe(true);
  });
});
