// Declares tests of many judged walks together: whether what they call complete is right as often as they say.
import { expect, test } from 'vitest';
import { judgeWalk } from './judged-walk.ts';

/** Time limit for each walk; it takes a tenth of a second on a quiet machine. */
const MS_PER_WALK = 2000;
/** Of the lists that can be read exactly, the share that must be. */
const MIN_EXACT = 0.9;

/**
 * Declares a test of the walks with the seeds from `first` on. Of those that could be exact, `maxFalse` at most may be complete and wrong;
 * none may be complete below its own target, and none may throw.
 */
export function describeJudgedWalks(first: number, walks: number, maxFalse: number): void {
  test(
    `${walks} judged walks from seed ${first} on are as sure as they say`,
    { timeout: MS_PER_WALK * walks },
    async () => {
      const wrong: string[] = [];
      let [recoverable, exact] = [0, 0];
      for (let seed = first; seed < first + walks; seed++) {
        const { judged, result, confidence, problem } = await judgeWalk(seed);
        const isComplete = result === 'exact' || result === 'false complete';
        expect(result, `seed ${seed}: ${problem}`).not.toBe('crash');
        if (isComplete) expect(confidence, `seed ${seed}`).toBeGreaterThanOrEqual(1 - judged.epsilon);
        if (!judged.recoverable) continue;
        recoverable++;
        if (result === 'exact') exact++;
        if (result === 'false complete') wrong.push(`seed ${seed}: ${problem}`);
      }
      expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(maxFalse);
      expect(exact).toBeGreaterThan(MIN_EXACT * recoverable);
    },
  );
}
