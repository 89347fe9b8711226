// Forty walks of `arx walk` where a fifth of the requests fail in transit.
import { expect, test } from 'vitest';
import { walkRoughly } from '../support/rough-walks.ts';
import { tempFolder } from '../support/temp-folder.ts';

test.each([0, 0.1])('forty walks with a drift of %d', async (drift) => {
  const exits = await walkRoughly(tempFolder('rough'), 40, drift);
  expect(exits[0]).toBeGreaterThanOrEqual(35);
});
