// Says that a list shows withheld rows, which another tier may read.
import type { App } from '../../app.ts';
import { isWithheld } from '../../contract/withheld.ts';
import { Fault } from '../../faults.ts';
import { partOf } from '../../format/numbers.ts';

export { isWithheld };

/** What to do where a tier reads too little. */
export const OTHER_TIER =
  'arx whoami shows the tier, arx login asks for another; no tier reads what is redacted';

/**
 * Returns for a summary how many rows of a list are withheld; null in place of 0 where rows were left out of which it could not be told
 * whether they match: some of them may be withheld and match.
 */
export function withheldInSummary(withheld: number, isUndecided: boolean): number | null {
  return withheld === 0 && isUndecided ? null : withheld;
}

/** Returns the status of a list that was read row by row: partial where it was cut short or shows withheld rows. */
export function listStatus({
  isCutShort,
  fault,
  withheld,
}: {
  /** Not read to its end for another reason than the answers: interrupted, or the service cannot be reached. */
  isCutShort: boolean;
  fault?: Fault | undefined;
  withheld: number;
}): 'partial' | 'unstable' | 'stable' {
  if (isCutShort) return 'partial';
  if (fault !== undefined) return 'unstable';
  return withheld > 0 ? 'partial' : 'stable';
}

/** How many rows a list shows, and how many of them are withheld. */
type ShownRows = { rows: number; withheld: number };

/** Fails the run under `--strict` if rows are withheld. Otherwise says so where every row is. */
export function sayWithheld(
  { rows, withheld }: ShownRows,
  app: Pick<App, 'printer' | 'notice' | 'strict' | 'addFault'>,
): void {
  if (!app.strict) noticeAllWithheld({ rows, withheld }, app);
  else if (withheld > 0)
    app.addFault(new Fault('partial', `${partOf(withheld, rows, 'row')} withheld`, { hint: OTHER_TIER }));
}

/** Says that every row is withheld, and what to do; a JSON document says it in each row. */
export function noticeAllWithheld({ rows, withheld }: ShownRows, app: Pick<App, 'printer' | 'notice'>): void {
  if (rows > 0 && rows === withheld && app.printer.mustSayDoubts())
    app.notice(`every row shown is withheld: redacted, or above the tier of your token; ${OTHER_TIER}`);
}
