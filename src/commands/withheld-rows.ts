// Says that a list shows nothing but withheld rows, which another tier may read.
import type { App } from '../app.ts';

/** What to do where a tier reads too little. */
export const OTHER_TIER = 'arx whoami shows the tier, arx login asks for another';

/** Follows the words that there is no such value, where rows that are withheld may have it. */
export const IN_READABLE = ' in what you may read';

/** Returns whether a row says that it is withheld from the reader. */
export function isWithheld(row: object): boolean {
  const { status, redacted } = row as { status?: unknown; redacted?: unknown };
  return status === 'withheld' || redacted === true;
}

/** Says that every row is withheld, and what to do; a JSON document says it in each row. */
export function noticeAllWithheld(
  { rows, withheld }: { rows: number; withheld: number },
  app: Pick<App, 'printer' | 'notice'>,
): void {
  if (rows > 0 && rows === withheld && app.printer.mustSayDoubts())
    app.notice(`every row shown is withheld: redacted, or above the tier of your token; ${OTHER_TIER}`);
}
