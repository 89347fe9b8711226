// Progress on a terminal: one line on stderr, for work of more than half a second, cleared at the end.
import type { Sink } from '../../world.ts';
import { formatCount, formatDuration, formatPercent, plural, formatBytes } from '../numbers.ts';
import { truncate, escapeText } from './escape.ts';

/** How much is done. `unit` is `bytes` or a plural noun. `total` is undefined where it is unknown. */
export type Count = { label: string; done: number; total?: number | undefined; unit: string };

/** The progress line of a run. */
export type Progress = {
  /** Shows a state. It is cheap, so call it for every step. Never throws. */
  update(state: string | Count): void;
  /** Returns the text that clears the line, '' where none is shown. Write it before other text; the next update redraws. */
  wiped(): string;
  /** Clears the line. Later updates show nothing. */
  end(): Promise<void>;
};

const SHOW_AFTER_MS = 500;
const REDRAW_MS = 100;
const CLEAR = '\r\u001b[2K';

/** Returns a progress line. `monotonic` is a clock in milliseconds. Where it is not `enabled`, nothing is shown. */
export function createProgress(
  stderr: Sink,
  monotonic: () => number,
  { enabled, unicode, columns }: { enabled: boolean; unicode: boolean; columns: number | undefined },
): Progress {
  const begun = monotonic();
  let due = begun + SHOW_AFTER_MS;
  let first: number | undefined;
  let isShown = false;
  let isEnded = !enabled;
  let writing: Promise<void> | undefined;
  return {
    update(state) {
      // Work that an earlier run did is not part of the rate.
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

/** A running walk. `rows` are frozen, `last` of them in the last window; `limit` is the number of rows of a read. */
export type FrozenProgress = {
  noun: string;
  rows: number;
  windows: number;
  last: number;
  requests: number;
  limit: number;
  drift: number | undefined;
};

/** Returns `frozen 1,200 conversations in 12 windows, the last of 100 · 2.9× the minimum of requests · drift 0.21`. */
export function frozenProgressText(walk: FrozenProgress, { unicode }: { unicode: boolean }): string {
  const { noun, rows, windows, last, requests, limit, drift } = walk;
  const minimum = Math.ceil(rows / limit);
  return [
    rows === 0
      ? `frozen no ${noun}s yet`
      : `frozen ${plural(rows, noun)} in ${plural(windows, 'window')}, the last of ${formatCount(last)}`,
    minimum === 0
      ? plural(requests, 'request')
      : `${(requests / minimum).toFixed(1)}${unicode ? '×' : 'x'} the minimum of requests`,
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
