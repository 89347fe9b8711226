// Finds out which cursors a list follows, in which order its pages stand, and how large a page may be.
import { detectCapabilities } from '../../capabilities/detect-capabilities.ts';
import type { DirectionSupport } from '../../capabilities/list-capabilities.ts';
import type { ExaminedList, Handling } from '../../contract/reports/service.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { SAMPLE_ROWS, type ListPages } from './list-pages.ts';
import { answerOf, settle } from './settle.ts';

/** Page sizes that are tried where the service refuses the largest one. */
const SMALLER_LIMITS = [250, 100, 50, 20];

type Cursors = Pick<ExaminedList, 'cursors' | 'backward_order'>;

/** Returns which cursors the list follows, and in which order its pages before a cursor stand. */
export async function examineCursors(pages: ListPages, signal: AbortSignal): Promise<Cursors> {
  const found = await answerOf(() => detectCapabilities(pages.source(), { limit: SAMPLE_ROWS, signal }));
  const { forward, backward, closed } = found?.directions ?? UNTESTED;
  return {
    cursors: {
      starting_after: HANDLING[forward],
      ending_before: HANDLING[backward],
      both: HANDLING[closed],
      swapped: found?.swapped ?? false,
    },
    backward_order: backward === 'ascending' || backward === 'descending' ? backward : 'unseen',
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
