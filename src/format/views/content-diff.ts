// The differences of two messages as a unified diff, and those of two views of one message as a table.
import type { DiffHunk, MessageDiff, ViewDiff, ViewField } from '../../contract/reports/content-diff.ts';
import { escapeBlock } from '../terminal/escape.ts';
import { alignColumns, type Line, type Span, type Style } from '../terminal/styled-line.ts';

/** Yields two messages as a unified diff of their header and of their text. */
export function* messageDiffLines(diff: MessageDiff): Generator<Line> {
  const { a, b, equal } = diff;
  if (equal) {
    yield [{ text: 'no difference', style: 'good' }, ` between ${a} and ${b}`];
    return;
  }
  if (!diff.is_minimal)
    yield {
      text: '! the texts differ in too many lines: all of them are shown as removed, then as added',
      style: 'warn',
    };
  for (const section of ['header', 'body'] as const) {
    if (diff[section].length === 0) continue;
    yield { text: `--- ${a} ${section}`, style: 'head' };
    yield { text: `+++ ${b} ${section}`, style: 'head' };
    for (const hunk of diff[section]) yield* hunkLines(hunk);
  }
}

const STYLES: Record<string, Style> = { '-': 'bad', '+': 'good' };

function* hunkLines({ a_start, a_lines, b_start, b_lines, lines }: DiffHunk): Generator<Line> {
  const range = (start: number, count: number): string =>
    // In a unified diff an empty range names the line before it.
    count === 1 ? `${start}` : `${count === 0 ? start - 1 : start},${count}`;
  yield { text: `@@ -${range(a_start, a_lines)} +${range(b_start, b_lines)} @@`, style: 'id' };
  for (const line of lines) yield { text: escapeBlock(line), style: STYLES[line[0] ?? ''], isWhole: true };
}

const STATES: Record<ViewField['state'], { text: string; style: Style | undefined }> = {
  equal: { text: 'the same in both', style: 'good' },
  different: { text: 'different', style: 'bad' },
  raw_only: { text: 'only in raw', style: undefined },
  lore_only: { text: 'only in lore', style: undefined },
};
const MAX_VALUE_CHARACTERS = 60;

/** Returns the fields of both views by what is the case with them, those that differ first. */
export function viewDiffLines({ id, equal, fields }: ViewDiff): Line[] {
  return [
    [
      { text: id, style: 'id' },
      '  ',
      equal
        ? { text: 'both views say the same of what both have', style: 'good' }
        : { text: 'the views contradict each other', style: 'bad' },
    ],
    ...(['different', 'equal', 'lore_only', 'raw_only'] as const).flatMap((state): Line[] => {
      const own = fields.filter((field) => field.state === state);
      if (own.length === 0) return [];
      return [
        '',
        { text: STATES[state].text, style: STATES[state].style ?? 'head' },
        ...alignColumns(own.map(cells)),
      ];
    }),
  ];
}

function cells({ name, alias, state, raw, lore, meaning }: ViewField): Span[] {
  const value =
    state === 'different'
      ? `${shown(raw)} in raw, ${shown(lore)} in lore`
      : shown(state === 'lore_only' ? lore : raw);
  return [
    `  ${name}${alias === undefined ? '' : ` (lore: ${alias})`}`,
    value,
    { text: meaning ?? '', style: 'dim' },
  ];
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text;
}
