// Repeats a question to a service whose answers may be faulty, until one answer clearly leads.
import { Fault } from '../../faults.ts';

/** Reads of one question. */
const MAX_READS = 5;
/** By how many reads an answer must lead. */
const REQUIRED_LEAD = 2;

/**
 * Asks until an answer is settled. An expected answer counts at once, since a faulty page does not look like it by chance.
 * Any other answer must have come at least twice more than all others together. Returns 'differs' where no answer leads after five
 * reads, and 'unseen' where a read got no answer.
 */
export async function settle<Answer extends string>(
  ask: (read: number) => Promise<Answer>,
  isExpected: (answer: Answer) => boolean,
): Promise<Answer | 'differs' | 'unseen'> {
  const counts = new Map<Answer, number>();
  for (let read = 0; read < MAX_READS; read += 1) {
    const answer = await answerOf(() => ask(read));
    if (answer === undefined) return 'unseen';
    if (read === 0 && isExpected(answer)) return answer;
    const count = (counts.get(answer) ?? 0) + 1;
    counts.set(answer, count);
    if (2 * count - (read + 1) >= REQUIRED_LEAD) return answer;
  }
  return 'differs';
}

/** Returns what a read gives, undefined where it failed. Throws only where the run was interrupted, or for a bug. */
export async function answerOf<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    return undefined;
  }
}
