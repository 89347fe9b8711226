// What is searched: the expression, the filters, and who reads.
import type { Expression, Filter, LabelFilter } from '../../../contract/search/query.ts';
import type { Tier } from '../../../contract/token.ts';
import { isReadable } from '../../records/reader.ts';

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

/** Returns the condition that the reader gets an attachment `a`. What is withheld must not be found by what it is. */
export function isOpenFile(reader: Tier): string {
  return `a.redacted = 0 AND ${isReadable('a.tier', reader)}`;
}
