// Breaks lines of spans at blanks, so that they fit a terminal; each span keeps its style and link.
import { escapeText, textWidth } from './escape.ts';
import { plainText, spansOf, type Line, type Span } from './styled-line.ts';
import { piecesOf, withoutBlanks, wrapText } from './wrap.ts';

/** A word with the blanks before it, as parts of one or more spans. */
type Word = { parts: Span[]; width: number };

/** The marks of a tree, and what stands below them. */
const TREE_LEAD = /^[ │├└─|`]*(?:- )?/;
const BELOW: Readonly<Record<string, string>> = { '├': '│', '│': '│', '|': '|' };

/**
 * Returns a line as lines of at most `columns` columns. What follows stands below the last column of an aligned line, or to the right of
 * the marks of a tree. A word that is too long is broken where `breaksWords` is set; else it stays whole, so that it can be copied.
 */
export function wrapLine(line: Line, columns: number, { breaksWords = false } = {}): Line[] {
  const whole = plainText(line);
  if (textWidth(whole) <= columns || (!breaksWords && isWhole(line))) return [line];
  const indent = hangingIndent(line, whole, columns);
  const room = Math.max(1, columns - textWidth(indent));
  const lines: Span[][] = [[]];
  let used = 0;
  for (const word of wordsOf(line)) {
    const isFirst = used === 0 || used === textWidth(indent);
    if (used + word.width > columns && !isFirst) {
      const gap = textWidth(indent) - used;
      trimStart(word);
      const isLong = word.width > room;
      // A word that fits a line of its own stays whole; one that is broken anyway, here or by the terminal, begins beside its label.
      const lead = isLong && word.width <= columns ? ' '.repeat(columns - word.width) : indent;
      if (isLong && word.width > columns && gap > 0) lines.at(-1)!.push(' '.repeat(gap));
      else lines.push([lead]);
      used = textWidth(lead);
    }
    for (const [at, part] of (breaksWords
      ? brokenParts(word, columns - used, room)
      : [word.parts]
    ).entries()) {
      if (at > 0) {
        lines.push([indent]);
        used = textWidth(indent);
      }
      lines.at(-1)!.push(...part);
      used += textWidth(plainText(part));
    }
  }
  return lines.map(joined);
}

/** Returns parts with those together that show the same, so that each has one colour sequence. */
function joined(parts: readonly Span[]): Span[] {
  const spans: Span[] = [];
  for (const part of parts) {
    const last = spans.at(-1);
    if (last === undefined || textOf(last) === '') spans.splice(-1, last === undefined ? 0 : 1, part);
    else if (typeof part === 'string' && typeof last === 'string') spans[spans.length - 1] = last + part;
    else if (
      typeof part === 'object' &&
      typeof last === 'object' &&
      last.style === part.style &&
      last.link === part.link
    )
      spans[spans.length - 1] = { ...last, text: last.text + part.text };
    else spans.push(part);
  }
  return spans;
}

function isWhole(line: Line): boolean {
  return spansOf(line).some((span) => typeof span === 'object' && span.isWhole === true);
}

function textOf(span: Span): string {
  return typeof span === 'string' ? span : span.text;
}

function hangingIndent(line: Line, whole: string, columns: number): string {
  const spans = spansOf(line);
  const gap = spans.at(-2);
  const isAligned = typeof gap === 'string' && /^ +$/.test(gap);
  const marks = TREE_LEAD.exec(whole)?.[0] ?? '';
  const width = textWidth(isAligned ? plainText(spans.slice(0, -1)) : marks);
  if (width > columns / 2) return '';
  const below = marks.replaceAll(/[^ ]/gu, (mark) => BELOW[mark] ?? ' ');
  return below.padEnd(width);
}

/** A word ends only at blanks, not where a span does. */
function wordsOf(line: Line): Word[] {
  const words: Word[] = [];
  for (const span of spansOf(line))
    for (const text of piecesOf(escapeText(textOf(span)))) {
      const part = typeof span === 'string' ? text : { ...span, text };
      const width = textWidth(text);
      const open = words.at(-1);
      if (open === undefined || text.startsWith(' ')) words.push({ parts: [part], width });
      else {
        open.parts.push(part);
        open.width += width;
      }
    }
  return words;
}

function trimStart(word: Word): void {
  const [first = '', ...rest] = word.parts;
  const text = textOf(first);
  const trimmed = withoutBlanks(text);
  word.parts = [typeof first === 'string' ? trimmed : { ...first, text: trimmed }, ...rest];
  word.width -= text.length - trimmed.length;
}

/** Returns the parts of a word that is wider than a line, for one line each; the first one has `left` columns. */
function brokenParts({ parts, width }: Word, left: number, room: number): Span[][] {
  if (width <= left) return [parts];
  const [first] = parts;
  const style = typeof first === 'string' ? undefined : first?.style;
  return wrapText(plainText(parts), Math.min(left, room)).map((text) => [{ text, style }]);
}
