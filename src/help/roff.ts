// Shows a help topic in the roff of a manual page (macros of man).
import { spansOf, type Block } from './markdown.ts';

/** Returns the lines of blocks. Headings become subsections, since sections are the topics. */
export function roffOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(linesOf);
}

function linesOf(block: Block): string[] {
  if (block.kind === 'code')
    return ['.PP', '.RS 4', '.nf', ...block.lines.map((line) => verbatim(line)), '.fi', '.RE'];
  const text = roffText(block.text);
  if (block.kind === 'title') return [`.SH ${quoted(block.text.toUpperCase())}`];
  if (block.kind === 'section') return [`.SS ${quoted(block.text)}`];
  if (block.kind === 'paragraph') return ['.PP', text];
  if (block.kind === 'item') return ['.IP \\(bu 2', text];
  return ['.TP', bold(block.term.replaceAll(/^(`|\*\*)|(`|\*\*)$/g, '')), text];
}

/** Returns inline text: code and bold words in bold, everything else escaped. */
export function roffText(text: string): string {
  return guarded(
    spansOf(text)
      .map((span) => (span.style === 'plain' ? escaped(span.text) : bold(span.text)))
      .join(''),
  );
}

/** Returns text in bold. */
export function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

/** Returns the argument of a macro. */
export function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '\\(dq')}"`;
}

/** A line as it is, in a block without filling. */
function verbatim(line: string): string {
  return line === '' ? '.sp' : guarded(escaped(line));
}

/** A line of text that begins with a dot or an apostrophe would be taken for a request. */
function guarded(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}

/** Letters beyond ASCII are named by their code point, so that every locale and pager shows them. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\(rs')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll(
      /[^\0-\x7f]/gu,
      (letter) => `\\[u${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
}
