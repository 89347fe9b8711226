// Says that dates in filters are in UTC, where a table shows instants in another time zone.
import type { App } from '../../app.ts';
import { parsePeriod } from '../../contract/search/dates.ts';
import { zoneName } from '../../format/instants.ts';

/** A date that names its zone. */
const ZONED = /:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

/**
 * Says, for a table in a zone other than UTC, that the dates of filters are in UTC. Results do not depend on the terminal, so only
 * what is shown is moved to the zone of the user.
 */
export function sayDatesAreUtc(
  dates: readonly (string | undefined)[],
  { printer, instants, world, notice }: Pick<App, 'printer' | 'instants' | 'world' | 'notice'>,
): void {
  if (printer.output !== 'table') return;
  for (const date of dates) {
    if (date === undefined || ZONED.test(date)) continue;
    const period = parsePeriod(date, world.now());
    if (typeof period === 'string') continue;
    const { offset } = instants.show(new Date(period.start).toISOString());
    if (offset === undefined || offset === 0) continue;
    notice(`dates of filters are in UTC, those of tables in ${zoneName([offset])}; --utc shows both in UTC`);
    return;
  }
}

/** Returns the dates in the parts of a query: `2021` of `since:2021`. */
export function datesOf(parts: readonly string[]): string[] {
  return parts.flatMap((part) => /^-?(?:since|before|on):"?([^"]*)/i.exec(part)?.[1] ?? []);
}
