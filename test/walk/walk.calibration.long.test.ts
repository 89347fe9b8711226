// More walks of lists of the second generator of faults; `npm run bench calibration` makes as many as you like.
import { describeJudgedWalks } from '../support/judged-walk-tests.ts';

// Two of them: a few lists deceive every reader that reads a page twice.
describeJudgedWalks(920_001, 180, 2);
