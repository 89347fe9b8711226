// SQL conditions on the tier of a reader, for the records of lists.
import type { Tier } from '../../contract/token.ts';
import { tiersUpTo } from '../rules/tiers.ts';

/** Returns the SQL condition that a reader of this tier may read a row with the tier in `column`. */
export function isReadable(column: string, reader: Tier): string {
  return `${column} IN (${tiersUpTo(reader)
    .map((tier) => `'${tier}'`)
    .join(', ')})`;
}

/** Returns what is made for a reader of each tier. Statements are made once, because they are found by identity later. */
export function forReaders<Made>(make: (reader: Tier) => Made): Record<Tier, Made> {
  return { external: make('external'), internal: make('internal'), mirror: make('mirror') };
}
