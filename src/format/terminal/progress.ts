// Progress on stderr, for work of more than half a second: one line on a terminal that is cleared at the end, or JSON records.
import type { ProgressRecord } from '../../contract/reports/command.ts';
import type { World } from '../../world.ts';
import { formatDuration } from '../numbers.ts';
import { escapeText, textWidth, truncate } from './escape.ts';
import { countText, type Count } from './progress-text.ts';
import { createRate, type Rate } from './rate.ts';

/** The progress of one piece of work. */
export type Progress = {
  /** Shows a state. It is cheap, so call it for every step. Never throws. */
  update(state: Count): void;
  /** Ends the work: its line is cleared, and later updates show nothing. */
  end(): Promise<void>;
};

/** A request that has not been answered. */
export type OpenRequest = {
  /** The connection stands; what is waited for is the answer. */
  connected(): void;
  answered(): void;
};

/** All progress of a run. */
export type ProgressLine = {
  begin(): Progress;
  /** Shows the wait for an answer from this host, unless work shows its own state. */
  request(host: string): OpenRequest;
  /** Returns the text that clears the line, '' where none is shown. Write it before other text; the line is drawn again later. */
  wiped(): string;
  /** While it is hidden nothing is drawn: something else has the screen. */
  hide(isHidden: boolean): void;
  /** Ends all progress and clears the line. */
  close(): Promise<void>;
};

/** How progress is shown: as a line on a terminal, as a JSON record a second, or not at all. */
export type ProgressForm = 'line' | 'json' | 'none';

const SHOW_AFTER_MS = 500;
const REDRAW_MS = 100;
const RECORD_MS = 1000;
const CLEAR_LINE = '\r\u001b[2K';
/**
 * After a resize. The cursor is left at the start of the line, so where a terminal that became narrower broke the line,
 * everything that is left of it is below the cursor. tmux keeps a screen in its history that is cleared from its first cell on,
 * so this begins at the second.
 */
const CLEAR_BELOW = '\r \u001b[J\r\u001b[2K';
/** The terminal may have become narrower before Node is told. Without wrapping such a line ends at the margin. */
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';
const DEFAULT_COLUMNS = 80;

type Task = { state: Count | undefined; rate: Rate; begun: number };
/** `begun`: when the run first waited. */
type Wait = { host: string; begun: number; since: number; isConnected: boolean };

