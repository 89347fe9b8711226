// Plots a conversation for a terminal: its messages over time, and who wrote how many.
import { NO_VALUE } from '../views/view.ts';
import type { Message } from '../../contract/conversation.ts';
import { formatCount, plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { escapeText } from '../terminal/escape.ts';
import type { Line } from '../terminal/styled-line.ts';
import { barsOnAxes, plotColumns } from './axes.ts';
import { bars } from './bar-chart.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_ROWS = 6;
const MAX_SENDERS = 8;
/** Columns beside the bars. */
const MARGIN = 8;
const MAX_BARS = 60;

/** Lengths of time that a bar stands for, the shortest first. `numberOf` counts them from 1970 in UTC; `digits`: of the instant that names one. */
const UNITS: { name: string; digits: number; numberOf(date: Date): number }[] = [
  { name: 'hour', digits: 13, numberOf: (date) => Math.floor(date.getTime() / HOUR_MS) },
  { name: 'day', digits: 10, numberOf: (date) => Math.floor(date.getTime() / DAY_MS) },
  // 1970 began on a Thursday, weeks begin on Mondays.
  { name: 'week', digits: 10, numberOf: (date) => Math.floor((date.getTime() / DAY_MS + 3) / 7) },
  { name: 'month', digits: 7, numberOf: (date) => (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth() },
  { name: 'year', digits: 4, numberOf: (date) => date.getUTCFullYear() - 1970 },
];

/** Returns the plot of a conversation, at most 20 lines. Messages without a date are counted in the first line alone. */
export function timeline(name: string, messages: readonly Message[], canvas: Canvas): Line[] {
  const dates = messages
    .map(({ date }) => new Date(date ?? ''))
    .filter((date) => !Number.isNaN(date.getTime()))
    .toSorted((a, b) => a.getTime() - b.getTime());
  const undated = messages.length - dates.length;
  const title: Line = [
    { text: escapeText(name), style: 'head' },
    `: ${plural(messages.length, 'message')}${undated > 0 ? `, ${formatCount(undated)} without a date` : ''}`,
  ];
  return [title, ...chart(dates, canvas), ...senders(messages, canvas)];
}

function chart(dates: readonly Date[], canvas: Canvas): Line[] {
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined || last === undefined) return [];
  const room = Math.min(MAX_BARS, plotColumns(canvas) - MARGIN);
  const unit =
    UNITS.find(({ numberOf }) => numberOf(last) - numberOf(first) < room) ?? UNITS[UNITS.length - 1]!;
  const start = unit.numberOf(first);
  const counts = Array.from({ length: unit.numberOf(last) - start + 1 }, () => 0);
  for (const date of dates) counts[unit.numberOf(date) - start]! += 1;
  const label = (date: Date): string => date.toISOString().slice(0, unit.digits).replace('T', ' ');
  // One bar has nothing to compare it with.
  if (counts.length === 1) return [`all in the ${unit.name} of ${label(first)} UTC`];
  const most = counts.reduce((found, each) => Math.max(found, each), 0);
  return barsOnAxes(
    counts.map((up) => ({ up, down: 0 })),
    {
      up: { label: formatCount(most), style: 'id' },
      down: { label: '', style: 'id' },
      perRow: Math.max(1, most / MAX_ROWS),
      ruler: {
        name: `messages ${unit.name === 'hour' ? 'an' : 'a'} ${unit.name}, UTC`,
        first: label(first),
        last: label(last),
      },
    },
    canvas,
  );
}

function senders(messages: readonly Message[], canvas: Canvas): Line[] {
  const counts = new Map<string, number>();
  for (const { from } of messages) {
    const name = from ?? NO_VALUE;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  // Bars of one length say nothing.
  if (new Set(counts.values()).size < 2) return [];
  const all = [...counts].map(([label, value]) => ({ label, value })).toSorted((a, b) => b.value - a.value);
  const rest = all.length - MAX_SENDERS;
  return [
    '',
    ...bars(all.slice(0, MAX_SENDERS), canvas),
    ...(rest > 0 ? [{ text: `and ${plural(rest, 'more sender')}`, style: 'dim' } as const] : []),
  ];
}
