// A world for whole commands: strings for streams, a clock that stands still, chance that repeats.
import type { Sink, World } from '../../src/world.ts';

export type FakeWorld = World & { stdoutText(): string; stderrText(): string; stdoutBytes(): Buffer };

export type WorldOptions = {
  argv: readonly string[];
  /** Folder that is home and current folder. */
  dir: string;
  env?: Record<string, string | undefined>;
  stdin?: string | Uint8Array;
  /** Columns of a terminal on all streams; absent: pipes. */
  columns?: number;
  /** Lines typed at prompts. */
  typed?: string[];
  signal?: AbortSignal;
  /** The clock for durations; it stands still unless said. */
  monotonic?: World['monotonic'];
  /** Which processes there are; none unless said. */
  running?: World['running'];
  /** What programs of the system do; there are none unless said. */
  launch?: World['launch'];
  /** Another seed, other chance: a token drawn in one run is not drawn again in the next. */
  seed?: number;
};

/** 2026-01-02T03:04:05.678Z */
export const NOON = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

export function fakeWorld({
  argv,
  dir,
  env = {},
  stdin = '',
  columns,
  typed = [],
  signal,
  running = () => false,
  monotonic = () => 0,
  launch = async () => {
    throw new Error('ENOENT');
  },
  seed = 0,
}: WorldOptions): FakeWorld {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const sink = (chunks: Buffer[]): Sink => ({
    isTTY: columns !== undefined,
    columns,
    write: async (chunk) => {
      chunks.push(Buffer.from(chunk));
    },
  });
  let draws = 0;
  const answers = [...typed];
  return {
    argv,
    env: { ARX_DATA_DIR: `${dir}/data`, ARX_CONFIG_DIR: `${dir}/config`, ...env },
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
    monotonic,
    sleep: async () => {},
    randomBytes: (count) => {
      draws += 1;
      return Uint8Array.from({ length: count }, (_, index) => (seed * 101 + draws * 31 + index * 7) % 256);
    },
    signal: signal ?? new AbortController().signal,
    pid: process.pid,
    usage: () => ({ rss: 64_000_000, cpuMs: 1_500 }),
    running,
    uid: process.getuid?.(),
    nodeVersion: 'v20.19.0',
    launch,
    thread: undefined,
    stdoutText: () => Buffer.concat(out).toString('utf8'),
    stderrText: () => Buffer.concat(err).toString('utf8'),
    stdoutBytes: () => Buffer.concat(out),
  };
}
