// Apart from the schema of the report, which views do not load.
import type { ReadList } from './whole-archive.ts';

/** Returns whether anything of a list was read. The figures of one that was not say nothing. */
export function isListRead({ lists }: { lists: readonly ReadList[] }, name: ReadList['list']): boolean {
  return lists.some(({ list, rows, problem }) => list === name && (rows > 0 || problem === null));
}
