// Progress on a terminal: one line on stderr, only for what takes longer than half a second, gone at the end.
import type { Sink } from '../../world.ts';
import { formatCount, formatDuration, formatPercent, plural, formatBytes } from '../numbers.ts';
import { truncate, escapeText } from './escape.ts';

/** `unit` is `bytes` or a plural noun; `total` is left out where it is not known. */
export type Count = { label: string; done: number; total?: number | undefined; unit: string };

export type Progress = {
  /** Cheap, to be called for every step. Never throws: progress is no reason to fail. */
  update(state: string | Count): void;
  /** What wipes the line, to be written before other text; empty where there is none. The next update draws it anew. */
  wiped(): string;
  /** Clears the line; no update after it is shown. */
  end(): Promise<void>;
};

const PATIENCE_MS = 500;
const REDRAW_MS = 100;
const CLEAR = '\r\u001b[2K';

/** `monotonic` is a clock in milliseconds; `enabled` where the screen allows animation and nobody asked for quiet. */
export function createProgress(
  stderr: Sink,
  monotonic: () => number,
  { enabled, unicode, columns }: { enabled: boolean; unicode: boolean; columns: number | undefined },
): Progress {
  const begun = monotonic();
  let due = begun + PATIENCE_MS;
  let first: number | undefined;
  let isShown = false;
  let isEnded = !enabled;
  let writing: Promise<void> | undefined;
  return {
    update(state) {
      // What was done before the first update is resumed work, and no part of the rate.
      if (typeof state !== 'string') first ??= state.done;
      const now = monotonic();
      if (isEnded || now < due || writing !== undefined) return;
      due = now + REDRAW_MS;
      isShown = true;
      const text =
        typeof state === 'string'
          ? escapeText(state)
          : counted(state, state.done - (first ?? 0), now - begun, unicode);
      writing = stderr
        .write(CLEAR + truncate(text, (columns ?? 80) - 1))
        .catch(() => {
          isEnded = true;
        })
        .finally(() => {
          writing = undefined;
        });
    },
    wiped() {
      const text = isShown ? CLEAR : '';
      isShown = false;
      return text;
    },
    async end() {
      isEnded = true;
      await writing;
      if (isShown) await stderr.write(CLEAR).catch(() => {});
      isShown = false;
    },
  };
}

/** A walk under way: what is frozen and what it cost. `limit` is the rows of a read, `last` those of the last window. */
export type FrozenProgress = {
  noun: string;
  rows: number;
  windows: number;
  last: number;
  requests: number;
  limit: number;
  drift: number | undefined;
};

/** `frozen 1,200 conversations in 12 windows, the last of 100 · 2.9× the least requests · drift 0.21`. */
export function frozenProgressText(walk: FrozenProgress, { unicode }: { unicode: boolean }): string {
  const { noun, rows, windows, last, requests, limit, drift } = walk;
  const least = Math.ceil(rows / limit);
  return [
    rows === 0
      ? `frozen no ${noun}s yet`
      : `frozen ${plural(rows, noun)} in ${plural(windows, 'window')}, the last of ${formatCount(last)}`,
    least === 0
      ? plural(requests, 'request')
      : `${(requests / least).toFixed(1)}${unicode ? '×' : 'x'} the least requests`,
    ...(drift === undefined ? [] : [`drift ${drift}`]),
  ].join(unicode ? ' · ' : ', ');
}

/** `photos  ██████░░░░░░░░░  41 %  1.2 MB of 3.0 MB  3.4 MB/s  12 s left`. `gained` in `elapsed` milliseconds. */
function counted(state: Count, gained: number, elapsed: number, unicode: boolean): string {
  const figure = (value: number): string =>
    state.unit === 'bytes' ? formatBytes(value) : formatCount(value);
  const perSecond = elapsed > 0 ? (gained / elapsed) * 1000 : 0;
  const unit = state.unit === 'bytes' ? '' : ` ${state.unit}`;
  const rate = perSecond > 0 ? [`${figure(Math.max(1, Math.round(perSecond)))}/s`] : [];
  const label = escapeText(state.label);
  if (state.total === undefined || state.total <= 0)
    return [label, `${figure(state.done)}${unit}`, ...rate].join('  ');
  const share = Math.min(1, state.done / state.total);
  const left =
    perSecond > 0 ? [`${formatDuration(((state.total - state.done) / perSecond) * 1000)} left`] : [];
  const amount = `${figure(state.done)} of ${figure(state.total)}${unit}`;
  return [label, bar(share, unicode), formatPercent(share).padStart(5), amount, ...rate, ...left].join('  ');
}

function bar(share: number, unicode: boolean): string {
  const length = 24;
  const full = Math.floor(share * length);
  return unicode
    ? '█'.repeat(full) + '░'.repeat(length - full)
    : `[${'#'.repeat(full)}${'.'.repeat(length - full)}]`;
}
