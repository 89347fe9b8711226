// Plots a frozen walk for a terminal: the drift reported while each window was read, and the reads that it cost.
import type { PlotReport } from '../../contract/reports/walk.ts';
import { barsOnAxes, labelWidth, legend } from './axes.ts';
import { formatCount, plural, formatSignificant } from '../numbers.ts';
import type { Line } from '../terminal/styled-line.ts';
import type { Canvas } from '../terminal/capabilities.ts';

const DRIFT_ROWS = 5;
const COST_ROWS = 7;
/** Smaller drift is drawn as this much, since a scale cannot be arbitrarily small. */
const MIN_DRIFT = 1e-12;

/**
 * Returns what the walk cost and which drift was reported, windows from left to right, at most 24 lines. A plot of which all bars
 * are alike is left out: the line above it says as much.
 */
export function walkPlot(report: PlotReport, canvas: Canvas): Line[] {
  const { walk, windows, drift } = report;
  const title: Line = [
    { text: walk.dir, style: 'head' },
    `: ${plural(walk.conversations, 'row')} in ${plural(walk.windows, 'window')}, `,
    walk.complete ? { text: 'complete', style: 'good' } : { text: 'end not recorded', style: 'warn' },
  ];
  if (windows.length === 0) return [title];
  const ruler = { name: 'window', first: '1', last: formatCount(windows.length) };
  const most = {
    drift: Math.max(0, drift.max ?? 0),
    reads: windows.reduce((found, { reads }) => Math.max(found, reads), 0),
    disagreements: windows.reduce((found, { disagreements }) => Math.max(found, disagreements), 0),
  };
  const labels = {
    drift: formatSignificant(most.drift),
    reads: formatCount(most.reads),
    disagreements: formatCount(most.disagreements),
  };
  const hasDriftPlot = varies(windows.map(({ drift_ratio }) => Math.max(0, drift_ratio ?? 0)));
  const areTogether = areSettledTogether(windows);
  const hasCostPlot =
    !areTogether && varies(windows.map(({ reads, disagreements }) => `${reads} ${disagreements}`));
  const margin = labelWidth([
    ...(hasDriftPlot ? [labels.drift] : []),
    ...(hasCostPlot ? [labels.reads, labels.disagreements] : []),
  ]);
  const drifts = windows.map(({ drift_ratio }) => ({
    up: Math.max(0, drift_ratio ?? 0),
    down: 0,
    known: drift_ratio !== null,
  }));
  const costs = windows.map(({ reads, disagreements }) => ({ up: reads, down: disagreements }));
  return [
    title,
    driftLine(report),
    ...(hasDriftPlot
      ? [
          ...barsOnAxes(
            drifts,
            {
              up: { label: labels.drift, style: 'warn' },
              down: { label: '', style: 'warn' },
              perRow: Math.max(most.drift / DRIFT_ROWS, MIN_DRIFT),
              ruler,
              margin,
            },
            canvas,
          ),
          '',
        ]
      : []),
    costLine(report, areTogether),
    ...(hasCostPlot
      ? [
          ...barsOnAxes(
            costs,
            {
              up: { label: labels.reads, style: 'id' },
              down: { label: labels.disagreements, style: 'bad' },
              // One scale for both sides, so that equal heights are equal counts.
              perRow: Math.max(1, (most.reads + most.disagreements) / COST_ROWS),
              ruler,
              margin,
            },
            canvas,
          ),
          ...legend(
            most.reads > 0 ? { text: 'reads', style: 'id' } : undefined,
            most.disagreements > 0 ? { text: 'disagreements', style: 'bad' } : undefined,
            canvas,
          ),
        ]
      : []),
  ];
}

function varies(values: readonly (string | number)[]): boolean {
  return new Set(values).size > 1;
}

/** Logs of older versions have all requests at the first of windows that were frozen one after the other. */
function areSettledTogether(windows: PlotReport['windows']): boolean {
  return windows.length > 1 && windows.every(({ reads }, index) => (index === 0) === reads > 0);
}

function costLine({ reads, disagreements, windows }: PlotReport, areTogether: boolean): string {
  const total = `${plural(reads, 'read')}, ${plural(disagreements, 'disagreement')}`;
  if (areTogether) return `${total}; the log does not say in which windows`;
  const [first] = windows;
  const isEach = windows.length > 1 && !varies(windows.map((window) => window.reads));
  return isEach ? `${total}; ${plural(first?.reads ?? 0, 'read')} in each window` : total;
}

function driftLine({ drift: { first, last, max } }: PlotReport): string {
  if (first === null || last === null || max === null) return 'drift: none reported';
  if (first === last && last === max) return `drift reported: ${formatSignificant(max)} throughout`;
  return `drift reported: ${formatSignificant(first)} first, ${formatSignificant(last)} last, ${formatSignificant(max)} highest`;
}
