// Finds out which cursors a list follows, in which order its pages stand, and how large a page may be.
import type { ExaminedList, Handling } from '../../contract/reports/service.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { Fault } from '../../faults.ts';
import type { PageQuery } from '../../walk/source.ts';
import { detectDirections } from '../cursor-support.ts';
import { SAMPLE_ROWS, type ListPages } from './list-pages.ts';
import { answerOf, settle } from './settle.ts';

/** Page sizes that are tried where the service refuses the largest one. */
const SMALLER_LIMITS = [250, 100, 50, 20];

type Cursor = 'starting_after' | 'ending_before' | 'both';
type Cursors = Pick<ExaminedList, 'cursors' | 'backward_order'>;

/** Returns which cursors the list follows. What it does not follow, it refused where any such request was refused. */
export async function examineCursors(pages: ListPages, signal: AbortSignal): Promise<Cursors> {
  const refused = new Set<Cursor>();
  const orders: string[][] = [];
  const source = pages.source();
  const forward: string[] = [];
  const page = async (query: PageQuery) => {
    const cursor = cursorOf(query);
    try {
      const found = await source.page(query, signal);
      const ids = found.rows.map(({ id }) => id);
      if (cursor === undefined || cursor === 'starting_after') forward.push(...ids);
      if (cursor === 'ending_before' && ids.length > 1) orders.push(ids);
      return found;
    } catch (error) {
      if (cursor !== undefined && error instanceof Fault && error.kind !== 'partial') refused.add(cursor);
      throw error;
    }
  };
  const directions = await answerOf(() => detectDirections({ page }, signal));
  const handling = (direction: 'forward' | 'backward' | 'closed', cursor: Cursor): Handling =>
    directions === undefined
      ? 'unseen'
      : directions.has(direction)
        ? 'honoured'
        : refused.has(cursor)
          ? 'refused'
          : directions.size === 0 && cursor !== 'starting_after'
            ? 'unseen'
            : 'ignored';
  return {
    cursors: {
      starting_after: handling('forward', 'starting_after'),
      ending_before: handling('backward', 'ending_before'),
      both: handling('closed', 'both'),
      swapped: false,
    },
    backward_order: orderOf(orders, forward),
  };
}

function cursorOf({ after, before }: PageQuery): Cursor | undefined {
  if (after !== undefined && before !== undefined) return 'both';
  return after !== undefined ? 'starting_after' : before !== undefined ? 'ending_before' : undefined;
}

/** Returns in which order pages before a cursor have the rows, by the order in which forward pages have them. */
function orderOf(pages: readonly string[][], forward: readonly string[]): ExaminedList['backward_order'] {
  const orders = new Set(
    pages.flatMap((ids) => {
      const places = ids.map((id) => forward.indexOf(id)).filter((place) => place >= 0);
      if (places.length < 2) return [];
      const isRising = places.every((place, at) => at === 0 || place > places[at - 1]!);
      const isFalling = places.every((place, at) => at === 0 || place < places[at - 1]!);
      return isRising ? ['ascending' as const] : isFalling ? ['descending' as const] : [];
    }),
  );
  const [order, ...others] = orders;
  return order === undefined ? 'unseen' : others.length > 0 ? 'unseen' : order;
}

/** Returns what the service makes of the largest page that arx asks for. `sampled` rows came for a small page. */
export async function examinePageLimit(
  pages: ListPages,
  sampled: number,
  after: Handling,
): Promise<ExaminedList['page_limit']> {
  const asked = PAGE_LIMIT.maximum;
  let size = 0;
  const handling = await settle(
    async (): Promise<'accepted' | 'clamped' | 'ignored' | 'refused'> => {
      const seen = await pages.read({ limit: asked });
      if (seen.kind !== 'page') return 'refused';
      const { rows, has_more } = seen.page;
      size = rows.length;
      if (sampled > SAMPLE_ROWS) return 'ignored';
      if (size >= asked || has_more === false) return 'accepted';
      const last = rows.at(-1);
      if (last === undefined || after !== 'honoured') return 'accepted';
      const rest = await pages.read({ starting_after: last.id, limit: 1 });
      if (rest.kind !== 'page' || rest.page.rows.length === 0) return 'accepted';
      return size <= sampled ? 'ignored' : 'clamped';
    },
    (each) => each === 'accepted',
  );
  if (handling === 'accepted') return { handling, asked, accepted: asked, given: size };
  if (handling !== 'refused') return { handling, asked, accepted: asked, given: size };
  for (const limit of SMALLER_LIMITS) {
    const seen = await answerOf(() => pages.read({ limit }));
    if (seen?.kind === 'page') return { handling, asked, accepted: limit, given: seen.page.rows.length };
  }
  return { handling, asked, accepted: null, given: null };
}
