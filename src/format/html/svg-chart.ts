// Charts for HTML reports: SVG that stretches to any width, with labels beside it that do not.
import { html, Markup } from './markup.ts';
import type { Tone } from './style-sheet.ts';

/** The height of a column, at least 0. For a group of items: its highest item (`most`) and its average (`usual`). */
export type Level = { most: number; usual: number };

/** One column. `up` is null where there is no value. `says` is shown under the pointer. */
export type ChartColumn = { label: string; says: string; up: Level | null; down?: Level };

/** The name and colour of the values above zero, or of those below. */
export type Series = { name: string; tone: Tone };

/** A chart. */
export type Chart = {
  title: string;
  /** The level of its heading (default: 2). */
  level?: 2 | 3;
  /** What the chart shows, as text; screen readers read it too. */
  says: string;
  shape: 'bars' | 'steps';
  columns: readonly ChartColumn[];
  up: Series;
  down?: Series;
  /** What the columns stand for. */
  axis: string;
  figure: (value: number) => string;
  /** The values are counts: the scale has whole numbers only. */
  whole: boolean;
};

/** With fewer columns than this, space is left at the right, so that columns do not become too wide. */
const MIN_COLUMNS = 10;
const MAX_LABELS = 5;
const MAX_SCALE_MARKS = 5;

/** Returns a chart. */
export function svgChart({
  title,
  level = 2,
  says,
  shape,
  columns,
  up,
  down,
  axis,
  figure,
  whole,
}: Chart): Markup {
  const most = {
    up: columns.reduce((found, column) => Math.max(found, column.up?.most ?? 0), 0),
    down: columns.reduce((found, column) => Math.max(found, column.down?.most ?? 0), 0),
  };
  const step = stepOf((most.up + most.down) / MAX_SCALE_MARKS, whole);
  const marksUp = Math.max(Math.ceil(most.up / step), most.down > 0 ? 0 : 1);
  const marks = marksUp + Math.ceil(most.down / step);
  const width = Math.max(columns.length, MIN_COLUMNS);
  /** From the top, in percent; `value` counts upward. */
  const y = (value: number): number => rounded(((marksUp - value / step) / marks) * 100);
  const scale = Array.from({ length: marks + 1 }, (_, index) => ({
    y: rounded((index / marks) * 100),
    isZero: index === marksUp,
    // A mark above the greatest number would be infinite.
    label: figure(Math.min(Math.abs(marksUp - index) * step, Number.MAX_VALUE)),
  }));
  const ups = columns.map((column) => column.up);
  const rising = shape === 'bars' ? bars(ups, y, 1) : steps(ups, y);
  const falling = bars(
    columns.map((column) => column.down),
    y,
    -1,
  );
  const series = down === undefined ? [up] : [up, down];

  return html`<figure class="chart">
    <figcaption>
      ${level === 2 ? html`<h2>${title}</h2>` : html`<h3>${title}</h3>`}
      <p>${says}</p>
      ${series.length > 1 ? html`<p>${series.map(legend)}</p>` : undefined}
    </figcaption>
    <div class="plot">
      <svg class="scale" aria-hidden="true">
        ${scale.map((mark) => html`<text x="100%" y="${mark.y}%">${mark.label}</text>`)}
      </svg>
      <svg
        class="picture"
        role="img"
        aria-label="${title}: ${says}"
        viewBox="0 0 ${width} 100"
        preserveAspectRatio="none"
      >
        ${scale.map((mark) => rule(mark.isZero ? 'zero' : 'grid', mark.y, width))}
        <g class="${up.tone}">${rising}</g>
        ${down === undefined ? undefined : html`<g class="${down.tone}">${falling}</g>`}
        ${columns.map(
          (column, index) =>
            html`<rect class="hit" x="${index}" y="0" width="1" height="100"
              ><title>${column.says}</title></rect
            >`,
        )}
      </svg>
      <svg class="ruler" aria-hidden="true">${ruler(columns, width)}</svg>
      <p class="axis">${axis}</p>
    </div>
  </figure>`;
}

/** Returns a name with its colour. */
export function legend({ name, tone }: Series): Markup {
  return html`<span class="legend"
    ><svg class="${tone}" viewBox="0 0 1 1" aria-hidden="true"><rect class="fill" width="1" height="1" /></svg
    >${name}</span
  >`;
}

function rule(kind: 'zero' | 'grid', y: number, width: number): Markup {
  return html`<line class="${kind}" x1="0" x2="${width}" y1="${y}" y2="${y}" />`;
}

/** Bars from zero in one direction, pale between average and highest. A value above 0 has a minimum height. */
function bars(
  levels: readonly (Level | null | undefined)[],
  y: (value: number) => number,
  direction: 1 | -1,
): Markup[] {
  // With many bars, gaps would only flicker.
  const gap = levels.length > 100 ? 0 : 0.2;
  const bar = (kind: 'fill' | 'pale', index: number, value: number): Markup => {
    const height = Math.max(MIN_BAR_HEIGHT, Math.abs(y(value) - y(0)));
    const top = direction === 1 ? y(0) - height : y(0);
    return html`<rect
      class="${kind}"
      x="${rounded(index + gap / 2)}"
      y="${rounded(top)}"
      width="${rounded(1 - gap)}"
      height="${rounded(height)}"
    />`;
  };
  return levels.flatMap((level, index) => {
    if (level === null || level === undefined || level.most <= 0) return [];
    const { most, usual } = level;
    return [...(most > usual ? [bar('pale', index, most)] : []), bar('fill', index, usual)];
  });
}

const MIN_BAR_HEIGHT = 0.8;

/** A step for each column. Nothing is drawn where there is no value. */
function steps(levels: readonly (Level | null)[], y: (value: number) => number): Markup[] {
  const traces: string[] = [];
  const areas: string[] = [];
  for (let start = 0; start < levels.length; start += 1) {
    let trace = '';
    let end = start;
    for (let level = levels[end]; level; level = levels[end]) {
      trace += `${trace === '' ? 'M' : 'L'}${end} ${y(level.most)}H${end + 1}`;
      end += 1;
    }
    if (end === start) continue;
    traces.push(trace);
    areas.push(`${trace}V${y(0)}H${start}Z`);
    start = end;
  }
  return [
    html`<path class="area" d="${areas.join('')}" />`,
    html`<path class="trace" d="${traces.join('')}" />`,
  ];
}

function ruler(columns: readonly ChartColumn[], width: number): Markup[] {
  const last = columns.length - 1;
  const step = Math.max(1, Math.ceil(last / (MAX_LABELS - 1)));
  const regular = columns.flatMap((_, place) =>
    place % step === 0 && last - place >= step / 2 ? [place] : [],
  );
  const places = [...regular, last];
  return places.map((place, at) => {
    const isAtEdge = place === width - 1;
    // A narrow screen has room for the first and the last label only.
    const name = isAtEdge ? 'last' : at > 0 && place !== last ? 'between' : undefined;
    const x = isAtEdge ? 100 : rounded(((place + 0.5) / width) * 100);
    return html`<text class="${name}" x="${x}%" y="1rem">${columns[place]?.label}</text>`;
  });
}

/** 1, 2 or 5 times a power of ten, at least `least`. */
function stepOf(least: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((times) => times * power).find((value) => value >= least);
  // A figure too small or too large to be divided is drawn as one step.
  const found = step !== undefined && step > 0 && Number.isFinite(step) ? step : 1;
  return whole ? Math.max(1, found) : found;
}

function rounded(value: number): number {
  return Number(value.toFixed(2));
}
