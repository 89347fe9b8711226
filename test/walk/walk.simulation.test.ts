// Some hundred small walks over faulty lists in virtual time: complete means exact, and no wrong row is written.
import { describe, expect, test } from 'vitest';
import { describeSampledWalks } from '../support/sampled-walk-tests.ts';
import type { FaultyListOptions } from '../support/faulty-list.ts';
import { isExact, simulateWalk } from '../support/simulated-walk.ts';

// The long tests make these and thousands more, `npm run bench many` a hundred thousand.
describeSampledWalks(250, 1);

describe('2,000 rows at drift 0.21', () => {
  const size = 2000;
  const drift = 0.21;

  test.each(['correct', 'faulty'] as const)(
    'a cross-check source (%s) confirms rows of a shared stale snapshot for a third more requests at most',
    async (crossCheck) => {
      const list: FaultyListOptions = { size, drift, seed: 1, correlation: 'collude', crossCheck };
      const alone = await simulateWalk(list, { crossCheck: 'off' });
      const checked = await simulateWalk(list, { crossCheck: 'boundary' });
      expect(checked.fault).toBeUndefined();
      expect(isExact(checked)).toBe(true);
      expect(checked.requests).toBeLessThan(1.34 * alone.requests);
      expect(checked.report.cross_check.agreed).toBeGreaterThan(0.5 * size);
    },
  );

  test('without faults only the ends of the list are cross-checked, at no more than 2.3 times the minimum', async () => {
    const { report, requests } = await simulateWalk(
      { size, crossCheck: 'correct' },
      { crossCheck: 'boundary' },
    );
    const { asked, agreed, unavailable } = report.cross_check;
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(0.1 * size);
    expect({ agreed, unavailable }).toEqual({ agreed: asked, unavailable: 0 });
    expect(requests).toBeLessThanOrEqual(2.3 * report.minimum_requests);
  });

  // Seeds of walks that once stopped because of a misplaced row or a deleted one, or ended wrong.
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
      'one stale snapshot of a list with dense positions',
      { size, drift, seed: 20_149, correlation: 'collude', positions: 'dense' },
    ],
    ['faults before the first window', { size, drift, seed: 20_045, correlation: 'collude' }],
  ])('%s: the walk is complete and exact', async (_, list) => {
    const walked = await simulateWalk(list);
    expect(walked.fault).toBeUndefined();
    expect(isExact(walked)).toBe(true);
  });
});
