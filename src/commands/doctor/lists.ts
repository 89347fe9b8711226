// Finds out how one list of a service is read: its shape, its cursors, its largest page, and how it answers impossible cursors.
import { errorFieldsOf } from '../../client/error-response.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import type { ListPage } from '../../client/list-parser.ts';
import { safeText } from '../../client/safe-text.ts';
import type { ExaminedList, ExaminedListName, Rejection } from '../../contract/reports/service.ts';
import { examineCursors, type LimitMemory } from './cursors.ts';
import type { Examiner } from './examiner.ts';
import { examineFilters, TRIED_FILTERS } from './filters.ts';
import {
  listPages,
  SAMPLE_ROWS,
  stateOf,
  type ListedRow,
  type ListPages,
  type SeenPage,
} from './list-pages.ts';
import { answerOf, settle } from './settle.ts';

/** Equal requests for the first page: where they differ, the list drifts. */
const EQUAL_READS = 2;

/** What was found out about a list, its pages, and the rows of its first page. */
export type SeenList = { facts: ExaminedList; pages: ListPages; rows: ListedRow[] };

/** Examines one list. The first of `paths` that the service has is taken. */
export async function examineList(
  examiner: Examiner,
  name: ExaminedListName,
  paths: readonly string[],
  memory: LimitMemory,
): Promise<SeenList> {
  const { pages, state, first, reason = null } = await findList(examiner, name, paths);
  const unseen = { ...unseenList(pages.path, state), reason };
  const rows = first?.data ?? [];
  if (rows.length === 0) return { facts: unseen, pages, rows };
  const seen = { ...unseen, sample: rows.length, repeated: await examineRepeats(pages, rows) };
  const cursors = await examineCursors(pages, rows.length, memory, examiner.signal);
  const facts: ExaminedList = {
    ...seen,
    ...cursors,
    unknown_cursor: await examineUnknownCursor(pages, rows),
    misordered: await examineMisordered(pages, rows, cursors.cursors.swapped),
    filters: await examineFilters(pages, TRIED_FILTERS[name] ?? [], rows),
    shape: shapeOf(pages, rows),
  };
  return { facts, pages, rows };
}

type FirstPage = ListPage<ListedRow>;
type FoundList = { pages: ListPages; state: ExaminedList['state']; first?: FirstPage; reason?: string };

/** Returns the list with its first page; without one, the state that repeated reads agree on. */
async function findList(
  examiner: Examiner,
  name: ExaminedListName,
  paths: readonly string[],
): Promise<FoundList> {
  const lists = paths.map((path) => listPages(examiner, name, path));
  let state: ExaminedList['state'] = 'unseen';
  for (const pages of lists) {
    let first: FirstPage | undefined;
    let reason: string | undefined;
    const settled = await settle(
      async () => {
        const seen = await readSample(pages);
        if (seen.kind === 'page') first = seen.page;
        else reason = seen.kind === 'unreadable' ? seen.reason : examiner.redact(reasonOf(seen));
        return stateOf(seen);
      },
      // A service that has no such path, or wants a token, says so at the first time.
      (each) => each !== 'empty' && each !== 'no_list' && each !== 'failed',
    );
    state = settled;
    if (first !== undefined && (state === 'read' || state === 'empty')) return { pages, state, first };
    if (state !== 'missing') return { pages, state, ...(reason === undefined ? {} : { reason }) };
  }
  return { pages: lists[0]!, state };
}

function reasonOf({ status, response }: Extract<SeenPage, { kind: 'refused' }>): string {
  const { code, message } = errorFieldsOf(response);
  return [String(status), code, message].filter((text) => text !== undefined).join(' ');
}

/** Reads a small page; without a limit where the service refuses it. */
async function readSample(pages: ListPages): Promise<SeenPage> {
  const seen = await pages.read({ limit: SAMPLE_ROWS });
  const isRefused = seen.kind === 'refused' && (seen.status === 400 || seen.status === 422);
  return isRefused ? pages.read({}) : seen;
}

const NO_REJECTION: Rejection = { answer: 'unseen', status: null, code: null };

/** Returns the facts of a list of which nothing but its state is known. */
export function unseenList(path: string, state: ExaminedList['state']): ExaminedList {
  return {
    path,
    state,
    sample: 0,
    reason: null,
    shape: null,
    repeated: 'unseen',
    cursors: { starting_after: 'unseen', ending_before: 'unseen', both: 'unseen', swapped: false },
    order: { starting_after: 'unseen', ending_before: 'unseen', both: 'unseen' },
    page_limit: { handling: 'unseen', asked: PAGE_LIMIT.maximum, accepted: null, given: null },
    unknown_cursor: NO_REJECTION,
    misordered: NO_REJECTION,
    filters: {},
  };
}

