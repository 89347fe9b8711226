// SQL conditions on the tier of a reader, for the records of lists.
import type { Tier } from '../../contract/token.ts';
import { tiersUpTo } from '../rules/tiers.ts';

/** Returns the SQL condition that a reader of this tier may read a row with the tier in `column`. */
export function isReadable(column: string, reader: Tier): string {
  return `${column} IN (${tiersUpTo(reader)
    .map((tier) => `'${tier}'`)
    .join(', ')})`;
}

/** Returns the text for each tier. Statements are built once, because they are found by identity later. */
export function forReaders(statement: (reader: Tier) => string): Record<Tier, string> {
  return { external: statement('external'), internal: statement('internal'), mirror: statement('mirror') };
}
