// The outside world for tests: strings as streams, a clock that stands still, randomness that repeats, sleeps that take no time.
import type { Sink, World } from '../../src/world.ts';

export type FakeWorld = World & {
  /** Milliseconds of each call of `sleep`, in order. */
  slept: number[];
  stdoutText(): string;
  stderrText(): string;
  stdoutBytes(): Buffer;
};

/** What differs from the world that {@link fakeWorld} describes. */
export type FakeWorldOptions = Partial<Omit<World, 'stdin' | 'stdout' | 'stderr'>> & {
  /** Home folder and current folder; contains `data` and `config`. */
  dir?: string;
  stdin?: string | Uint8Array;
  /** Columns of a terminal for all streams; without it they are pipes. */
  columns?: number;
  /** Rows of the terminal. */
  rows?: number;
  /** Lines typed at prompts. */
  typed?: readonly string[];
  /** Another seed gives other random bytes. */
  seed?: number;
};

/** 2026-01-02T03:04:05.678Z */
export const NOON = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/**
 * Returns a world in which both clocks stand still, no other process runs, no program can be started and there are no
 * worker threads. `sleep` returns at once, or throws the reason of an aborted signal.
 */
export function fakeWorld({
  dir = '/nowhere',
  env = {},
  stdin = '',
  columns,
  rows,
  typed = [],
  seed = 0,
  ...overrides
}: FakeWorldOptions = {}): FakeWorld {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const sink = (chunks: Buffer[]): Sink => ({
    isTTY: columns !== undefined,
    columns,
    rows,
    write: async (chunk) => {
      chunks.push(Buffer.from(chunk));
    },
  });
  let draws = 0;
  const answers = [...typed];
  const slept: number[] = [];
  return {
    argv: [],
    env: { ARX_DATA_DIR: `${dir}/data`, ARX_CONFIG_DIR: `${dir}/config`, TZ: 'UTC', ...env },
    cwd: dir,
    home: dir,
    platform: 'linux',
    stdin: {
      isTTY: columns !== undefined,
      async *bytes() {
        yield Buffer.from(stdin);
      },
      line: async () => answers.shift(),
    },
    stdout: sink(out),
    stderr: sink(err),
    now: () => NOON,
    monotonic: () => 0,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
    },
    every: () => () => {},
    randomBytes: (count) => {
      draws += 1;
      return Uint8Array.from({ length: count }, (_, index) => (seed * 101 + draws * 31 + index * 7) % 256);
    },
    signal: new AbortController().signal,
    pid: process.pid,
    usage: () => ({ rss: 64_000_000, cpuMs: 1_500 }),
    running: () => false,
    uid: process.getuid?.(),
    nodeVersion: 'v20.19.0',
    launch: async () => {
      throw new Error('ENOENT');
    },
    capture: async () => {
      throw new Error('ENOENT');
    },
    runOwn: async () => {
      throw new Error('ENOENT');
    },
    startOwn: undefined,
    startPager: async () => {
      throw new Error('ENOENT');
    },
    openTerminal: () => {
      throw new Error('no terminal');
    },
    thread: undefined,
    slept,
    stdoutText: () => Buffer.concat(out).toString('utf8'),
    stderrText: () => Buffer.concat(err).toString('utf8'),
    stdoutBytes: () => Buffer.concat(out),
    ...overrides,
  };
}
