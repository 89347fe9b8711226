// A list as the service lets it be read: what it supports is found out before the first row is needed.
import type { App } from '../../app.ts';
import { adaptSource, watchCursors, withExclusiveCursors } from '../../capabilities/adapted-source.ts';
import { detectCapabilities } from '../../capabilities/detect-capabilities.ts';
import { capabilityLines } from '../../capabilities/list-capabilities.ts';
import type { Direction, Identified, Source } from '../../walk/source.ts';
import { checkEnds } from './cursor-check.ts';
import { withoutUndefined, type Window } from '../shared/input.ts';

/** A list that can be walked where `directions` has some. */
export type ReadableList<Row extends Identified> = {
  source: Source<Row> & { directions: ReadonlySet<Direction> };
  /** Rows that a page can have, at most those that were wanted. */
  pageRows: number;
};

/**
 * Returns the list in the form that walks read. `-v` says what differs from the documented interface. `wanted`: directions to try.
 * Throws Fault `not_found` where the list does not have the row of an end: a walk would take the other row of a refused
 * request for the missing one.
 */
export async function readableList<Row extends Identified>(
  source: Source<Row>,
  { limit, after, before }: { limit: number; after?: string | undefined; before?: string | undefined },
  app: Pick<App, 'world' | 'log'>,
  wanted?: readonly Direction[],
): Promise<ReadableList<Row>> {
  const { signal } = app.world;
  const readIds = async (window: Window): Promise<string[]> =>
    (await source.page({ limit, ...withoutUndefined(window) }, signal)).rows.map(({ id }) => id);
  await checkEnds(readIds, { after, before });
  const hasRange = before !== undefined;
  const detect = (list: Source<Row>) =>
    detectCapabilities(list, { hasRange, limit, signal, ...(wanted === undefined ? {} : { wanted }) });
  const watched = watchCursors(source);
  const first = await detect(watched.source);
  const isInclusive = watched.areInclusive();
  if (isInclusive) app.log('the cursors of this list are inclusive: the row of a cursor is left out');
  const readable = isInclusive ? withExclusiveCursors(source) : source;
  const found = isInclusive ? await detect(readable) : first;
  for (const line of capabilityLines(found)) app.log(line);
  return { source: adaptSource(readable, found), pageRows: found.limit.largest };
}
