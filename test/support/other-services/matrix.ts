// Defines the tests of checks against services. A check that is known to fail must fail with its known symptom.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tempFolder } from '../temp-folder.ts';
import { contextOf, type Check } from './checks/check.ts';
import { knownFailure } from './known-failures.ts';
import { startOtherService, type OtherService } from './service.ts';
import type { Variant } from './variant.ts';

/** Defines one test for each check against this service. */
export function testAgainst(variant: Variant, checks: readonly Check[]): void {
  describe(`${variant.name}: ${variant.about}`, () => {
    let service: OtherService;
    beforeAll(async () => void (service = await startOtherService(variant)));
    afterAll(() => service.close());

    test.each(checks.map((check) => [check.name, check] as const))('%s', async (_, check) => {
      const run = check.run(contextOf(service, tempFolder('other')));
      const known = knownFailure(variant.name, check.name);
      if (known === undefined) return run;
      const message = await run.then(
        () => 'passes: remove it from known-failures.ts',
        (error: unknown) => (error as Error).message,
      );
      expect(message).toContain(known);
    });
  });
}
