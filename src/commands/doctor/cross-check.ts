// Finds out whether the messages can be used to cross-check the conversations, as a walk does (interface 4.7).
import { detectCrossCheck } from '../../capabilities/cross-check-support.ts';
import type { ServiceReport } from '../../contract/reports/service.ts';
import { Fault } from '../../faults.ts';
import { withoutUndefined } from '../shared/input.ts';
import type { LimitMemory } from './cursors.ts';
import type { ListPages } from './list-pages.ts';
import type { SeenList } from './lists.ts';
import { answerOf } from './settle.ts';

/** Rows of one page, as many as a walk reads. */
const CROSS_CHECK_ROWS = 100;
/** Requests for the cross-check. Faulty pages take more than the six of a correct service. */
const MAX_CROSS_CHECK_REQUESTS = 16;

type CrossCheck = ServiceReport['cross_check'];

/** Returns whether `/messages?opening=true` can be used, and what the service does with the parameter. */
export async function examineCrossCheck(
  conversations: SeenList,
  messages: SeenList,
  memory: LimitMemory,
  signal: AbortSignal,
): Promise<CrossCheck> {
  if (messages.facts.state === 'missing')
    return { usable: false, opening: 'missing', reason: 'the service has no /messages' };
  if (conversations.facts.state !== 'read')
    return { usable: null, opening: 'unseen', reason: 'no conversation was seen' };
  let requests = 0;
  let isRefused = false;
  const rowsOf = async (list: ListPages, query: Parameters<ListPages['page']>[0]) => {
    requests += 1;
    if (requests > MAX_CROSS_CHECK_REQUESTS)
      throw new Fault('partial', 'too many requests for the cross-check');
    return list.page(query);
  };
  const support = await answerOf(() =>
    detectCrossCheck({
      limit: Math.min(CROSS_CHECK_ROWS, memory.accepted),
      signal,
      messages: async ({ after, ...query }) => {
        try {
          return await rowsOf(messages.pages, { ...query, ...withoutUndefined({ starting_after: after }) });
        } catch (error) {
          isRefused ||= query.opening === true && error instanceof Fault && isClientError(error);
          throw error;
        }
      },
      conversations: async (limit) => (await rowsOf(conversations.pages, { limit })).rows,
    }),
  );
  if (support === undefined || requests > MAX_CROSS_CHECK_REQUESTS)
    return { usable: null, opening: 'differs', reason: 'the answers contradict each other' };
  const { usable, reason } = support;
  return { usable, opening: usable ? 'honoured' : isRefused ? 'refused' : 'ignored', reason };
}

function isClientError({ detail: { status = 0 } }: Fault): boolean {
  return status >= 400 && status < 500;
}
