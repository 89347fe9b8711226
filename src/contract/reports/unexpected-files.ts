// Apart from the schema of the report, which views do not load.
import type { Verdict, VerifiedFile } from './files.ts';

/** Verdicts that say nothing of the content of a file: it could not be had, or nothing names it. */
export const NOT_COMPARED = ['withheld', 'absent', 'extra'] as const satisfies readonly Verdict[];

/** Returns the files that are not as expected, and apart from them those that were not compared with anything. */
export function partByComparison(files: readonly VerifiedFile[]): {
  unexpected: VerifiedFile[];
  notCompared: VerifiedFile[];
} {
  const isCompared = ({ verdict }: VerifiedFile): boolean => !NOT_COMPARED.some((each) => each === verdict);
  return {
    unexpected: files.filter(isCompared),
    notCompared: files.filter((file) => !isCompared(file)),
  };
}
