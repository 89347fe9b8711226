// A line for people as spans of text with a style: cleaned and coloured in one place, where it is written.
import { truncate, escapeText, textWidth } from './escape.ts';

export type Style = 'head' | 'id' | 'good' | 'warn' | 'bad' | 'dim';
export type Span = string | { text: string; style?: Style | undefined };
export type Line = Span | readonly Span[];

/** Text without hazards in a style; the style is dropped where there is no colour. */
export type Paint = (text: string, style?: Style) => string;

export const NO_PAINT: Paint = (text) => text;

/** Loads the colour library, so it is called only where colour is on. */
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
  };
  return (text, style) => (style === undefined || text === '' ? text : styles[style](text));
}

export function spansOf(line: Line): readonly Span[] {
  return typeof line === 'string' || 'text' in line ? [line] : line;
}

/** The text of a line without its styles, without hazards. */
export function plainText(line: Line): string {
  return spansOf(line)
    .map((span) => escapeText(textOf(span)))
    .join('');
}

export function paintLine(line: Line, paint: Paint): string {
  return spansOf(line)
    .map((span) => paint(escapeText(textOf(span)), typeof span === 'string' ? undefined : span.style))
    .join('');
}

/** A line no wider than `columns`, ended by `…` where it was cut. */
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

/** Rows of cells as lines whose columns begin below each other, two blanks apart. */
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
