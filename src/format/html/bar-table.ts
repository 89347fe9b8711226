// A table whose rows have bars below their names: the numbers are text, the bars only show them.
import { html, type Markup, type Part } from './markup.ts';
import type { Tone } from './style-sheet.ts';

/** A piece of a bar. */
type Piece = { tone: Tone; value: number };

/** A row: its name, the pieces of its bar from the left, and its other cells. */
export type BarRow = { name: Part; bar: readonly Piece[]; cells: readonly Part[] };

/** The style of these tables, for pages that have some. */
export const BAR_STYLE = `
.bars th:first-child { width: 100%; min-width: 8rem; white-space: normal; overflow-wrap: anywhere; color: var(--ink); }
.bars thead th:first-child { color: var(--soft); }
.bars td { vertical-align: top; }
.bars .bar { display: block; width: 100%; height: .5rem; margin-top: .2rem; }
`;

/** Returns a table. The longest bar has the whole width. The first of `columns` names the names. */
export function barTable(caption: string, columns: readonly Part[], rows: readonly BarRow[]): Markup {
  const lengthOf = ({ bar }: BarRow): number => bar.reduce((sum, { value }) => sum + value, 0);
  const longest = rows.reduce((most, row) => Math.max(most, lengthOf(row)), 0);
  return html`<div class="scroll bars" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              <th scope="row">${row.name}${barOf(row.bar, longest)}</th>
              ${row.cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A value above 0 is seen, however small. */
const MIN_WIDTH = 0.4;

function barOf(pieces: readonly Piece[], longest: number): Markup {
  let at = 0;
  const rects = pieces.flatMap(({ tone, value }) => {
    if (value <= 0) return [];
    const x = at;
    const width = Math.max(MIN_WIDTH, (value / longest) * 100);
    at += width;
    return html`<g class="${tone}"
      ><rect class="fill" x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="1"
    /></g>`;
  });
  return html`<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
    ${rects}
  </svg>`;
}
