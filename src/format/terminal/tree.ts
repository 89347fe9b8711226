// Draws a tree with branches.
import { spansOf, type Line } from './styled-line.ts';

/** A line, with the branches below it. */
export type Branch = { line: Line; children?: readonly Branch[] };

const MARKS = {
  unicode: { more: '├─ ', last: '└─ ', beside: '│  ', below: '   ' },
  ascii: { more: '|- ', last: '`- ', beside: '|  ', below: '   ' },
};
/** Rows of a list are indented by this many levels at most. */
const MAX_LEVELS = 12;

/** Returns what names the message that a row answers, where the branches do not show it. */
export function answersMark(id: string, { unicode }: { unicode: boolean }): string {
  return unicode ? `↳ ${id}` : `answers ${id}`;
}

/**
 * Returns what stands before each row of a tree that is given by the depths of its rows, children below their parent. Rows of depth 0
 * have nothing before them. A mark takes two columns. Deeper rows stand at the last level and name the row that they answer, unless
 * the branches show it.
 */
export function leadsOf(
  rows: readonly { depth: number; answers: string | undefined }[],
  { unicode }: { unicode: boolean },
): string[] {
  const { more, last, beside, below } = unicode ? MARKS.unicode : MARKS.ascii;
  /** Whether a row of a depth follows before one that is above it. */
  const follows: boolean[] = [];
  return rows
    .toReversed()
    .map(({ depth: real, answers }) => {
      const depth = Math.min(real, MAX_LEVELS);
      const above = Array.from({ length: Math.max(0, depth - 1) }, (_, at) =>
        follows[at + 1] === true ? beside : below,
      );
      const own = depth === 0 ? [] : [follows[depth] === true ? more : last];
      follows.length = Math.min(follows.length, depth + 1);
      follows[depth] = true;
      const lead = [...above, ...own].map((mark) => mark.slice(0, 1) + mark.slice(-1)).join('');
      return real > depth && answers !== undefined ? `${lead}${answersMark(answers, { unicode })} ` : lead;
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
