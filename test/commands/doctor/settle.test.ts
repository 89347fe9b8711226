// How often a question is asked before an answer counts.
import { describe, expect, test } from 'vitest';
import { Fault } from '../../../src/faults.ts';
import { answerOf, settle } from '../../../src/commands/doctor/settle.ts';

/** Asks for these answers in order; the last one is given again and again. Returns the result and the number of reads. */
async function settled(answers: readonly string[]): Promise<[result: string, reads: number]> {
  let reads = 0;
  const result = await settle(
    async (read) => {
      expect(read).toBe(reads);
      reads += 1;
      return answers[Math.min(read, answers.length - 1)]!;
    },
    (answer) => answer === 'expected',
  );
  return [result, reads];
}

test.each<[string[], string, number]>([
  [['expected'], 'expected', 1],
  [['odd', 'odd'], 'odd', 2],
  [['odd', 'expected', 'expected', 'expected'], 'expected', 4],
  [['odd', 'expected', 'odd', 'odd'], 'odd', 4],
  [['odd', 'expected', 'expected', 'odd', 'odd'], 'differs', 5],
  [['odd', 'other', 'third', 'fourth', 'fifth'], 'differs', 5],
  [['odd', 'other', 'other', 'other'], 'other', 4],
])('%j: %s after %i reads', async (answers, result, reads) => {
  expect(await settled(answers)).toEqual([result, reads]);
});

describe('a read that fails', () => {
  test('settles nothing', async () => {
    const ask = () => Promise.reject(new Fault('network', 'reset'));
    expect(await settle(ask, () => true)).toBe('unseen');
    expect(await answerOf(ask)).toBeUndefined();
  });

  test('an interruption and a bug pass', async () => {
    const stop = new Fault('interrupted', 'interrupted', { signal: 'SIGINT' });
    await expect(answerOf(() => Promise.reject(stop))).rejects.toBe(stop);
    await expect(answerOf(() => Promise.reject(new TypeError('bug')))).rejects.toThrow('bug');
  });
});
