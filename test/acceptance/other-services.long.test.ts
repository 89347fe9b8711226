// Every command against every other service, also where pages are wrong, requests fail, or /messages never answers.
import { describe, expect, test } from 'vitest';
import { CHECKS } from '../support/other-services/checks/index.ts';
import { contextOf, idsOf } from '../support/other-services/checks/check.ts';
import { testAgainst } from '../support/other-services/matrix.ts';
import { startOtherService } from '../support/other-services/service.ts';
import { SLOW, STEADY, drifting, rough } from '../support/other-services/variants.ts';
import type { Variant } from '../support/other-services/variant.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The list checks read what a service says, whatever it says; these shapes differ most in how a list ends. */
const FAULTY_SHAPES = ['plain', 'json-api', 'ignores'];
const WALKS = 100;

for (const variant of [...STEADY, ...SLOW]) testAgainst(variant, CHECKS);

/** Returns how often each exit code came, and how many lists with exit 0 were not exact. */
async function walkOften(variantOf: (seed: string) => Variant) {
  const exits: Record<number, number> = {};
  let wrong = 0;
  for (let number = 0; number < WALKS; number += 1) {
    const service = await startOtherService(variantOf(`seed ${number}`));
    const { arx, truth } = contextOf(service, tempFolder('other'));
    const ran = await arx('conversations walk --limit 20 -o ndjson');
    await service.close();
    exits[ran.exit] = (exits[ran.exit] ?? 0) + 1;
    if (ran.exit === 0 && idsOf(ran).join() !== truth.threads.join()) wrong += 1;
  }
  return { exits, wrong };
}

describe.each(FAULTY_SHAPES)('%s', (shape) => {
  test('21 % of wrong pages: no list with exit 0 is wrong, and 98 of 100 are exact', async () => {
    const { exits, wrong } = await walkOften((seed) => drifting(shape, seed));
    expect(wrong).toBe(0);
    expect(exits[0], JSON.stringify(exits)).toBeGreaterThanOrEqual(98);
    expect(Object.keys(exits).filter((exit) => !['0', '8'].includes(exit))).toEqual([]);
  });

  test('20 % of requests that fail: each walk is exact, or says that it is not; none is exit 11', async () => {
    const { exits, wrong } = await walkOften((seed) => rough(shape, seed));
    expect(wrong).toBe(0);
    expect(Object.keys(exits).filter((exit) => !['0', '8', '9', '10'].includes(exit))).toEqual([]);
    expect(exits[0], JSON.stringify(exits)).toBeGreaterThanOrEqual(98);
  });
});

for (const shape of FAULTY_SHAPES) testAgainst(rough(shape, 'commands'), CHECKS);
testAgainst(drifting('plain', 'commands'), CHECKS);
