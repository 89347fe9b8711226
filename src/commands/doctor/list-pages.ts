// Reads pages of one list of the examined service, as rows or as the response that refused them.
import { MISSING_STATUS } from '../../capabilities/unsupported-status.ts';
import type { Query } from '../../client/base-url.ts';
import type { ListPage, ListParser } from '../../client/list-parser.ts';
import { createRecordListParser } from '../../client/record-list.ts';
import type { ApiResponse } from '../../client/response.ts';
import { ATTACHMENTS, CONVERSATIONS, EVENTS, MESSAGES } from '../../client/shapes/list-kinds.ts';
import type { ListGuess } from '../../client/shapes/list-guess.ts';
import type { ExaminedList, ExaminedListName } from '../../contract/reports/service.ts';
import { Fault } from '../../faults.ts';
import type { Page, PageQuery, Source } from '../../walk/source.ts';
import { withoutUndefined } from '../shared/input.ts';
import type { Examiner } from './examiner.ts';

/** Rows of a sample page: enough to see what differs between rows. */
export const SAMPLE_ROWS = 20;

/** A row of any list. */
export type ListedRow = { id: string; [field: string]: unknown };

/** A page as it was answered: its rows, or `refused` with an HTTP status, or `unreadable`. */
export type SeenPage =
  | { kind: 'page'; page: ListPage<ListedRow>; status: number }
  | { kind: 'refused'; status: number; response: ApiResponse }
  | { kind: 'unreadable'; status: number; reason: string };

/** One list of the service. */
export type ListPages = {
  readonly list: ExaminedListName;
  readonly path: string;
  /** Reads a page. Throws the Faults of {@link Examiner.get}. */
  read(query: Query, options?: { anonymous: boolean }): Promise<SeenPage>;
  /** As {@link ListPages.read}, but throws the Fault of a page that is refused or cannot be read. */
  page(query: Query): Promise<Page<ListedRow>>;
  /** Returns where the rows are; undefined before a page with rows. */
  guess(): ListGuess | undefined;
  /** Returns the notices about fields that had to be left out of rows. */
  notices(): readonly string[];
  /** Returns the list as a walk reads it. */
  source(): Source<ListedRow>;
};

/** Returns the list at a path. */
export function listPages(examiner: Examiner, name: ExaminedListName, path: string): ListPages {
  const notices: string[] = [];
  const parser = PARSER_OF[name]({ notice: (line) => void notices.push(line) });
  const read: ListPages['read'] = async (query, options) => {
    const response = await examiner.get(path, query, options);
    const { status } = response;
    if (status >= 300) return { kind: 'refused', status, response };
    const isBackward = query['ending_before'] !== undefined && query['starting_after'] === undefined;
    try {
      return { kind: 'page', status, page: parser.parse(response, isBackward).body };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { kind: 'unreadable', status, reason: examiner.redact(error.message) };
    }
  };
  const page: ListPages['page'] = async (query) => {
    const seen = await read(query);
    if (seen.kind === 'refused') throw examiner.faultOf(seen.response, path, query);
    if (seen.kind === 'unreadable') throw new Fault('protocol', seen.reason);
    const { data, has_more } = seen.page;
    return { rows: data, ...withoutUndefined({ has_more }) };
  };
  return {
    list: name,
    path,
    read,
    guess: parser.guess,
    notices: () => notices,
    page,
    source: () => ({
      page: ({ after, before, limit }: PageQuery) =>
        page(withoutUndefined({ starting_after: after, ending_before: before, limit })),
    }),
  };
}

type Notice = { notice: (line: string) => void };

const PARSER_OF: Record<ExaminedListName, (messages: Notice) => ListParser<ListedRow>> = {
  conversations: (messages) => createRecordListParser(CONVERSATIONS, messages),
  messages: (messages) => createRecordListParser(MESSAGES, messages),
  attachments: (messages) => createRecordListParser(ATTACHMENTS, messages),
  events: (messages) => createRecordListParser(EVENTS, messages),
};

/** Returns the state of a list by what its first page was. */
export function stateOf(seen: SeenPage): ExaminedList['state'] {
  if (seen.kind === 'page') return seen.page.data.length === 0 ? 'empty' : 'read';
  if (seen.kind === 'unreadable') return 'no_list';
  if (seen.status === 401) return 'needs_token';
  if (seen.status === 403) return 'forbidden';
  return MISSING_STATUS.has(seen.status) ? 'missing' : 'failed';
}
