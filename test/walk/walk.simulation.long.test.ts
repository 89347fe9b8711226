// Three thousand small walks over lists with every kind of fault, in virtual time: a complete walk is exact, and no row is wrong.
import { describeSampledWalks } from '../support/sampled-walk-tests.ts';

describeSampledWalks(1_800, 10);
