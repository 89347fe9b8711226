// A page size that the service refuses is lowered to one that it accepts.
import { expect, test } from 'vitest';
import { limitNamedIn, readFirstPage } from '../../src/capabilities/page-limit.ts';
import { Fault } from '../../src/faults.ts';

const { signal } = new AbortController();

/** A list that refuses pages of more than `maximum` rows. */
function listOf(maximum: number, message = 'the service refused the request: limit', status = 400) {
  const asked: number[] = [];
  const source = {
    page: async ({ limit }: { limit: number }) => {
      asked.push(limit);
      if (limit > maximum) throw new Fault('protocol', message, { status });
      return { rows: [{ id: 'a' }] };
    },
  };
  return { asked, source };
}

test.each([
  [500, 500, undefined, [500]],
  [500, 100, 'limit must be from 1 to 100', [500, 100]],
  [500, 100, 'limit 500 is over the maximum of 100', [500, 100]],
  [500, 100, 'limit out of range', [500, 10, 250, 125, 62]],
  [500, 60, 'the page size must be below 61.', [500, 61, 10, 250, 125, 62, 31]],
  [100, 12, 'no', [100, 10, 50, 25, 12]],
  [100, 10, 'no', [100, 10, 50, 25, 12]],
  [8, 8, 'no', [8]],
])('%d rows where %d are allowed: %s', async (wanted, maximum, message, expected) => {
  const { asked, source } = listOf(maximum, message);
  const first = await readFirstPage(source, wanted, signal);
  expect(asked).toEqual(expected);
  expect(first.limit).toBeLessThanOrEqual(maximum);
  expect(first.requests).toBe(expected.length);
});

test('a refusal that is not about the page size is thrown after three requests at most', async () => {
  const { asked, source } = listOf(0, 'the filter 7 is unknown');
  await expect(readFirstPage(source, 100, signal)).rejects.toThrow('the filter 7 is unknown');
  expect(asked).toEqual([100, 7, 10]);
});

test('another error than a refusal is thrown at once', async () => {
  const { asked, source } = listOf(0, 'no', 404);
  await expect(readFirstPage(source, 100, signal)).rejects.toThrow('no');
  expect(asked).toEqual([100]);
});

test.each([
  ['limit must be between 1 and 50', 100, 50],
  ['limit 100 is above 50.', 100, 50],
  ['request req_42 refused by api.v2.1', 100, undefined],
  ['maximum 1000', 100, undefined],
  ['maximum: 1,000', 5000, undefined],
  ['', 100, undefined],
])('%s (refused %d) names %s', (message, refused, expected) => {
  expect(limitNamedIn(message, refused)).toBe(expected);
});
