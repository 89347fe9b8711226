// What the outside gives to a run: the only way to arguments, environment, streams, clock, randomness and signals.

import type { Worker } from 'node:worker_threads';

/** A stream to write to. `write` resolves when the text was taken (drained) and throws a disk Fault when it cannot be. */
export type Sink = {
  readonly isTTY: boolean;
  /** Columns of the terminal, undefined where there is none. */
  readonly columns: number | undefined;
  write(chunk: string | Uint8Array): Promise<void>;
};

export type Source = {
  readonly isTTY: boolean;
  /** All bytes to the end, once; throws the signal's reason when the run is interrupted. */
  bytes(): AsyncIterable<Uint8Array>;
  /** One line typed at a terminal without its newline; `hidden` does not echo it. Undefined at end of input. */
  line(prompt: string, options?: { hidden?: boolean; signal?: AbortSignal }): Promise<string | undefined>;
};

export type World = {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  home: string;
  platform: string;
  stdin: Source;
  stdout: Sink;
  stderr: Sink;
  /** Milliseconds since the epoch. */
  now(): number;
  /** A clock for durations, in milliseconds. */
  monotonic(): number;
  /** Resolves after so many milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  randomBytes(count: number): Uint8Array;
  /** Aborted with an `interrupted` Fault at the first SIGINT, SIGTERM or SIGHUP. */
  signal: AbortSignal;
  pid: number;
  /** What this process uses now: resident memory in bytes, and all the time of cores it ever used, in milliseconds. */
  usage(): { rss: number; cpuMs: number };
  /** Whether a process with this id exists, whoever owns it. */
  running(pid: number): boolean;
  /** Our user id; undefined where the system has none. */
  uid: number | undefined;
  nodeVersion: string;
  /** Runs a program of the system, by no shell and without our streams, to its exit code; rejects where it cannot start. */
  launch(program: string, args: readonly string[]): Promise<number>;
  /** Starts a thread of ours by its name, with data for it; undefined where there are none. */
  thread: ((name: 'disk-worker' | 'hash-worker' | 'small-file-worker', data?: object) => Worker) | undefined;
};
