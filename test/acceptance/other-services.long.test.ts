// Every command against every other service.
import { CHECKS } from '../support/other-services/checks/index.ts';
import { testAgainst } from '../support/other-services/matrix.ts';
import { STEADY } from '../support/other-services/variants.ts';

for (const variant of STEADY) testAgainst(variant, CHECKS);
