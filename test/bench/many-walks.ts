// Counts the results of sampled walks; many.mjs calls it in processes of their own.
import { checkSampledWalk } from '../support/sampled-walk.ts';

/** Counts the walks from `first` to `end`, without `end`. */
export async function countWalks(first: number, end: number) {
  const counts = { exact: 0, incomplete: 0, wrong: 0 };
  const problems: string[] = [];
  for (let number = first; number < end; number++) {
    const { complete, problem } = await checkSampledWalk(number);
    counts[problem !== undefined ? 'wrong' : complete ? 'exact' : 'incomplete']++;
    if (problem !== undefined) problems.push(problem);
  }
  return { ...counts, problems };
}
