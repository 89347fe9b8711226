// Defines the tests of checks against services.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { tempFolder } from '../temp-folder.ts';
import { contextOf, type Check } from './checks/check.ts';
import { startOtherService, type OtherService } from './service.ts';
import type { Variant } from './variant.ts';

/** Defines one test for each check against this service. */
export function testAgainst(variant: Variant, checks: readonly Check[]): void {
  describe(`${variant.name}: ${variant.about}`, () => {
    let service: OtherService;
    beforeAll(async () => void (service = await startOtherService(variant)));
    afterAll(() => service.close());

    test.each(checks.map((check) => [check.name, check] as const))('%s', (_, check) =>
      check.run(contextOf(service, tempFolder('other'))),
    );
  });
}
