// The outside world of a run: arguments, environment, streams, clock, random bytes, signals. Tests replace it.

import type { Readable, Writable } from 'node:stream';
import type { Worker } from 'node:worker_threads';

/** A stream to write to. `write` resolves when the stream has drained, and throws Fault 'disk' where it cannot write. */
export type Sink = {
  readonly isTTY: boolean;
  /** Columns of the terminal, undefined where there is none. */
  readonly columns: number | undefined;
  /** Rows of the terminal, undefined where there is none. */
  readonly rows?: number | undefined;
  write(chunk: string | Uint8Array): Promise<void>;
};

/** A stream to read from. */
export type Source = {
  readonly isTTY: boolean;
  /** Yields all bytes to the end; call it once. Throws the signal's reason when the run is interrupted. */
  bytes(): AsyncIterable<Uint8Array>;
  /** Returns one line typed at a terminal, without its newline, or undefined at the end of input. `hidden`: no echo. */
  line(prompt: string, options?: { hidden?: boolean; signal?: AbortSignal }): Promise<string | undefined>;
};

/** A program that shows text page by page. A write after its user closed it throws Fault 'interrupted'. */
export type Pager = Sink & {
  /** Returns whether its user closed it. */
  isClosed(): boolean;
  /** Ends the text, and waits until its user closes it. */
  end(): Promise<void>;
};

/** A terminal that a full-screen view has for itself: each key arrives as it is pressed. */
export type Terminal = {
  size(): { columns: number; rows: number };
  /** Calls these from now on. `resize` is also called when the program was continued, since the screen is empty then. */
  listen(listeners: { input(bytes: Uint8Array): void; resize(): void; end(): void }): void;
  /** Resolves when the terminal has taken the text. Throws Fault 'disk' where it is gone. */
  write(text: string): Promise<void>;
  /** Stops the program as Ctrl-Z does, with the terminal as it was before. */
  suspend(): void;
  /** Gives the terminal back as it was. */
  close(): void;
};

/** A process of ours. Its stdout ends with it. */
export type OwnProcess = { stdin: Writable; stdout: Readable; kill(): void };

/** Everything that a run may use of the system. */
export type World = {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** The current folder; '' where it was deleted. */
  cwd: string;
  /** An absolute path; '' where none is known. */
  home: string;
  platform: string;
  stdin: Source;
  stdout: Sink;
  stderr: Sink;
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Returns milliseconds of a clock that only measures durations. */
  monotonic(): number;
  /** Resolves after this time, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `call` again and again, after this time each, until the returned function is called. It does not keep the process running. */
  every(ms: number, call: () => void): () => void;
  randomBytes(count: number): Uint8Array;
  /** Aborted with an `interrupted` Fault at the first SIGINT, SIGTERM or SIGHUP. */
  signal: AbortSignal;
  pid: number;
  /** Returns the resident memory of this process in bytes, and the processor time it has used in milliseconds. */
  usage(): { rss: number; cpuMs: number };
  /** Returns whether a process with this id runs, of any user. */
  running(pid: number): boolean;
  /** The user id, undefined where the system has none. */
  uid: number | undefined;
  nodeVersion: string;
  /** Runs a program without a shell and without our streams; returns its exit code. Rejects where it cannot start. */
  launch(program: string, args: readonly string[]): Promise<number>;
  /**
   * Runs a program without a terminal and returns what it wrote to stdout. Rejects where it cannot start, takes longer than
   * `timeoutMs`, or the run is interrupted.
   */
  capture(program: string, args: readonly string[], timeoutMs: number): Promise<string>;
  /**
   * Runs a program of ours by its name in a process of its own and returns what it wrote to stdout. Rejects where it cannot start,
   * or `signal`, else the run, is interrupted, which ends that process.
   */
  runOwn(name: 'keyring-process' | 'pages-process', input: string, signal?: AbortSignal): Promise<string>;
  /**
   * Starts a program of ours that is asked on its stdin and answers on its stdout, in a process of its own, which ends with its stdin;
   * undefined where there are none. Throws where it cannot start.
   */
  startOwn: ((name: 'reads-process') => OwnProcess) | undefined;
  /** Starts a pager on the terminal, with these variables where the user has not set them. Rejects where it cannot start. */
  startPager(program: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Pager>;
  /**
   * Takes the terminal of stdin and stdout. `enter` prepares it, `leave` undoes that: it is sent by `close`, before the program
   * is stopped, and at any end of the process.
   */
  openTerminal(sequences: { enter: string; leave: string }): Terminal;
  /** Starts a thread of ours by its name, with data for it; undefined where there are none. */
  thread:
    | ((
        name: 'disk-worker' | 'hash-worker' | 'jq-worker' | 'picture-worker' | 'small-file-worker',
        data?: object,
      ) => Worker)
    | undefined;
};
