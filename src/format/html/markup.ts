// HTML templates that escape every value, so that text of an archive cannot become markup.
import { escapeText } from '../terminal/escape.ts';

/** Text that is markup already. It comes from {@link html}, or from constants. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template. */
export type Part = string | number | Markup | undefined | readonly Part[];

/**
 * Returns markup from a template. Text and numbers are escaped, in attributes (with double quotes) too; markup stays; lists
 * are joined; undefined is left out. Control, bidi and invisible characters become visible escapes, as on a terminal.
 * Templates close every element, so the result is well-formed XML too.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(
    strings.map((text, index) => text + (index < parts.length ? rendered(parts[index]) : '')).join(''),
  );
}

function rendered(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string')
    return escapeText(part).replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? '');
  return part.map(rendered).join('');
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
