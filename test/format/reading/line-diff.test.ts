// Line by line: the hunks are a patch that makes one text the other, in bounded time for any two texts.
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { compareLines, type LineDiff } from '../../../src/format/reading/line-diff.ts';

/** Applies hunks to `a`, checking their places and the lines that they name. */
function patched(a: readonly string[], { hunks }: LineDiff): string[] {
  const out: string[] = [];
  // Compared at the end, since there may be hundreds of thousands.
  const [named, found]: string[][] = [[], []];
  let at = 0;
  for (const { a_start, a_lines, b_start, b_lines, lines } of hunks) {
    out.push(...a.slice(at, a_start - 1));
    at = a_start - 1;
    expect(out.length).toBe(b_start - 1);
    const [from, to] = [at, out.length];
    for (const line of lines) {
      if (line[0] !== '+') {
        named!.push(line.slice(1));
        found!.push(a[at++] ?? 'no line');
      }
      if (line[0] !== '-') out.push(line.slice(1));
    }
    expect([at - from, out.length - to]).toEqual([a_lines, b_lines]);
  }
  expect(found!.join('\n')).toBe(named!.join('\n'));
  return [...out, ...a.slice(at)];
}

const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '-x', '+y', ' z'), { maxLength: 40 });

property.prop([text, text], { numRuns: 300 })('the hunks make b of a', async (a, b) => {
  const diff = await compareLines(a, b);
  expect(patched(a, diff)).toEqual(b);
  expect(diff.isMinimal).toBe(true);
  expect(diff.hunks.length === 0).toBe(a.join('\n') === b.join('\n') && a.length === b.length);
  for (const { lines } of diff.hunks) expect(lines.some((line) => line[0] !== ' ')).toBe(true);
});

test('three lines around a difference; far differences are hunks of their own', async () => {
  const a = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`);
  const b = a.with(9, 'tenth').with(29, 'thirtieth');
  const { hunks } = await compareLines(a, b);
  expect(hunks.map(({ a_start, a_lines, b_start, b_lines }) => [a_start, a_lines, b_start, b_lines])).toEqual(
    [
      [7, 7, 7, 7],
      [27, 7, 27, 7],
    ],
  );
  expect(hunks[0]!.lines.slice(2, 6)).toEqual([' line 9', '-line 10', '+tenth', ' line 11']);
});

test('texts that differ in too many lines are one difference, and not compared for minutes', async () => {
  const a = ['same', ...Array.from({ length: 60_000 }, (_, at) => `a ${at}`), 'end'];
  const b = ['same', ...Array.from({ length: 60_000 }, (_, at) => `b ${at}`), 'end'];
  const diff = await compareLines(a, b);
  expect(diff.isMinimal).toBe(false);
  expect(patched(a, diff).join('\n')).toBe(b.join('\n'));
  // Long lines that differ only at their ends.
  const long = (mark: string): string[] =>
    Array.from({ length: 400 }, (_, at) => `${'x'.repeat(25_000)}${mark}${at}`);
  expect((await compareLines(long('a'), long('b'))).hunks).toHaveLength(1);
});
