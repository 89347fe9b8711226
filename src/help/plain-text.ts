// Shows a help topic as plain text, at most 80 columns wide, less on a narrow terminal.
import { wrapText } from '../format/terminal/wrap.ts';
import { spansOf, type Block } from './markdown.ts';

/** Help is written for a terminal of this width. */
export const MAX_COLUMNS = 80;

const INDENT = '  ';
/** The widest column of terms; a longer term stands on a line of its own. */
const MAX_TERM_COLUMNS = 26;

/** Where less is left beside the terms, their meanings stand below them. */
const MIN_MEANING_COLUMNS = 24;

/** A text of so many sections begins with their names. */
const MIN_LISTED_SECTIONS = 5;

/** Returns the text of a topic, `width` columns wide. Lines of code blocks are not wrapped. */
export function plainText(topic: readonly Block[], width = MAX_COLUMNS): string {
  const blocks = withSections(topic);
  const parts = blocks.map((block, index) => {
    const before = blocks[index - 1];
    const isList = block.kind === 'item' || block.kind === 'definition';
    // Items of one list stand without blank lines.
    const gap = before === undefined || (isList && before.kind === block.kind) ? '' : '\n';
    return gap + linesOf(block, termColumns(blocks, index), width).join('\n');
  });
  return `${parts.join('\n')}\n`;
}

/** Adds the names of the sections below the title of a long topic, so that a reader finds one without reading the others. */
function withSections([title, ...blocks]: readonly Block[]): Block[] {
  if (title === undefined) return [];
  const names = blocks.flatMap((block) => (block.kind === 'section' ? [block.text] : []));
  if (title.kind !== 'title' || names.length < MIN_LISTED_SECTIONS) return [title, ...blocks];
  return [title, { kind: 'paragraph', text: `Sections: ${names.join(' | ')}` }, ...blocks];
}

function linesOf(block: Block, columns: number, width: number): string[] {
  if (block.kind === 'code') return block.lines.map((line) => (line === '' ? '' : INDENT + INDENT + line));
  const text = plain(block.text);
  if (block.kind === 'title') return indented(text.toUpperCase(), '', '', width);
  if (block.kind === 'section') return indented(text, '', '', width);
  if (block.kind === 'paragraph') return indented(text, INDENT, INDENT, width);
  if (block.kind === 'item') return indented(text, `${INDENT}- `, `${INDENT}  `, width);
  const term = INDENT + plain(block.term);
  const isNarrow = width - INDENT.length - columns < MIN_MEANING_COLUMNS;
  const indent = isNarrow ? INDENT + INDENT : ' '.repeat(INDENT.length + columns);
  if (term.length + 2 > indent.length) return [term, ...indented(text, indent, indent, width)];
  return indented(text, term.padEnd(indent.length), indent, width);
}

/** The width of the terms of the list around a block, with two blanks after them. */
function termColumns(blocks: readonly Block[], index: number): number {
  let first = index;
  while (blocks[first - 1]?.kind === 'definition') first -= 1;
  let widest = 0;
  for (let at = first; ; at += 1) {
    const block = blocks[at];
    if (block?.kind !== 'definition') break;
    const width = plain(block.term).length + 2;
    if (width <= MAX_TERM_COLUMNS) widest = Math.max(widest, width);
  }
  return widest === 0 ? INDENT.length * 2 : widest;
}

function plain(text: string): string {
  return spansOf(text)
    .map((span) => span.text)
    .join('');
}

/** Returns text as lines of at most `columns`; `first` begins the first line, `indent` of the same length the others. */
export function indented(text: string, first: string, indent: string, columns = MAX_COLUMNS): string[] {
  const lines = wrapText(text.replaceAll(/\s+/g, ' '), Math.max(1, columns - indent.length));
  return lines.map((line, index) => (index === 0 ? first : indent) + line);
}
