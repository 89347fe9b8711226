// The text of a progress line, for a terminal of any width.
import { formatBytes, formatCount, formatDuration, formatPercent, plural } from '../numbers.ts';
import { escapeText, lastColumns, textWidth, truncate } from './escape.ts';

/**
 * How much is done. `unit` is `bytes` or a plural noun. `total` is undefined where it is unknown. `text` is what a terminal shows
 * in place of these.
 */
export type Count = {
  label: string;
  done: number;
  total?: number | undefined;
  unit: string;
  text?: string | undefined;
};

/** Longer times left are guesses. */
const MAX_TIME_LEFT_MS = 100 * 3_600_000;
/** Share of the line that a label may take where other parts need the room. */
const MAX_LABEL_SHARE = 0.4;
const MAX_LABEL_SHARE_WITH_BAR = 0.2;
const MIN_LABEL_COLUMNS = 8;

/** A part of the line. The highest `rank` gives way first. */
type Part = { text: string; rank: number };

/** Returns `12 of 40 messages`, or `12 messages` where the total is unknown. */
export function amountText({ done, total, unit }: Pick<Count, 'done' | 'total' | 'unit'>): string {
  const amount =
    total === undefined || total <= 0
      ? figure(done, unit)
      : `${figure(done, unit)} of ${figure(total, unit)}`;
  return unit === 'bytes' ? amount : `${amount} ${unit}`;
}

function figure(value: number, unit: string): string {
  return unit === 'bytes' ? formatBytes(value) : formatCount(value);
}

/**
 * Returns `photos  ██████░░░░░░░░░  41 %  1.2 MB of 3.0 MB  3.4 MB/s  12 s left`, no wider than `columns`. On a narrow screen
 * the rate is left out first, then the bar, which the share also says, the amount, the time left and the share. Before the
 * bar and each later part the label is cut, unless `isLabelWhole`; of a path its end is shown.
 */
export function countText(
  state: Count,
  perSecond: number,
  { columns, unicode, isLabelWhole = false }: { columns: number; unicode: boolean; isLabelWhole?: boolean },
): string {
  if (state.text !== undefined) return truncate(escapeText(state.text), columns);
  const amount = amountText(state);
  const rate = perSecond >= 0.5 ? [{ text: `${figure(Math.round(perSecond), state.unit)}/s`, rank: 5 }] : [];
  const label = escapeText(state.label);
  const parts: Part[] = [];
  if (state.total === undefined || state.total <= 0) parts.push({ text: amount, rank: 1 }, ...rate);
  else {
    const share = Math.min(1, state.done / state.total);
    const left = perSecond > 0 ? ((state.total - state.done) / perSecond) * 1000 : Infinity;
    parts.push(
      { text: bar(share, unicode), rank: 4 },
      { text: formatPercent(share).padStart(5), rank: 1 },
      { text: amount, rank: 3 },
      ...rate,
      ...(left < MAX_TIME_LEFT_MS ? [{ text: `${formatDuration(left)} left`, rank: 2 }] : []),
    );
  }
  const short = (share: number): string =>
    shortened(label, Math.max(MIN_LABEL_COLUMNS, Math.floor(columns * share)));
  const attempts = [
    { rank: 5, shown: label },
    { rank: 4, shown: label },
    { rank: 4, shown: short(MAX_LABEL_SHARE_WITH_BAR) },
    ...[3, 2, 1].flatMap((rank) => [
      { rank, shown: label },
      { rank, shown: short(MAX_LABEL_SHARE) },
    ]),
  ];
  for (const { rank, shown } of attempts.filter((each) => !isLabelWhole || each.shown === label)) {
    const line = [shown, ...parts.filter((part) => part.rank <= rank).map(({ text }) => text)].join('  ');
    if (textWidth(line) <= columns) return line;
  }
  return truncate(label, columns);
}

/** Returns a label in so many columns. A path keeps its end, which names the file. */
function shortened(label: string, columns: number): string {
  if (textWidth(label) <= columns || !label.includes('/')) return truncate(label, columns);
  return `…${lastColumns(label, columns - 1)}`;
}

function bar(share: number, unicode: boolean): string {
  const length = 24;
  const full = Math.floor(share * length);
  return unicode
    ? '█'.repeat(full) + '░'.repeat(length - full)
    : `[${'#'.repeat(full)}${'.'.repeat(length - full)}]`;
}

/** A running walk. `rows` are frozen by this run, and `earlier` by earlier runs. */
export type FrozenProgress = {
  noun: string;
  rows: number;
  earlier?: number;
  windows: number;
  requests: number;
  drift: number | undefined;
};

/** Returns `1,200 conversations frozen in 12 windows, 4,790 by earlier runs · 35 requests · drift 0.21`. */
export function frozenProgressText(walk: FrozenProgress, { unicode }: { unicode: boolean }): string {
  const { noun, rows, earlier = 0, windows, requests, drift } = walk;
  const own =
    rows === 0 ? `no ${noun}s frozen yet` : `${plural(rows, noun)} frozen in ${plural(windows, 'window')}`;
  return [
    earlier === 0 ? own : `${own}, ${formatCount(earlier)} by earlier runs`,
    plural(requests, 'request'),
    ...(drift === undefined ? [] : [`drift ${drift}`]),
  ].join(unicode ? ' · ' : ', ');
}
