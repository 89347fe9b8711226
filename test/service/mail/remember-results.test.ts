// Results that are computed once for equal texts.
import { describe, expect, test } from 'vitest';
import { rememberResults } from '../../../src/service/mail/remember-results.ts';

/** A function whose calls are counted. */
function counted<T>(result: T) {
  let calls = 0;
  const ask = rememberResults(() => ((calls += 1), result));
  return { ask, calls: () => calls };
}

describe('an equal text', () => {
  test.each([['a result'], [''], [null]])('is not computed again: %j', (result) => {
    const { ask, calls } = counted(result);
    expect([ask('text'), ask('text')]).toEqual([result, result]);
    expect(calls()).toBe(1);
  });
  test('of more than 1,000 characters is computed again, since it takes much memory', () => {
    const { ask, calls } = counted(0);
    for (const length of [1_000, 1_000, 1_001, 1_001]) ask('x'.repeat(length));
    expect(calls()).toBe(3);
  });
  test('is computed again after 2,000 others', () => {
    const { ask, calls } = counted(0);
    for (let text = 0; text <= 2_000; text += 1) ask(String(text));
    ask('0');
    expect(calls()).toBe(2_002);
  });
});

test('different texts have their own results', () => {
  const ask = rememberResults((text) => text.toUpperCase());
  expect(['a', 'é', '\ud800', 'a'].map(ask)).toEqual(['A', 'É', '\ud800', 'A']);
});
