// The explorer in this process, with a screen emulator as its terminal.
import { getEventListeners } from 'node:events';
import xterm from '@xterm/headless';
import { run } from '../../src/arx.ts';
import { Fault } from '../../src/faults.ts';
import type { Terminal } from '../../src/world.ts';
import { fakeWorld } from './fake-world.ts';
import { wordsOf } from './transcript.ts';

/** A run of the explorer. */
export type RunningExplorer = {
  /** The exit code. */
  ended: Promise<number>;
  stderr(): string;
  /** Everything that was sent to the terminal. */
  sent(): string;
  /** Whether the terminal was given back. */
  isClosed(): boolean;
  signal(name: string): void;
  /** How many listeners wait for the end of the run. */
  listeners(): number;
  /** Lets this time pass: what is done at intervals is done once. */
  pass(ms: number): void;
  type(keys: string): void;
  resize(size: { columns: number; rows: number }): void;
  /** Resolves with the screen when it matches; rejects when the run ends before. */
  shows(pattern: RegExp): Promise<string>;
};

/** Starts `arx explore` in this process with a terminal in memory. `line` follows `arx explore`. */
export function startExplorer(
  dir: string,
  line: string,
  {
    columns = 100,
    rows = 30,
    env = {},
  }: { columns?: number; rows?: number; env?: Record<string, string> } = {},
): RunningExplorer {
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const sent: string[] = [];
  const waiting: { pattern: RegExp; resolve: (text: string) => void }[] = [];
  let listeners: Parameters<Terminal['listen']>[0] | undefined;
  let isClosed = false;
  const text = (): string =>
    Array.from({ length: screen.rows }, (_, at) =>
      screen.buffer.active.getLine(at)?.translateToString(true),
    ).join('\n');
  const look = (): void => {
    for (const each of waiting.splice(0))
      if (each.pattern.test(text())) each.resolve(text());
      else waiting.push(each);
  };
  const put = (data: string): Promise<void> => {
    sent.push(data);
    return new Promise((resolve) =>
      screen.write(data, () => {
        look();
        resolve();
      }),
    );
  };
  const controller = new AbortController();
  let passedMs = 0;
  const atIntervals = new Set<() => void>();
  const world = fakeWorld({
    dir,
    argv: wordsOf(`explore ${line}`),
    columns,
    env,
    signal: controller.signal,
    monotonic: () => passedMs,
    every(_, act) {
      atIntervals.add(act);
      return () => void atIntervals.delete(act);
    },
  });
  const ended = run({
    ...world,
    openTerminal: ({ enter, leave }) => {
      void put(enter);
      return {
        size: () => ({ columns: screen.cols, rows: screen.rows }),
        listen: (given) => void (listeners = given),
        write: put,
        suspend: () => {},
        close: () => {
          isClosed = true;
          void put(leave);
        },
      };
    },
  });
  return {
    ended,
    stderr: () => world.stderrText(),
    sent: () => sent.join(''),
    isClosed: () => isClosed,
    signal: (name: string) => controller.abort(new Fault('interrupted', 'interrupted', { signal: name })),
    listeners: () => getEventListeners(controller.signal, 'abort').length,
    pass(ms: number) {
      passedMs += ms;
      for (const act of atIntervals) act();
    },
    type: (keys: string) => listeners!.input(Buffer.from(keys)),
    resize(size: { columns: number; rows: number }) {
      screen.resize(size.columns, size.rows);
      listeners!.resize();
    },
    shows: (pattern: RegExp): Promise<string> =>
      Promise.race([
        new Promise<string>((resolve) => {
          waiting.push({ pattern, resolve });
          look();
        }),
        ended.then((exit) => {
          throw new Error(`ended with ${exit} without ${String(pattern)}: ${text()}`);
        }),
      ]),
  };
}
