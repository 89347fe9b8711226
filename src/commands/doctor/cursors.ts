// Finds out which cursors a list follows, in which order its pages stand, and how large a page may be.
import { detectCapabilities } from '../../capabilities/detect-capabilities.ts';
import type { DirectionSupport, ListCapabilities } from '../../capabilities/list-capabilities.ts';
import type { ExaminedList, Handling } from '../../contract/reports/service.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { Fault } from '../../faults.ts';
import type { Page, PageQuery, Source } from '../../walk/source.ts';
import { SAMPLE_ROWS, type ListPages, type ListedRow } from './list-pages.ts';
import { answerOf, settle } from './settle.ts';

/** Requests for the cursors of one list. Faulty pages take more than the four of a correct service. */
const MAX_CURSOR_REQUESTS = 18;

type Cursors = Pick<ExaminedList, 'cursors' | 'order' | 'page_limit'>;

/** What an examination needs to know of the lists before: the page size that they accepted. */
export type LimitMemory = { accepted: number };

/** Returns a memory that knows of no limit. */
export function noLimitKnown(): LimitMemory {
  return { accepted: PAGE_LIMIT.maximum };
}

/** Returns which cursors the list follows, the order of its pages, and the largest page. `sampled` rows came for a small page. */
export async function examineCursors(
  pages: ListPages,
  sampled: number,
  memory: LimitMemory,
  signal: AbortSignal,
): Promise<Cursors> {
  const asked = PAGE_LIMIT.maximum;
  // Another list refused so many rows. If this one does too, the size that the other accepted is tried next.
  const isRefused =
    memory.accepted < asked && (await answerOf(() => pages.read({ limit: asked })))?.kind === 'refused';
  const limited = limitedSource(pages.source());
  const found = await answerOf(() =>
    detectCapabilities(limited.source, { limit: isRefused ? memory.accepted : asked, signal }),
  );
  if (found !== undefined) memory.accepted = found.limit.accepted;
  const { forward, backward, closed } = found?.directions ?? UNTESTED;
  const unsettled = limited.isSpent() ? 'differs' : 'unseen';
  const handling = (support: DirectionSupport): Handling =>
    found === undefined ? unsettled : HANDLING[support];
  return {
    cursors: {
      starting_after: handling(forward),
      ending_before: handling(backward),
      both: handling(closed),
      swapped: found?.swapped ?? false,
    },
    order: {
      starting_after: orderOf(forward),
      ending_before: orderOf(backward),
      both: orderOf(closed),
    },
    page_limit:
      found === undefined
        ? { handling: unsettled, asked, accepted: null, given: null }
        : await pageLimitOf(pages, found, sampled, limited.largestFirstPage()),
  };
}

const UNTESTED = { forward: 'untested', backward: 'untested', closed: 'untested' } as const;

const HANDLING: Record<DirectionSupport, Handling> = {
  ascending: 'honoured',
  descending: 'honoured',
  ignored: 'ignored',
  refused: 'refused',
  undecided: 'differs',
  untested: 'unseen',
};

function orderOf(support: DirectionSupport): ExaminedList['order']['both'] {
  return support === 'ascending' || support === 'descending' ? support : 'unseen';
}

type FirstPage = Page<ListedRow> | undefined;

/** Returns the list with a limit on its requests. It keeps the largest page that was read without a cursor. */
function limitedSource(source: Source<ListedRow>): {
  source: Source<ListedRow>;
  isSpent(): boolean;
  largestFirstPage(): FirstPage;
} {
  let requests = 0;
  let largest: FirstPage;
  const page = async (query: PageQuery, signal: AbortSignal) => {
    requests += 1;
    if (requests > MAX_CURSOR_REQUESTS)
      throw new Fault('partial', 'the cursors of this list cannot be settled');
    const found = await source.page(query, signal);
    const isFirst = query.after === undefined && query.before === undefined;
    if (isFirst && found.rows.length >= (largest?.rows.length ?? 0)) largest = found;
    return found;
  };
  return { source: { page }, isSpent: () => requests > MAX_CURSOR_REQUESTS, largestFirstPage: () => largest };
}

/** Returns what the service makes of the largest page that arx asks for. */
async function pageLimitOf(
  pages: ListPages,
  { limit, directions, swapped }: ListCapabilities,
  sampled: number,
  first: FirstPage,
): Promise<ExaminedList['page_limit']> {
  const { accepted, given } = limit;
  const asked = PAGE_LIMIT.maximum;
  const found = { asked, accepted, given };
  if (sampled > SAMPLE_ROWS) return { handling: 'ignored', ...found };
  if (accepted < asked) return { handling: 'refused', ...found };
  if (given >= accepted) return { handling: 'accepted', ...found };
  const isFollowed = directions.forward === 'ascending' && !swapped;
  if (!isFollowed && first?.has_more === undefined) return { handling: 'unseen', ...found };
  // A shorter page than asked for is the whole list, or it was cut, or it is faulty.
  const settled = await settle<string>(
    async (read) => {
      const page = read === 0 ? first : await firstPage(pages, accepted);
      const last = page?.rows.at(-1);
      if (last === undefined || page?.has_more === false) return 'whole';
      const isMore = page?.has_more === true && !isFollowed ? true : await hasRowAfter(pages, last.id);
      return isMore ? String(page?.rows.length) : 'whole';
    },
    (each) => each === 'whole',
  );
  if (settled === 'whole') return { handling: 'accepted', ...found };
  if (settled === 'differs' || settled === 'unseen') return { handling: settled, ...found };
  const rows = Number(settled);
  // Where the small page was as short as the large one, pages have a fixed size, or a largest one.
  const half = Math.ceil(rows / 2);
  const smaller = rows > sampled ? undefined : await answerOf(() => pages.read({ limit: half }));
  const isIgnored = smaller?.kind === 'page' && smaller.page.data.length > half;
  return { handling: isIgnored ? 'ignored' : 'clamped', asked, accepted, given: rows };
}

async function firstPage(pages: ListPages, limit: number): Promise<FirstPage> {
  const seen = await pages.read({ limit });
  if (seen.kind !== 'page') return undefined;
  const { data, has_more } = seen.page;
  return { rows: data, ...(has_more === undefined ? {} : { has_more }) };
}

async function hasRowAfter(pages: ListPages, id: string): Promise<boolean> {
  const seen = await pages.read({ starting_after: id, limit: 1 });
  return seen.kind === 'page' && seen.page.data.length > 0;
}
