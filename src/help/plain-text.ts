// Shows a help topic as plain text, at most 80 columns wide.
import { spansOf, type Block } from './markdown.ts';

const MAX_COLUMNS = 80;
const INDENT = '  ';
/** The widest column of terms; a longer term stands on a line of its own. */
const MAX_TERM_COLUMNS = 20;

/** Returns the text of a topic. Lines of code blocks are not wrapped. */
export function plainText(blocks: readonly Block[]): string {
  const parts = blocks.map((block, index) => {
    const before = blocks[index - 1];
    const isList = block.kind === 'item' || block.kind === 'definition';
    // Items of one list stand without blank lines.
    const gap = before === undefined || (isList && before.kind === block.kind) ? '' : '\n';
    return gap + linesOf(block, termColumns(blocks, index)).join('\n');
  });
  return `${parts.join('\n')}\n`;
}

function linesOf(block: Block, columns: number): string[] {
  if (block.kind === 'code') return block.lines.map((line) => (line === '' ? '' : INDENT + INDENT + line));
  const text = plain(block.text);
  if (block.kind === 'title') return [text.toUpperCase()];
  if (block.kind === 'section') return [text];
  if (block.kind === 'paragraph') return wrap(text, INDENT, INDENT);
  if (block.kind === 'item') return wrap(text, `${INDENT}- `, `${INDENT}  `);
  const term = INDENT + plain(block.term);
  const indent = ' '.repeat(INDENT.length + columns);
  if (term.length + 2 > indent.length) return [term, ...wrap(text, indent, indent)];
  return wrap(text, term.padEnd(indent.length), indent);
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

function wrap(text: string, first: string, indent: string): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(/\s+/)) {
    if (!isEmpty && line.length + 1 + word.length > MAX_COLUMNS) {
      lines.push(line);
      line = indent;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
