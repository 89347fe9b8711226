// Reads pages of one list of the examined service, as rows or as the response that refused them.
import { faultOfResponse } from '../../client/error-response.ts';
import type { ListGuess } from '../../client/shapes/list-guess.ts';
import { createUnknownListParser, type UnknownRow } from '../../client/unknown-list.ts';
import type { Query } from '../../client/base-url.ts';
import type { ApiResponse } from '../../client/response.ts';
import type { ExaminedList } from '../../contract/reports/service.ts';
import { Fault } from '../../faults.ts';
import type { Page, PageQuery, Source } from '../../walk/source.ts';
import { withoutUndefined } from '../input.ts';
import type { Examiner } from './examiner.ts';

/** Rows of a sample page: enough to see what differs between rows. */
export const SAMPLE_ROWS = 20;

/** A page as it was answered: its rows, or `refused` with an HTTP status, or `unreadable`. */
export type SeenPage =
  | { kind: 'page'; page: Page<UnknownRow>; status: number }
  | { kind: 'refused'; status: number; response: ApiResponse }
  | { kind: 'unreadable'; status: number; reason: string };

/** One list of the service. */
export type ListPages = {
  readonly path: string;
  /** Reads a page. Throws the Faults of {@link Examiner.get}. */
  read(query: Query, options?: { anonymous: boolean }): Promise<SeenPage>;
  /** Returns the list as a walk reads it. It throws the Fault of a refused or unreadable page. */
  source(): Source<UnknownRow>;
  /** Returns where the rows are, undefined before a page with rows was read. */
  guess(): ListGuess | undefined;
};

/** Returns the list at a path. */
export function listPages(examiner: Examiner, path: string): ListPages {
  const list = createUnknownListParser({ name: path.split('/').at(-1), position: 'sequence' });
  const read: ListPages['read'] = async (query, options) => {
    const response = await examiner.get(path, query, options);
    const { status } = response;
    if (status >= 300) return { kind: 'refused', status, response };
    try {
      const isBackward = query['ending_before'] !== undefined && query['starting_after'] === undefined;
      const { data, has_more, drift_ratio } = list.parse(response, isBackward).body;
      return { kind: 'page', status, page: { rows: data, ...withoutUndefined({ has_more, drift_ratio }) } };
    } catch (error) {
      // Kind 'network': the rows are not where an earlier page had them.
      if (!(error instanceof Fault) || !['protocol', 'network'].includes(error.kind)) throw error;
      return { kind: 'unreadable', status, reason: error.message };
    }
  };
  return {
    path,
    read,
    guess: list.guess,
    source: () => ({
      async page({ after, before, limit }: PageQuery) {
        const query = withoutUndefined({ starting_after: after, ending_before: before, limit });
        const seen = await read(query);
        if (seen.kind === 'refused') throw faultOfResponse(seen.response, examiner.urlOf(path, query));
        if (seen.kind === 'unreadable') throw new Fault('protocol', seen.reason);
        return seen.page;
      },
    }),
  };
}

/** Returns the state of a list by what its first page was. */
export function stateOf(seen: SeenPage): ExaminedList['state'] {
  if (seen.kind === 'page') return seen.page.rows.length === 0 ? 'empty' : 'read';
  if (seen.kind === 'unreadable') return 'no_list';
  if (seen.status === 401) return 'needs_token';
  if (seen.status === 403) return 'forbidden';
  return MISSING_STATUS.has(seen.status) ? 'missing' : 'failed';
}

/** Status codes of a path that a service does not have. */
export const MISSING_STATUS: ReadonlySet<number> = new Set([404, 405, 410, 501]);
