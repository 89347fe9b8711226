// What is wrong with a read, in words for the log, and the fault of a walk that no further read helps.
import { Fault } from '../../faults.ts';
import { LIST_START, type Entry, type Order } from '../order/order.ts';
import type { Page, PageQuery } from '../source.ts';
import type { Read } from './read.ts';

/**
 * What is wrong with an answer, in words for the log. `breaks`: the rule of the interface that it breaks, if it does: an empty page
 * says that nothing follows, and a page has the rows that were asked for.
 */
export type Problem = { text: string; breaks?: 'empty is the end' | 'cursor and limit' };

/** Returns where a read contradicts the known order first, if it does. */
export function contradictionIn<Row>({ chain }: Read<Row>, { list }: Order<Row>): Problem | undefined {
  for (let index = 1; index < chain.length; index++) {
    const [left, right] = [chain[index - 1]!, chain[index]!];
    if (left.index >= 0 && left.index < list.length - 1 && right.index !== left.index + 1 && !right.gone)
      return { text: `another row after ${nameOfEntry(left)}` };
  }
  return undefined;
}

/**
 * Returns what is wrong about the end of a page: it is short and says that there is more, or it says that the list ends
 * where it does not. `maxRows`: the most rows that the service gave in one page.
 */
export function falseEndIn<Row>(
  { limit }: PageQuery,
  { rows, has_more }: Page<unknown>,
  read: Read<Row> | undefined,
  { list }: Order<Row>,
  maxRows: number,
): Problem | undefined {
  const expected = Math.min(limit, maxRows);
  if (rows.length > 0 && rows.length < expected && has_more === true)
    return { text: `${rows.length} of ${expected} rows although there are more` };
  if (read?.claimsEnd === true && read.chain.at(-1) !== list.at(-1))
    return { text: `an end after ${read.chain.at(-1)?.id}` };
  return undefined;
}

/** What to do where the order is not settled: a larger page shows more rows beside each other in one answer. */
export const LARGER_PAGES = 'a larger --limit needs fewer answers; or read again later';

/**
 * Returns the fault of a walk that makes no progress after `frontier`. It is `protocol` where most of its last `reads`
 * break the same rule of the interface, else `unstable`.
 */
export function noProgressFault(
  frontier: Entry<unknown>,
  reads: number,
  problems: readonly Problem[],
): Fault {
  const where = nameOfEntry(frontier);
  const mostly = (rule: Problem['breaks']) =>
    2 * problems.filter(({ breaks }) => breaks === rule).length > reads;
  if (mostly('empty is the end'))
    return new Fault('protocol', `empty pages after ${where} that say there is more`);
  if (mostly('cursor and limit'))
    return new Fault('protocol', `pages after ${where} follow neither cursor nor limit`);
  const count = reads === 1 ? '1 read' : `${reads} reads`;
  return new Fault('unstable', `${count} did not settle which row comes after ${where}`, {
    hint: LARGER_PAGES,
  });
}

/** Returns the id of a row, or `the start`. */
export const nameOfEntry = ({ id }: Entry<unknown>): string => (id === LIST_START ? 'the start' : id);
