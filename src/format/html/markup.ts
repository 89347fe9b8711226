// Markup as values: whatever is put into a template is escaped, so a page can only say what an archive says, never do it.
import { escapeText } from '../terminal/escape.ts';

/** Text that is markup already. Made by {@link html}; by hand only of constants. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = string | number | Markup | undefined | readonly Part[];

/**
 * Text, numbers and attribute values (in double quotes) become harmless text, markup stays, lists are joined, undefined
 * is nothing. Controls, bidi and invisible marks become visible escapes as in a terminal, so nothing reads as what it
 * is not. Every element is closed, so that the result is XML as well.
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
