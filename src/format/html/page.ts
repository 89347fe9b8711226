// The frame and the parts of a report as one file: it loads nothing, runs nothing and links nowhere.
import { createHash } from 'node:crypto';
import { html, Markup, type Part } from './markup.ts';
import { STYLE, type Tone } from './style-sheet.ts';

/** Only this style sheet, by its hash; a browser then refuses whatever an escape that failed would have let in. */
const POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ');

// Not in a template, whose layout a formatter may change: the hash is of every byte between the tags.
const SHEET = new Markup(`<style>${STYLE}</style>`);

/** The whole document, HTML and well-formed XML at once. The same input is the same bytes. */
export function page({ title, body }: { title: string; body: Part }): string {
  const document = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${POLICY}" />
      <meta name="referrer" content="no-referrer" />
      <meta name="color-scheme" content="light dark" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${title}</title>
      ${SHEET}
    </head>
    <body>
      ${body}
    </body>
  </html>`;
  return `<!doctype html>\n${document.text}\n`;
}

export function badge(text: string, tone: Tone): Markup {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Totals at a glance. */
export function tiles(items: readonly { name: string; value: string; tone?: Tone }[]): Markup {
  const tile = ({ name, value, tone }: (typeof items)[number]): Markup =>
    html`<li><b class="${tone}">${value}</b>${name}</li>`;
  return html`<ul class="tiles">
    ${items.map(tile)}
  </ul>`;
}

/** What is known, a name and its value a line. */
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

/** Rows longer than this are folded away until they are asked for. */
const MOST_OPEN = 20;

/** The first column names the row. */
export function dataTable(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly Part[])[],
): Markup {
  const isLong = rows.length > MOST_OPEN;
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
