// `arx walk` where a fifth of the requests fail in transit: the list is exact, or the exit code says that it is not.
import { expect, test } from 'vitest';
import { walkRoughly } from '../support/rough-walks.ts';
import { tempFolder } from '../support/temp-folder.ts';

test.each([0, 0.1])('ten walks with a drift of %d', async (drift) => {
  const exits = await walkRoughly(tempFolder('rough'), 10, drift);
  expect(exits[0]).toBeGreaterThanOrEqual(9);
});
