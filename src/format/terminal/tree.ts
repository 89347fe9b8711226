// Draws a tree with branches.
import { spansOf, type Line } from './styled-line.ts';

/** A line, with the branches below it. */
export type Branch = { line: Line; children?: readonly Branch[] };

/** Returns a line for each branch, children below their parent. */
export function treeLines(branches: readonly Branch[], { unicode }: { unicode: boolean }): Line[] {
  const marks = unicode
    ? { more: '├─ ', last: '└─ ', beside: '│  ', below: '   ' }
    : { more: '|- ', last: '`- ', beside: '|  ', below: '   ' };
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
