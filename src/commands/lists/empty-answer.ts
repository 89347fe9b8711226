// Finds out whether an empty answer to filters can be believed: a service may know a parameter and apply it wrongly.
import type { Query } from '../../client/index.ts';
import { shows, type FieldFilter } from './field-filter.ts';

/** Reads the rows of a page. Returns undefined where the service refuses the query. */
export type ReadRows<Row> = (query: Query) => Promise<readonly Row[] | undefined>;

/** What is wrong with an empty answer; each filter is in at most one of the two lists. */
export type EmptyAnswer = {
  /** Whether a row matches all filters. */
  isMatched: boolean;
  /** Filters to which the service gave no row, although rows have the value that was asked for. */
  wrong: FieldFilter[];
  /** Filters about a field that no row shows. */
  untested: FieldFilter[];
};

/** Returns the query parameter of a filter. */
export function parameterOf({ parameter, value }: FieldFilter): Query {
  return { [parameter]: value };
}

/**
 * Compares an empty answer with `rows` of the same window that were read without filters: one of them may match. A filter
 * for which none does is tried with a value that a row has. An empty list needs no request.
 */
export async function examineEmptyAnswer<Row extends object>(
  filters: readonly FieldFilter[],
  rows: readonly Row[],
  read: ReadRows<Row>,
): Promise<EmptyAnswer> {
  const isMatched = rows.some((row) => filters.every((filter) => shows(row, filter) === true));
  const found: EmptyAnswer = { isMatched, wrong: [], untested: [] };
  if (rows.length === 0) return found;
  /** Any answer may be empty by a fault, so two must be. */
  const givesRows = async (tried: readonly FieldFilter[]): Promise<boolean> => {
    const query = { ...(Object.assign({}, ...tried.map(parameterOf)) as Query), limit: 1 };
    for (let count = 0; count < 2; count += 1) {
      const answer = await read(query);
      // What is refused is looked at.
      if (answer === undefined || answer.length > 0) return true;
    }
    return false;
  };
  for (const filter of filters) {
    const known = rows.map((row) => valueShown(row, filter)).filter((value) => value !== undefined);
    const value = known.find((each) => each === filter.value) ?? known[0];
    if (value === undefined) found.untested.push(filter);
    else if (!(await givesRows([{ ...filter, value }]))) found.wrong.push(filter);
  }
  if (isMatched && found.wrong.length === 0 && !(await givesRows(filters))) found.wrong.push(...filters);
  return found;
}

/** Returns the value that a row has for a filter. A text that is empty says nothing. */
function valueShown(row: object, filter: FieldFilter): string | boolean | undefined {
  const shown = (row as Record<string, unknown>)[filter.field] ?? filter.absent;
  const isValue = typeof shown === 'boolean' || (typeof shown === 'string' && shown !== '');
  const value = typeof shown === 'number' ? String(shown) : isValue ? shown : undefined;
  return value !== undefined && shows(row, { ...filter, value }) === true ? value : undefined;
}
