// Defines the tests of checks against services.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { tempFolder } from '../temp-folder.ts';
import { contextOf, idsOf, type Check } from './checks/check.ts';
import { startOtherService, type OtherService } from './service.ts';
import type { Variant } from './variant.ts';

/** What a service says differs most in how a list ends; the walks of faulty services have these shapes. */
export const FAULTY_SHAPES = ['plain', 'json-api', 'ignores'];
/** Exit codes of a walk whose requests fail in transport: exact, or it says that it is not. 11 would blame the answers. */
export const HONEST_EXITS: readonly string[] = ['0', '8', '9', '10'];

const WHOLLY_QUICK = new Set(['plain', 'refuses', 'json-api']);

/** Returns whether all checks run against this service in every quick test run, so that the long one need not repeat them. */
export function isWhollyQuick({ name }: Variant): boolean {
  return WHOLLY_QUICK.has(name);
}

/** Walks `count` services; `variantOf` gets a seed. Returns how often each exit code came, and how many lists with exit 0 were wrong. */
export async function walkOften(
  variantOf: (seed: string) => Variant,
  count: number,
): Promise<{ exits: Record<string, number>; wrong: number }> {
  const exits: Record<string, number> = {};
  let wrong = 0;
  for (let number = 0; number < count; number += 1) {
    const service = await startOtherService(variantOf(`seed ${number}`));
    const { arx, truth } = contextOf(service, tempFolder('other'));
    const ran = await arx('conversations walk --limit 20 -o ndjson');
    await service.close();
    exits[ran.exit] = (exits[ran.exit] ?? 0) + 1;
    if (ran.exit === 0 && idsOf(ran).join() !== truth.threads.join()) wrong += 1;
  }
  return { exits, wrong };
}

/** Defines one test for each check against this service. */
export function testAgainst(variant: Variant, checks: readonly Check[]): void {
  const named = checks.map((check) => [check.name, check] as const);
  const title = `${variant.name}: ${variant.about}`;
  if (variant.messages === 'never answers') {
    // These tests mostly wait, so they wait together, each at a service of its own.
    describe.concurrent(title, () => {
      test.each(named)('%s', async (_, check) => {
        const service = await startOtherService(variant);
        await check.run(contextOf(service, tempFolder('other'))).finally(() => service.close());
      });
    });
    return;
  }
  describe(title, () => {
    let service: OtherService;
    beforeAll(async () => void (service = await startOtherService(variant)));
    afterAll(() => service.close());

    test.each(named)('%s', (_, check) => check.run(contextOf(service, tempFolder('other'))));
  });
}
