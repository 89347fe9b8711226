// Draws a tree with branches.
import { spansOf, type Line } from './styled-line.ts';

/** A line, with the branches below it. */
export type Branch = { line: Line; children?: readonly Branch[] };

const MARKS = {
  unicode: { more: '├─ ', last: '└─ ', beside: '│  ', below: '   ' },
  ascii: { more: '|- ', last: '`- ', beside: '|  ', below: '   ' },
};
/** Deeper branches begin with the last marks of this many levels. */
const MAX_LEVELS = 12;

/**
 * Returns what stands before each row of a tree that is given by the depths of its rows, children below their parent. Rows of depth 0
 * have nothing before them. A mark takes two columns.
 */
export function leadsOf(depths: readonly number[], { unicode }: { unicode: boolean }): string[] {
  const { more, last, beside, below } = unicode ? MARKS.unicode : MARKS.ascii;
  /** Whether a row of a depth follows before one that is above it. */
  const follows: boolean[] = [];
  return depths
    .toReversed()
    .map((depth) => {
      const above = Array.from({ length: Math.max(0, depth - 1) }, (_, at) =>
        follows[at + 1] === true ? beside : below,
      );
      const own = depth === 0 ? [] : [follows[depth] === true ? more : last];
      follows.length = Math.min(follows.length, depth + 1);
      follows[depth] = true;
      return [...above, ...own]
        .slice(-MAX_LEVELS)
        .map((mark) => mark.slice(0, 1) + mark.slice(-1))
        .join('');
    })
    .toReversed();
}

/** Returns a line for each branch, children below their parent. */
export function treeLines(branches: readonly Branch[], { unicode }: { unicode: boolean }): Line[] {
  const marks = unicode ? MARKS.unicode : MARKS.ascii;
  const grow = (nodes: readonly Branch[], lead: string): Line[] =>
    nodes.flatMap(({ line, children }, index): Line[] => {
      const isLast = index === nodes.length - 1;
      return [
        [{ text: lead + (isLast ? marks.last : marks.more), style: 'dim' }, ...spansOf(line)],
        ...grow(children ?? [], lead + (isLast ? marks.below : marks.beside)),
      ];
    });
  return grow(branches, '');
}
