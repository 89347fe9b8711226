// SQL conditions on the tier of a reader, for the records of lists.
import type { Tier } from '../../contract/tier.ts';
import { tiersUpTo } from '../rules/tiers.ts';

/** Returns the SQL condition that a reader of this tier may read a row with the tier in `column`. */
export function isReadable(column: string, reader: Tier): string {
  return `${column} IN (${tiersUpTo(reader)
    .map((tier) => `'${tier}'`)
    .join(', ')})`;
}

/**
 * Returns the SQL condition that this reader gets the bytes of an attachment. What is withheld must not be found by what it is.
 * `table`: the prefix of its columns.
 */
export function isOpenFile(table: 'a.' | '', reader: Tier): string {
  return `${table}redacted = 0 AND ${isReadable(`${table}tier`, reader)}`;
}

/** Returns what is made for a reader of each tier. */
export function forReaders<Made>(make: (reader: Tier) => Made): Record<Tier, Made> {
  return { external: make('external'), internal: make('internal'), mirror: make('mirror') };
}

/**
 * Returns the statement for a reader of a tier. It is made at the first call, because the texts are long and a command needs one
 * of them; and once, because statements are found by identity later.
 */
export function statementFor(make: (reader: Tier) => string): (reader: Tier) => string {
  const made: Partial<Record<Tier, string>> = {};
  return (reader) => (made[reader] ??= make(reader));
}
