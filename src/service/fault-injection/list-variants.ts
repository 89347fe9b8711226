// Variants of lists: rules that the interface does not show, and that another service may choose differently from ours.
import { LIMIT_VARIANTS, LIST_VARIANTS, UNKNOWN_PARAMETER } from '../../contract/injected-faults.ts';
import { DOCUMENTED_PARAMETERS } from '../../contract/documented.ts';
import type { RouteName } from '../../contract/routes.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { directionOf } from '../../contract/window.ts';
import type { ListPage, ListWindow } from '../handlers/list-source.ts';
import type { Query } from '../handlers/query.ts';
import { ApiError } from '../rules/api-error.ts';

/** How every response of a list differs from that of a normal service. */
export type ListVariants = {
  /** Pages of `ending_before` alone begin with their newest row. */
  descending: boolean;
  /** Query parameters that the interface does not show are refused. */
  strict: boolean;
  /** The largest page, and what a larger `limit` gets. */
  maxLimit?: { rows: number; isRefused: boolean };
};

/** Query parameters that the interface shows for a list (4.7); a strict service takes them for each of its lists. */
const WINDOW_PARAMETERS = ['starting_after', 'ending_before', 'limit'];
/** Characters of a refused parameter that the error shows. */
const MAX_SHOWN_NAME = 60;

/** Returns the variants of a text like `descending,strict,clamp-limit:50`. Throws an Error that names the wrong part. */
export function parseVariants(text: string): ListVariants {
  const variants: ListVariants = { descending: false, strict: false };
  for (const part of text.split(',').map((name) => name.trim())) {
    const flag = LIST_VARIANTS.find((name) => name === part);
    const limit = LIMIT_VARIANTS.find((name) => part.startsWith(`${name}:`));
    if (flag !== undefined) variants[flag] = true;
    else if (limit === undefined) throw new Error(unknownVariant(part));
    else if (variants.maxLimit !== undefined) {
      throw new Error(`names two largest pages; use one of ${LIMIT_VARIANTS.join(', ')} once`);
    } else {
      const rows = rowsIn(part.slice(limit.length + 1));
      variants.maxLimit = { rows, isRefused: limit === 'refuse-limit' };
    }
  }
  return variants;
}

/** Throws ApiError `request_invalid` or `limit_out_of_range` where these variants refuse the query of a list. */
export function refuseQuery({ strict, maxLimit }: ListVariants, route: RouteName, query: Query): void {
  const names = query.except([]).map(([name]) => name);
  const known = new Set([...WINDOW_PARAMETERS, ...(DOCUMENTED_PARAMETERS[route] ?? [])]);
  const unknown = names.find((name) => !known.has(name));
  if (strict && unknown !== undefined) {
    throw new ApiError('request_invalid', `${unknown.slice(0, MAX_SHOWN_NAME)}${UNKNOWN_PARAMETER}`);
  }
  // A default that is too large is not the fault of the client.
  if (maxLimit?.isRefused === true && names.includes('limit') && query.limit() > maxLimit.rows) {
    throw new ApiError(
      'limit_out_of_range',
      `limit: must be one integer from ${PAGE_LIMIT.minimum} to ${maxLimit.rows}`,
    );
  }
}

/** Returns the window with at most as many rows as the largest page has. */
export function limitedWindow(window: ListWindow, variants: ListVariants | undefined): ListWindow {
  const { maxLimit } = variants ?? {};
  return maxLimit === undefined ? window : { ...window, limit: Math.min(window.limit, maxLimit.rows) };
}

/** Returns the page in the order in which a service of these variants sends it. */
export function orderedPage<Row>(
  page: ListPage<Row>,
  window: ListWindow,
  variants: ListVariants | undefined,
): ListPage<Row> {
  const isTurned = variants?.descending === true && directionOf(window) === 'backward';
  return isTurned ? { ...page, rows: page.rows.toReversed() } : page;
}

function rowsIn(digits: string): number {
  const rows = /^\d{1,6}$/.test(digits) ? Number(digits) : 0;
  if (rows >= PAGE_LIMIT.minimum && rows <= PAGE_LIMIT.maximum) return rows;
  throw new Error(
    `must name a largest page from ${PAGE_LIMIT.minimum} to ${PAGE_LIMIT.maximum} rows, not "${digits}"`,
  );
}

function unknownVariant(part: string): string {
  const known = [...LIST_VARIANTS, ...LIMIT_VARIANTS.map((name) => `${name}:ROWS`)];
  return `unknown variant "${part}"; use one of ${known.join(', ')}`;
}
