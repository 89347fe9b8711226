// Every command against every other service, also where pages are wrong, requests fail, or /messages never answers.
import { describe, expect, test } from 'vitest';
import { CHECKS, LOCAL_CHECK, MAIN_CHECKS } from '../support/other-services/checks/index.ts';
import {
  FAULTY_SHAPES,
  HONEST_EXITS,
  isWhollyQuick,
  testAgainst,
  walkOften,
} from '../support/other-services/matrix.ts';
import { SLOW, STEADY, drifting, rough } from '../support/other-services/variants.ts';

const WALKS = 16;

// The quick tests run the main checks against every steady service, and all checks against some. Here every service meets a sixteenth of the
// others, and every check a sixteenth of the services; `ARX_TEST_SERVICES=all`: all of them.
const isMet = (service: number, check: number): boolean =>
  process.env['ARX_TEST_SERVICES'] === 'all' || (service + check) % 16 === 0;
for (const [at, variant] of STEADY.filter((one) => !isWhollyQuick(one) && !one.isSibling).entries())
  testAgainst(
    variant,
    CHECKS.filter((check) => check !== LOCAL_CHECK && !MAIN_CHECKS.includes(check)).filter((_, index) =>
      isMet(at, index),
    ),
  );
for (const variant of SLOW) testAgainst(variant, CHECKS);

describe.each(FAULTY_SHAPES)('%s', (shape) => {
  test('21 % of wrong pages: no list with exit 0 is wrong, and at most two are not exact', async () => {
    const { exits, wrong } = await walkOften((seed) => drifting(shape, seed), WALKS);
    expect(wrong).toBe(0);
    expect(exits[0], JSON.stringify(exits)).toBeGreaterThanOrEqual(WALKS - 2);
    expect(Object.keys(exits).filter((exit) => !['0', '8'].includes(exit))).toEqual([]);
  });

  test('20 % of requests that fail: each walk is exact, or says that it is not; none is exit 11', async () => {
    const { exits, wrong } = await walkOften((seed) => rough(shape, seed), WALKS);
    expect(wrong).toBe(0);
    expect(Object.keys(exits).filter((exit) => !HONEST_EXITS.includes(exit))).toEqual([]);
    expect(exits[0], JSON.stringify(exits)).toBeGreaterThanOrEqual(WALKS - 2);
  });
});

for (const shape of FAULTY_SHAPES) testAgainst(rough(shape, 'commands'), CHECKS);
testAgainst(drifting('plain', 'commands'), CHECKS);
