// How often a property test draws its input: few times in the quick tests, all of them in the long ones.

/** Returns `long` in `npm run test:long`, otherwise `quick`. The file must be in MORE_RUNS of `vitest.config.mts`. */
export const runs = ({ quick, long }: { quick: number; long: number }): number =>
  process.env['ARX_TEST_LONG'] === undefined ? quick : long;