/** Returns the progress of a run. It draws by the clock of the world, so also when nothing comes. */
export function createProgressLine(
  { stderr, monotonic, every }: Pick<World, 'stderr' | 'monotonic' | 'every'>,
  { form, unicode }: { form: ProgressForm; unicode: boolean },
): ProgressLine {
  const tasks: Task[] = [];
  const waits = new Set<Wait>();
  let begun: number | undefined;
  let due = 0;
  let answers = 0;
  let isShown = false;
  /** The width of the terminal when the line was drawn. */
  let drawnColumns: number | undefined;
  let isHidden = false;
  let isBroken = form === 'none';
  let writing: Promise<void> | undefined;
  let stop: (() => void) | undefined;

  const clearing = (): string => (stderr.columns === drawnColumns ? CLEAR_LINE : CLEAR_BELOW);
  const write = (text: string): void => {
    writing = stderr
      .write(text)
      .catch(() => {
        isBroken = true;
      })
      .finally(() => {
        writing = undefined;
      });
  };
  const open = (): Task | Wait | undefined => {
    const task = tasks.findLast(({ state }) => state !== undefined);
    return task ?? [...waits][0];
  };
  const draw = (): void => {
    const now = monotonic();
    if (isBroken || isHidden || writing !== undefined || now < due) return;
    const current = open();
    if (current === undefined) {
      if (isShown) write(clearing());
      isShown = false;
      return;
    }
    if (!isShown && now - current.begun < SHOW_AFTER_MS) return;
    due = now + (form === 'json' ? RECORD_MS : REDRAW_MS);
    if (form === 'json') return write(recordText(current, 'working'));
    const columns = (stderr.columns ?? DEFAULT_COLUMNS) - 1;
    const text =
      'host' in current
        ? waitText(current, now, columns)
        : countText(current.state!, current.rate.perSecond(), { columns, unicode });
    const clear = isShown ? clearing() : CLEAR_LINE;
    isShown = true;
    drawnColumns = stderr.columns;
    write(`${clear}${WRAP_OFF}${text}${WRAP_ON}\r`);
  };
  /** Returns the longest text that fits: the time is kept longest, because it shows that the run goes on. */
  const waitText = ({ host, since, isConnected }: Wait, now: number, columns: number): string => {
    const time = now - since >= 1000 ? formatDuration(Math.floor((now - since) / 1000) * 1000) : '';
    const what = `waiting for ${answers === 0 ? 'the first answer' : 'an answer'}`;
    const texts = isConnected
      ? [`${what} from ${host}`, what, 'waiting'].map((text) => (time === '' ? text : `${text}, ${time}`))
      : [`connecting to ${host}…`, 'connecting…'].map((text) => (time === '' ? text : `${text} ${time}`));
    const shown = texts.map((text) => escapeText(text));
    return shown.find((text) => textWidth(text) <= columns) ?? truncate(shown.at(-1)!, columns);
  };
  const recordText = (current: Task | Wait, working: 'working' | 'ended'): string => {
    const elapsed = Math.round(monotonic() - (begun ?? 0)) / 1000;
    const none = { done: null, total: null, unit: null, per_second: null, seconds_left: null };
    let record: ProgressRecord;
    if ('host' in current) {
      const phase = current.isConnected ? 'waiting' : 'connecting';
      record = { type: 'progress', phase, label: current.host, ...none, elapsed };
    } else {
      const { label, done, total = null, unit } = current.state!;
      const perSecond = current.rate.perSecond();
      const left = total === null || perSecond <= 0 ? null : Math.max(0, total - done) / perSecond;
      record = {
        type: 'progress',
        phase: working,
        label,
        done,
        total,
        unit,
        per_second: Number(perSecond.toPrecision(3)),
        seconds_left: left === null ? null : Number(left.toPrecision(3)),
        elapsed,
      };
    }
    return `${JSON.stringify(record)}\n`;
  };
  const start = (): void => {
    begun ??= monotonic();
    if (!isBroken) stop ??= every(REDRAW_MS, draw);
  };
  const clear = async (): Promise<void> => {
    if (!isShown) return;
    isShown = false;
    await writing;
    await stderr.write(clearing()).catch(() => {});
  };

  return {
    begin() {
      start();
      const task: Task = { state: undefined, rate: createRate(monotonic), begun: monotonic() };
      let isEnded = false;
      tasks.push(task);
      return {
        update(state) {
          if (isEnded || isBroken) return;
          // Work that an earlier run did is not part of the rate.
          const { state: last } = task;
          const isOther = last !== undefined && (last.unit !== state.unit || state.done < last.done);
          if (isOther) task.rate = createRate(monotonic);
          else task.rate.add(state.done - (last?.done ?? state.done));
          task.state = state;
          draw();
        },
        async end() {
          if (isEnded) return;
          isEnded = true;
          tasks.splice(tasks.indexOf(task), 1);
          if (form === 'json' && task.state !== undefined && !isBroken) {
            await writing;
            write(recordText(task, 'ended'));
            await writing;
          }
          if (tasks.length === 0) await clear();
        },
      };
    },
    request(host) {
      start();
      const wait: Wait = { host, begun: begun ?? 0, since: monotonic(), isConnected: false };
      waits.add(wait);
      return {
        connected: () => void (wait.isConnected = true),
        answered() {
          if (waits.delete(wait)) answers += 1;
        },
      };
    },
    wiped() {
      const text = isShown && !isHidden ? clearing() : '';
      isShown = false;
      return text;
    },
    hide: (value) => void (isHidden = value),
    async close() {
      stop?.();
      stop = undefined;
      isBroken = true;
      await writing;
      await clear();
    },
  };
}
