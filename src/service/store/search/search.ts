// What is searched: the expression, the filters, and who reads.
import type { Expression, Filter, LabelFilter } from '../../../contract/search/expression.ts';
import type { Tier } from '../../../contract/tier.ts';

/** A search of one reader. */
export type Search = {
  expression: Expression | undefined;
  filters: readonly Filter[];
  /** Returns the cities or channels of the archive that a filter means. */
  labelsOf(filter: LabelFilter): readonly string[];
  reader: Tier;
  /** Returns whether a message matches the expression by its text. */
  matches(n: number): Promise<boolean>;
};

/** The order of messages. `relevance` is that of the engine. */
export type SearchOrder = 'relevance' | 'newest' | 'oldest';

/** A message that was found, and what its order depends on; a lower score is better. */
export type Hit = { n: number; day: number; score: number };

/** Returns the condition that a file states one of these cities. `table`: the prefix of its columns. */
export function hasCity(table: 'a.' | '', labels: readonly string[], parameter: Parameter): string {
  return `${table}origin_city IN (${labels.map(parameter).join(', ')})`;
}

/** Returns the condition that a file has this content type, or one of a group: `image/`. */
export function hasType(table: 'a.' | '', type: string, parameter: Parameter): string {
  const column = `${table}declared_type`;
  if (!type.endsWith('/')) return `${column} = ${parameter(type)}`;
  // `0` is the character behind `/`.
  return `${column} >= ${parameter(type)} AND ${column} < ${parameter(type.replace('/', '0'))}`;
}

/** Adds a value to those of a statement, and returns its parameter. */
type Parameter = (value: string) => string;