function shapeOf(pages: ListPages, rows: readonly ListedRow[]): ExaminedList['shape'] {
  const guess = pages.guess();
  const text = (path: string): string => safeText(path, 100);
  return {
    rows: text(guess?.rows ?? ''),
    container: guess?.container ?? 'array',
    fields: guess?.fields ?? '',
    id: text(guess?.id ?? 'id'),
    names: Object.fromEntries(
      Object.entries(guess?.names ?? {}).map(([ours, theirs]) => [ours, text(theirs)]),
    ),
    has_more: guess?.hasMore === undefined ? null : text(guess.hasMore),
    next: guess?.next === undefined ? null : text(guess.next),
    paged_by: guess?.pagedBy === undefined ? null : text(guess.pagedBy),
    positions: rows.length > 0 && rows.every((row) => Number.isSafeInteger(row['sequence'])),
    left_out: pages.notices().map((notice) => safeText(notice, 200)),
  };
}

async function examineRepeats(
  pages: ListPages,
  rows: readonly ListedRow[],
): Promise<ExaminedList['repeated']> {
  const idsOf = (each: readonly ListedRow[]): string => JSON.stringify(each.map(({ id }) => id));
  for (let read = 1; read < EQUAL_READS; read += 1) {
    const seen = await answerOf(() => pages.read({ limit: SAMPLE_ROWS }));
    if (seen === undefined) return 'unseen';
    if (seen.kind !== 'page' || idsOf(seen.page.data) !== idsOf(rows)) return 'differs';
  }
  return 'same';
}

/** Returns how a cursor is answered that has the form of an id and belongs to no row. */
function examineUnknownCursor(pages: ListPages, rows: readonly ListedRow[]): Promise<Rejection> {
  const id = rows[0]?.id ?? '';
  const last = [...id.matchAll(/\d+/g)].at(-1);
  const unknown =
    last === undefined
      ? `${id}-none`
      : id.slice(0, last.index) +
        '9'.repeat(Math.max(9, last[0].length)) +
        id.slice(last.index + last[0].length);
  return rejectionOf(pages, { starting_after: unknown });
}

/** Returns how cursors in the wrong order are answered (interface 4.7). */
function examineMisordered(
  pages: ListPages,
  rows: readonly ListedRow[],
  swapped: boolean,
): Promise<Rejection> {
  const [first, last] = [rows[0]?.id, rows.at(-1)?.id];
  if (first === undefined || last === undefined || first === last) return Promise.resolve(NO_REJECTION);
  const [after, before] = swapped ? [first, last] : [last, first];
  return rejectionOf(pages, { starting_after: after, ending_before: before });
}

async function rejectionOf(pages: ListPages, query: Record<string, string>): Promise<Rejection> {
  const answers = new Map<string, Rejection>();
  const settled = await settle(
    async () => {
      const seen = await pages.read({ ...query, limit: SAMPLE_ROWS });
      const code = seen.kind === 'refused' ? (errorFieldsOf(seen.response).code ?? null) : null;
      // An answer that is no page, such as an error with status 200, gives no rows either.
      const answer = seen.kind === 'page' ? 'accepted' : 'refused';
      answers.set(`${seen.status} ${code}`, { answer, status: seen.status, code });
      return `${seen.status} ${code}`;
    },
    (answer) => answer.startsWith('4'),
  );
  return answers.get(settled) ?? { ...NO_REJECTION, answer: settled === 'differs' ? 'differs' : 'unseen' };
}

/** Returns how many sampled rows are withheld, and what rows say of their tier and source. */
export function describeRows(lists: readonly SeenList[]): {
  sampled: number;
  withheld: number;
  tiers: Record<string, number>;
  sources: Record<string, number>;
} {
  const rows = lists.flatMap((list) => list.rows);
  return {
    sampled: rows.length,
    withheld: rows.filter((row) => row['redacted'] === true || row['status'] === 'withheld').length,
    tiers: countValues(rows, ['tier', 'access_tier', 'classification']),
    sources: countValues(rows, ['source']),
  };
}

/** Kinds of values that are counted apart. */
const MAX_VALUES = 12;

function countValues(rows: readonly ListedRow[], fields: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const value = fields.map((field) => row[field]).find((each) => typeof each === 'string');
    if (typeof value !== 'string' || value === '') continue;
    const known = counts.has(value) || counts.size < MAX_VALUES ? value.slice(0, 40) : 'other';
    counts.set(known, (counts.get(known) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
