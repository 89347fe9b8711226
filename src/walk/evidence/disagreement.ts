// What is wrong with a read, in words for the log, and what a walk that no read helps any more died of.
import { Fault } from '../../faults.ts';
import { START, type Order, type Place } from '../order/order.ts';
import type { Read } from './read.ts';
import type { Page, PageQuery } from '../source.ts';

/** What a page says against the known order. */
export function denialOf<Row>({ chain }: Read<Row>, { list }: Order<Row>): string | undefined {
  for (let index = 1; index < chain.length; index++) {
    const [left, right] = [chain[index - 1]!, chain[index]!];
    if (left.at >= 0 && left.at < list.length - 1 && right.at !== left.at + 1 && !right.gone)
      return `another row after ${nameOf(left)}`;
  }
  return undefined;
}

/** What a page says of its own end that is not so; `most` rows are what the service gives at most. */
export function shortfallOf<Row>(
  { limit }: PageQuery,
  { rows, has_more }: Page<unknown>,
  read: Read<Row> | undefined,
  { list }: Order<Row>,
  most: number,
): string | undefined {
  const room = Math.min(limit, most);
  if (rows.length > 0 && rows.length < room && has_more === true)
    return `${rows.length} rows where ${room} were to be had`;
  if (read?.ends === true && read.chain.at(-1) !== list.at(-1))
    return `an end after ${read.chain.at(-1)?.id}`;
  return undefined;
}

/** Where most reads in place fail the same way, the service breaks the rules rather than drifts. */
export function stuckAt(place: Place<unknown>, reads: number, troubles: readonly string[]): Fault {
  const where = nameOf(place);
  const mostly = (pattern: RegExp) => 2 * troubles.filter((trouble) => pattern.test(trouble)).length > reads;
  if (mostly(/^empty page/))
    return new Fault('protocol', `empty pages after ${where} that say there is more`);
  if (mostly(/frozen$|own cursor|rows for a limit/))
    return new Fault('protocol', `pages after ${where} follow neither cursor nor limit`);
  return new Fault('unstable', `the list after ${where} would not settle in ${reads} reads`);
}

export const nameOf = ({ id }: Place<unknown>): string => (id === START ? 'the start' : id);
