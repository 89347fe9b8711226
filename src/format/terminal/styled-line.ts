// Lines for people as spans of text with a style. They are escaped and coloured in one place, when they are printed.
import { linkableAddress, linked } from './address.ts';
import { truncate, escapeText, lastColumns, textWidth } from './escape.ts';

/** The meaning of a span; each has one colour. */
export type Style =
  'head' | 'id' | 'good' | 'warn' | 'bad' | 'dim' | 'match' | 'quote1' | 'quote2' | 'quote3';
/**
 * Text with a style and the address that it links to. Neither is escaped yet. A line with a span that `isWhole` is not broken: it is
 * copied as a whole, or its first character is said for all of it.
 */
export type Span =
  string | { text: string; style?: Style | undefined; link?: string | undefined; isWhole?: boolean };
/** One span or several. */
export type Line = Span | readonly Span[];

/** Returns escaped text in a style and with a link, or unchanged where the terminal has neither. */
export type Paint = (text: string, style?: Style, link?: string) => string;

/** Drops all styles and links. */
export const NO_PAINT: Paint = (text) => text;

/** Returns `paint` with links to the addresses for which `isOpen` is true and which may be linked at all. */
export function linkPaint(paint: Paint, isOpen: (address: string) => boolean): Paint {
  return (text, style, link) => {
    const address = link === undefined || text === '' || !isOpen(link) ? undefined : linkableAddress(link);
    const painted = paint(text, style);
    return address === undefined ? painted : linked(painted, address);
  };
}

/** Returns the function that colours text. It loads the colour library, so call it only where colour is on. */
export async function colorPaint(): Promise<Paint> {
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  const styles: Record<Style, (text: string) => string> = {
    head: chalk.bold,
    id: chalk.cyan,
    good: chalk.green,
    warn: chalk.yellow,
    bad: chalk.red,
    dim: chalk.dim,
    match: chalk.bold.red,
    quote1: chalk.cyan,
    quote2: chalk.green,
    quote3: chalk.magenta,
  };
  return (text, style) => (style === undefined || text === '' ? text : styles[style](text));
}

/** Returns the spans of a line. */
export function spansOf(line: Line): readonly Span[] {
  return typeof line === 'string' || 'text' in line ? [line] : line;
}

/** Returns the escaped text of a line, without styles. */
export function plainText(line: Line): string {
  return spansOf(line)
    .map((span) => escapeText(textOf(span)))
    .join('');
}

/** Returns the escaped text of a line, with styles. */
export function paintLine(line: Line, paint: Paint): string {
  return spansOf(line)
    .map((span) =>
      typeof span === 'string'
        ? paint(escapeText(span))
        : paint(escapeText(span.text), span.style, span.link),
    )
    .join('');
}

/** Returns a line no wider than `columns`; a shortened one ends with `…`. */
export function truncateLine(line: Line, columns: number): Line {
  let room = columns;
  const kept: Span[] = [];
  for (const span of spansOf(line)) {
    const shown = escapeText(textOf(span));
    const text = truncate(shown, room);
    kept.push(typeof span === 'string' ? text : { ...span, text });
    if (text !== shown) break;
    room -= textWidth(text);
  }
  return kept;
}

/** As {@link truncateLine}, and where the first match would be cut off, what is before it is shortened. */
export function truncateAroundMatch(line: Line, columns: number): Line {
  const spans = spansOf(line);
  const at = spans.findIndex((span) => typeof span !== 'string' && span.style === 'match');
  const before = plainText(spans.slice(0, Math.max(0, at)));
  const match = textWidth(plainText(spans[at] ?? ''));
  const rest = textWidth(plainText(spans.slice(at)));
  // The match is in the middle, or nearer to the end where the text ends.
  const room = Math.max(0, Math.floor((columns - match) / 2), columns - rest);
  if (at < 0 || textWidth(before) <= room) return truncateLine(line, columns);
  const lead = room === 0 ? '' : `…${lastColumns(before, room - 1)}`;
  return truncateLine([lead, ...spans.slice(at)], columns);
}

/** Returns rows of cells as lines with aligned columns, two spaces apart. */
export function alignColumns(rows: readonly (readonly Span[])[]): Line[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [index, cell] of row.entries())
      widths[index] = Math.max(widths[index] ?? 0, textWidth(plainText(cell)));
  return rows.map((row) =>
    row.flatMap((cell, index) =>
      index === row.length - 1
        ? [cell]
        : [cell, ' '.repeat((widths[index] ?? 0) - textWidth(plainText(cell)) + 2)],
    ),
  );
}

function textOf(span: Span): string {
  return typeof span === 'string' ? span : span.text;
}
