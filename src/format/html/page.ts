// The frame and parts of an HTML report in one file, without scripts, links or anything to load.
import { createHash } from 'node:crypto';
import { html, Markup, type Part } from './markup.ts';
import { STYLE, type Tone } from './style-sheet.ts';

/** Allows only one style sheet, by its hash, and pictures of the page itself. A browser refuses anything that failed to be escaped. */
function policyOf(style: string, pictures: boolean): string {
  return [
    `default-src 'none'`,
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    ...(pictures ? ['img-src data:'] : []),
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
}

/** What a page is made of. `style`: added to the style sheet of all pages. `pictures`: `data:` pictures are shown. */
type Page = { title: string; body: Part; style?: string; pictures?: boolean };

/** Returns the whole document, which is HTML and well-formed XML. The same input gives the same bytes. */
export function page({ title, body, style = '', pictures = false }: Page): string {
  const sheet = STYLE + style;
  // Not in the template, where a formatter could change white space: the hash covers every byte between the tags.
  const styled = new Markup(`<style>${sheet}</style>`);
  const document = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${policyOf(sheet, pictures)}" />
      <meta name="referrer" content="no-referrer" />
      <meta name="color-scheme" content="light dark" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      ${styled}
    </head>
    <body>
      ${body}
    </body>
  </html>`;
  return `<!doctype html>\n${document.text}\n`;
}

/** Stands for what is written later. No text of a page has it, since `<` is escaped. */
const LATER = new Markup('<!-- later -->');

/** As {@link page}, in the two parts around what is written later, between `first` and `last`. */
export function pageAround({ first, last, ...rest }: Omit<Page, 'body'> & { first: Part; last: Part }): {
  before: string;
  behind: string;
} {
  const [before = '', behind = ''] = page({ ...rest, body: [first, LATER, last] }).split(LATER.text);
  return { before, behind };
}

/** Returns a word in a coloured frame. */
export function badge(text: string, tone: Tone): Markup {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Returns a command to type. A line ends only between its words: in a word, `--verify` would break after its first hyphen. */
export function command(line: string): Markup {
  const words = line.split(' ').map((word, index) => html`${index === 0 ? '' : ' '}<span>${word}</span>`);
  return html`<code class="command">${words}</code>`;
}

/** Returns large figures with their names. */
export function tiles(items: readonly { name: string; value: string; tone?: Tone }[]): Markup {
  const tile = ({ name, value, tone }: (typeof items)[number]): Markup =>
    html`<li><b class="${tone}">${value}</b>${name}</li>`;
  return html`<ul class="tiles">
    ${items.map(tile)}
  </ul>`;
}

/** Returns lines of a name and a value. */
export function facts(rows: readonly (readonly [name: string, value: Part])[]): Markup {
  return html`<section class="sheet">
    <dl class="facts">
      ${rows.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  </section>`;
}

/** A longer table is folded until the reader opens it. */
const MAX_OPEN_ROWS = 20;

/** Returns a table. The first cell of a row is its heading. */
export function dataTable(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Part[])[],
): Markup {
  const isLong = rows.length > MAX_OPEN_ROWS;
  const cells = (row: readonly Part[]): Markup[] =>
    row.map((cell, index) => (index === 0 ? html`<th scope="row">${cell}</th>` : html`<td>${cell}</td>`));
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      ${
        isLong
          ? undefined
          : html`<caption>
              ${caption}
            </caption>`
      }
      <thead>
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${cells(row)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
  return isLong
    ? html`<details class="sheet">
        <summary>${caption}</summary>
        ${table}
      </details>`
    : html`<section class="sheet">${table}</section>`;
}
