// Shows a help topic as plain text, at most 80 columns wide.
import { wrapText } from '../format/terminal/wrap.ts';
import { spansOf, type Block } from './markdown.ts';

/** Help is written for a terminal of this width. */
export const MAX_COLUMNS = 80;

const INDENT = '  ';
/** The widest column of terms; a longer term stands on a line of its own. */
const MAX_TERM_COLUMNS = 26;

/** A text of so many sections begins with their names. */
const MIN_LISTED_SECTIONS = 5;

/** Returns the text of a topic. Lines of code blocks are not wrapped. */
export function plainText(topic: readonly Block[]): string {
  const blocks = withSections(topic);
  const parts = blocks.map((block, index) => {
    const before = blocks[index - 1];
    const isList = block.kind === 'item' || block.kind === 'definition';
    // Items of one list stand without blank lines.
    const gap = before === undefined || (isList && before.kind === block.kind) ? '' : '\n';
    return gap + linesOf(block, termColumns(blocks, index)).join('\n');
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

function linesOf(block: Block, columns: number): string[] {
  if (block.kind === 'code') return block.lines.map((line) => (line === '' ? '' : INDENT + INDENT + line));
  const text = plain(block.text);
  if (block.kind === 'title') return [text.toUpperCase()];
  if (block.kind === 'section') return [text];
  if (block.kind === 'paragraph') return indented(text, INDENT, INDENT);
  if (block.kind === 'item') return indented(text, `${INDENT}- `, `${INDENT}  `);
  const term = INDENT + plain(block.term);
  const indent = ' '.repeat(INDENT.length + columns);
  if (term.length + 2 > indent.length) return [term, ...indented(text, indent, indent)];
  return indented(text, term.padEnd(indent.length), indent);
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
