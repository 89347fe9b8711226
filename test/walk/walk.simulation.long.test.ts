// Ten thousand small walks over lists with every kind of fault, in virtual time: a complete walk is exact, and no row is wrong.
import { describe, expect, test } from 'vitest';
import { checkSampledWalk } from '../support/sampled-walk.ts';

const WALKS = 10_000;
const SHARES = 10;

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
