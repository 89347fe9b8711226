// Finds out how one list of a service is read: its shape, its cursors, its largest page, and how it answers impossible cursors.
import { errorFieldsOf } from '../../client/error-response.ts';
import { valueAtPath } from '../../client/shapes/json-path.ts';
import type { ListGuess } from '../../client/shapes/list-guess.ts';
import type { UnknownRow } from '../../client/unknown-list.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import type { ExaminedList, Rejection } from '../../contract/reports/service.ts';
import { examineCursors, examinePageLimit } from './cursors.ts';
import type { Examiner } from './examiner.ts';
import { examineFilters, TRIED_FILTERS } from './filters.ts';
import { listPages, SAMPLE_ROWS, stateOf, type ListPages, type SeenPage } from './list-pages.ts';
import { answerOf, settle } from './settle.ts';

/** Equal requests for the first page: where they differ, the list drifts. */
const EQUAL_READS = 2;

/** What was found out about a list, its pages, and the rows of its first page. */
export type SeenList = { facts: ExaminedList; pages: ListPages; rows: UnknownRow[] };

/** Examines one list. The first of `paths` that the service has is taken. */
export async function examineList(
  examiner: Examiner,
  name: string,
  paths: readonly string[],
): Promise<SeenList> {
  const { pages, state, first } = await findList(examiner, paths);
  const unseen = unseenList(pages.path, state);
  if (first === undefined) return { facts: unseen, pages, rows: [] };
  const { rows } = first.page;
  const seen = {
    ...unseen,
    sample: rows.length,
    shape: shapeOf(rows, pages.guess()),
    repeated: await examineRepeats(pages, rows),
  };
  if (rows.length === 0) return { facts: seen, pages, rows };
  const cursors = await examineCursors(pages, examiner.signal);
  const facts: ExaminedList = {
    ...seen,
    ...cursors,
    page_limit: await examinePageLimit(pages, rows.length, cursors.cursors.starting_after),
    unknown_cursor: await examineUnknownCursor(pages, rows),
    misordered: await examineMisordered(pages, rows),
    filters: await examineFilters(pages, TRIED_FILTERS[name] ?? [], rows),
  };
  return { facts, pages, rows };
}

type FirstPage = Extract<SeenPage, { kind: 'page' }>;

/** Returns the list with its first page; without one, the state that repeated reads agree on. */
async function findList(
  examiner: Examiner,
  paths: readonly string[],
): Promise<{ pages: ListPages; state: ExaminedList['state']; first?: FirstPage }> {
  let pages = listPages(examiner, paths[0]!);
  let state: ExaminedList['state'] = 'unseen';
  for (const path of paths) {
    pages = listPages(examiner, path);
    let first: FirstPage | undefined;
    const settled = await settle(
      async () => {
        const seen = await pages.read({ limit: SAMPLE_ROWS });
        if (seen.kind === 'page') first = seen;
        return stateOf(seen);
      },
      // A service that has no such path, or wants a token, says so at the first time.
      (each) => each !== 'empty' && each !== 'no_list' && each !== 'failed',
    );
    state = settled === 'differs' ? 'failed' : settled;
    if (first !== undefined && (state === 'read' || state === 'empty')) return { pages, state, first };
    if (state !== 'missing') break;
  }
  return { pages: state === 'missing' ? listPages(examiner, paths[0]!) : pages, state };
}

const NO_REJECTION: Rejection = { answer: 'unseen', status: null, code: null };

/** Returns the facts of a list of which nothing but its state is known. */
export function unseenList(path: string, state: ExaminedList['state']): ExaminedList {
  return {
    path,
    state,
    sample: 0,
    shape: null,
    repeated: 'unseen',
    cursors: { starting_after: 'unseen', ending_before: 'unseen', both: 'unseen', swapped: false },
    backward_order: 'unseen',
    page_limit: { handling: 'unseen', asked: PAGE_LIMIT.maximum, accepted: null, given: null },
    unknown_cursor: NO_REJECTION,
    misordered: NO_REJECTION,
    filters: {},
  };
}

/** Returns what the first page with rows showed; null where no page had rows. */
function shapeOf(rows: readonly UnknownRow[], guess: ListGuess | undefined): ExaminedList['shape'] {
  if (guess === undefined) return null;
  const { container, fields, id = '', hasMore = null, next = null } = guess;
  return {
    rows: guess.rows,
    form: fields === '' ? container : fields,
    id,
    position: rows.some(({ sequence }) => sequence !== undefined) ? 'sequence' : null,
    next,
    has_more: hasMore,
  };
}

async function examineRepeats(
  pages: ListPages,
  rows: readonly UnknownRow[],
): Promise<ExaminedList['repeated']> {
  const idsOf = (each: readonly UnknownRow[]): string => JSON.stringify(each.map(({ id }) => id));
  for (let read = 1; read < EQUAL_READS; read += 1) {
    const seen = await answerOf(() => pages.read({ limit: SAMPLE_ROWS }));
    if (seen === undefined) return 'unseen';
    if (seen.kind !== 'page' || idsOf(seen.page.rows) !== idsOf(rows)) return 'differs';
  }
  return 'same';
}

/** Returns how a cursor is answered that has the form of an id and belongs to no row. */
function examineUnknownCursor(pages: ListPages, rows: readonly UnknownRow[]): Promise<Rejection> {
  const id = rows[0]?.id ?? '';
  const unknown = /\d/.test(id)
    ? id.replace(/\d+(?!.*\d)/, (digits) => '9'.repeat(Math.max(9, digits.length)))
    : `${id}-none`;
  return rejectionOf(pages, { starting_after: unknown });
}

/** Returns how cursors in the wrong order are answered (interface 4.7). */
function examineMisordered(pages: ListPages, rows: readonly UnknownRow[]): Promise<Rejection> {
  const [first, last] = [rows[0]?.id, rows.at(-1)?.id];
  if (first === undefined || last === undefined || first === last) return Promise.resolve(NO_REJECTION);
  return rejectionOf(pages, { starting_after: last, ending_before: first });
}

async function rejectionOf(pages: ListPages, query: Record<string, string>): Promise<Rejection> {
  const answers = new Map<string, Rejection>();
  const settled = await settle(
    async () => {
      const seen = await pages.read({ ...query, limit: SAMPLE_ROWS });
      const code = seen.kind === 'refused' ? (errorFieldsOf(seen.response).code ?? null) : null;
      const answer = seen.kind === 'refused' ? 'refused' : 'accepted';
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
    withheld: rows.filter(({ row }) => row['redacted'] === true || row['status'] === 'withheld').length,
    tiers: countValues(rows, ['tier', 'access_tier', 'classification']),
    sources: countValues(rows, ['source']),
  };
}

/** Kinds of values that are counted apart. */
const MAX_VALUES = 12;

function countValues(rows: readonly UnknownRow[], fields: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { row } of rows) {
    const value = fields.map((field) => valueAtPath(row, field)).find((each) => typeof each === 'string');
    if (typeof value !== 'string' || value === '') continue;
    const known = counts.has(value) || counts.size < MAX_VALUES ? value.slice(0, 40) : 'other';
    counts.set(known, (counts.get(known) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
