// The help of the explorer: every key, by subject.
import type { Line } from '../../format/terminal/styled-line.ts';
import { wrapText } from '../../format/terminal/wrap.ts';
import { BINDINGS } from '../bindings.ts';

/** Columns for the names of keys. */
const KEY_COLUMNS = 12;
/** From this width on, help has two columns. */
const TWO_COLUMNS_FROM = 100;

/** Returns the lines of help: all keys by subject. */
export function helpLines(columns: number): Line[] {
  const hasTwo = columns >= TWO_COLUMNS_FROM;
  const width = hasTwo ? Math.floor(columns / 2) : columns;
  const blocks = Object.entries(BINDINGS).map(([subject, list]): Line[] => [
    { text: subject, style: 'head' },
    ...list.flatMap(({ shown, what }) => keyLine(shown, what, width)),
    '',
  ]);
  if (!hasTwo) return [...introduction(columns), ...blocks.flat()];
  const half = Math.ceil(blocks.length / 2);
  const [left, right] = [blocks.slice(0, half).flat(), blocks.slice(half).flat()];
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, at): Line =>
    beside(left[at] ?? '', right[at] ?? '', width),
  );
  return [...introduction(columns), ...rows];
}

/** Returns the names of keys, and beside them what they do, in as many lines as it takes. */
function keyLine(shown: string, what: string, width: number): Line[] {
  const lead = `  ${shown.padEnd(KEY_COLUMNS)} `;
  return wrapText(what, Math.max(1, width - lead.length - 1)).map((text, at): Line => [
    { text: at === 0 ? lead : ' '.repeat(lead.length), style: 'id' },
    text,
  ]);
}

const INTRODUCTION = [
  'A mark ! before a row: its record failed a check, or its place is doubtful.',
  'Yellow, above the keys: why rows may be missing. ! shows it in full.',
];

function introduction(columns: number): Line[] {
  return [...INTRODUCTION.flatMap((text) => wrapText(text, columns)), ''];
}

function beside(left: Line, right: Line, width: number): Line {
  const spans = [left, right].map((line) => (typeof line === 'string' || 'text' in line ? [line] : line));
  const used = spans[0]!.reduce((sum, span) => sum + (typeof span === 'string' ? span : span.text).length, 0);
  return [...spans[0]!, ' '.repeat(Math.max(1, width - used)), ...spans[1]!];
}
