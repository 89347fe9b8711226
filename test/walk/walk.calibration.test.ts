// Walks of lists of the second generator of faults, which no threshold was chosen with. The long tests make more of them.
import { describeJudgedWalks } from '../support/judged-walk-tests.ts';

describeJudgedWalks(910_001, 60, 0);
