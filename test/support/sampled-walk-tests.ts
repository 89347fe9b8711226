// Declares tests of sampled walks.
import { describe, expect, test } from 'vitest';
import { checkSampledWalk } from './sampled-walk.ts';

/** Declares tests of the walks with the numbers below `walks`, in as many tests as `shares`. Most of them must end complete. */
export function describeSampledWalks(walks: number, shares: number): void {
  describe(`${walks} walks`, () => {
    test.each(Array.from({ length: shares }, (_, share) => share))('share %i', async (share) => {
      let complete = 0;
      const each = walks / shares;
      for (let number = share * each; number < (share + 1) * each; number++) {
        const checked = await checkSampledWalk(number);
        expect(checked.problem).toBeUndefined();
        if (checked.complete) complete++;
      }
      expect(complete).toBeGreaterThan(0.9 * each);
    });
  });
}
