// Compares two texts line by line.
import type { DiffHunk } from '../../contract/reports/content-diff.ts';

/** What two texts have in common and what not. */
export type LineDiff = { hunks: DiffHunk[]; isMinimal: boolean };

/** Lines of both texts around a difference. */
const CONTEXT_LINES = 3;
/** Beyond this many lines removed and added, the time to find the smallest difference grows with the square. */
const MAX_EDITS = 4000;

/** A run of lines that both texts have, or only one. */
type Run = { kind: ' ' | '-' | '+'; lines: readonly string[] };

/**
 * Returns the differences with three lines around each. Above 4,000 lines removed and added, everything between the first and the
 * last difference is one. Takes time linear in the length of the texts, besides that bounded search.
 */
export async function compareLines(a: readonly string[], b: readonly string[]): Promise<LineDiff> {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const middle = await runsOf(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const runs: Run[] = [
    { kind: ' ', lines: a.slice(0, start) },
    ...middle.runs,
    { kind: ' ', lines: a.slice(a.length - end) },
  ];
  return { hunks: hunksOf(runs.filter(({ lines }) => lines.length > 0)), isMinimal: middle.isMinimal };
}

async function runsOf(
  a: readonly string[],
  b: readonly string[],
): Promise<{ runs: Run[]; isMinimal: boolean }> {
  // Numbers instead of lines, so that comparing two takes the same time however long they are.
  const numbers = new Map<string, number>();
  const texts: string[] = [];
  const numberOf = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, texts.length);
    return texts.push(line) - 1;
  };
  const [x, y] = [a.map(numberOf), b.map(numberOf)];
  const { diffArrays } = await import('diff');
  const changes = diffArrays(x, y, { maxEditLength: MAX_EDITS });
  if (changes === undefined)
    return {
      runs: [
        { kind: '-', lines: a },
        { kind: '+', lines: b },
      ],
      isMinimal: false,
    };
  const runs = changes.map(({ value, added, removed }): Run => {
    const lines = value.map((number) => texts[number] ?? '');
    return { kind: added ? '+' : removed ? '-' : ' ', lines };
  });
  return { runs, isMinimal: true };
}

function hunksOf(runs: readonly Run[]): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let [a, b] = [1, 1];
  let hunk: DiffHunk | undefined;
  const add = (kind: Run['kind'], lines: readonly string[]): void => {
    for (const line of lines) hunk!.lines.push(kind + line);
    if (kind !== '+') hunk!.a_lines += lines.length;
    if (kind !== '-') hunk!.b_lines += lines.length;
  };
  for (const [index, { kind, lines }] of runs.entries()) {
    if (kind === ' ') {
      const isLast = index === runs.length - 1;
      const isLong = isLast || lines.length > 2 * CONTEXT_LINES;
      if (hunk !== undefined) add(' ', isLong ? lines.slice(0, CONTEXT_LINES) : lines);
      if (isLong) hunk = undefined;
    } else {
      if (hunk === undefined) {
        const before = index === 0 ? [] : runs[index - 1]!.lines.slice(-CONTEXT_LINES);
        const [aStart, bStart] = [a - before.length, b - before.length];
        hunk = { a_start: aStart, a_lines: 0, b_start: bStart, b_lines: 0, lines: [] };
        hunks.push(hunk);
        add(' ', before);
      }
      add(kind, lines);
    }
    if (kind !== '+') a += lines.length;
    if (kind !== '-') b += lines.length;
  }
  return hunks;
}
