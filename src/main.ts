// The real world: the only file that touches process, the clock and the timers.
import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { Worker } from 'node:worker_threads';
import { run } from './arx.ts';
import { untilAborted } from './config/input-file.ts';
import { exitCodeOf } from './exit.ts';
import { Fault } from './faults.ts';
import type { Sink, Source, World } from './world.ts';

const controller = new AbortController();

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    const fault = new Fault('interrupted', 'interrupted', { signal: name });
    // The second signal does not wait for anything.
    if (controller.signal.aborted) process.exit(exitCodeOf(fault));
    controller.abort(fault);
  });
}

// An address with a password is for us alone; this is what ps shows from now on.
if (process.argv.some((word) => /postgres(ql)?:.*(:.*@|password=)/is.test(word))) process.title = 'arx';

// What Node warns of is for those who change this program, not for those who use it.
if (process.env['ARX_DEBUG'] !== '1') process.removeAllListeners('warning');

/** How long a write may take when the run is interrupted, in milliseconds: who reads a pipe may never read on. */
const LAST_WORDS_MS = 200;

function sink(stream: NodeJS.WriteStream & { fd: 1 | 2 }): Sink {
  // Errors reach the writer through its callback; without a listener they would end the process.
  stream.on('error', () => {});
  return {
    isTTY: isatty(stream.fd),
    columns: isatty(stream.fd) ? stream.columns : undefined,
    write: (chunk) =>
      new Promise((resolve, reject) => {
        const { signal } = controller;
        const hurry = () => void sleep(LAST_WORDS_MS).then(() => reject(signal.reason as Fault));
        if (signal.aborted) hurry();
        else signal.addEventListener('abort', hurry, { once: true });
        stream.write(chunk, (error) => {
          signal.removeEventListener('abort', hurry);
          if (!error) resolve();
          else reject(faultOfWrite(error));
        });
      }),
  };
}

function faultOfWrite(error: NodeJS.ErrnoException): Fault {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') {
    return new Fault('interrupted', 'the reader closed the pipe', { signal: 'SIGPIPE' });
  }
  return new Fault('disk', `cannot write the output (${error.code ?? 'unknown error'})`, { cause: error });
}

// process.stdin is opened only by the command that reads it.
const stdin: Source = {
  isTTY: isatty(0),
  bytes: () => untilAborted(process.stdin, controller.signal),
  line: async (prompt, { hidden = false, signal } = {}) => {
    const { createInterface } = await import('node:readline');
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      // readline echoes what it writes to its output; a hidden answer goes nowhere.
      const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
      const reader = createInterface({
        input: process.stdin,
        output: hidden ? silent : process.stderr,
        terminal: isatty(0),
        historySize: 0,
        prompt,
      });
      const stop = () => {
        // Closing it is the end of input too, so this comes first.
        reject(signal?.reason as Error);
        reader.close();
      };
      signal?.addEventListener('abort', stop, { once: true });
      let answer: string | undefined;
      // readline takes Ctrl-C for itself on a terminal; it belongs to the handlers above.
      reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      reader.on('close', () => {
        signal?.removeEventListener('abort', stop);
        if (hidden) process.stderr.write('\n');
        resolve(answer);
      });
      reader.once('line', (line) => {
        answer = line;
        reader.close();
      });
      // By readline where it can be seen: it draws the line again while it is edited.
      if (hidden) process.stderr.write(prompt);
      else reader.prompt();
    });
  },
};

/** The name of a request or a temporary file is as short as this, a secret never. */
const SHORT_BYTES = 16;
let drawn = Buffer.alloc(0);

/** Drawn many at once, each given out once: a draw costs more than answering a request from memory. */
function shortBytes(count: number): Uint8Array {
  if (drawn.length < count) drawn = randomBytes(4096);
  const bytes = drawn.subarray(0, count);
  drawn = drawn.subarray(count);
  return bytes;
}

const world: World = {
  argv: process.argv.slice(2),
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  stdin,
  stdout: sink(process.stdout),
  stderr: sink(process.stderr),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw signal?.aborted === true ? signal.reason : error;
    });
  },
  randomBytes: (count) => (count > SHORT_BYTES ? randomBytes(count) : shortBytes(count)),
  signal: controller.signal,
  pid: process.pid,
  usage: () => {
    const { user, system } = process.cpuUsage();
    return { rss: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 };
  },
  running: (pid) => {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      // Not ours to signal, but there.
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
  uid: process.getuid?.(),
  nodeVersion: process.version,
  launch: async (program, args) => {
    const { spawn } = await import('node:child_process');
    return new Promise((resolve, reject) => {
      // A token is for us alone.
      const { ARX_TOKEN: _, ...env } = process.env;
      const child = spawn(program, args, { env, stdio: 'ignore', shell: false, detached: true });
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 1));
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Fault), {
        once: true,
      });
    });
  },
  thread: (name, data) =>
    new Worker(join(__dirname, `${name}.js`), {
      workerData: data,
      // Nothing of our environment, which may hold a token, is of use to a thread.
      env: {},
      trackUnmanagedFds: false,
      // Hardly anything outlives a message: without this each thread keeps some 20 MB for nothing.
      resourceLimits: { maxYoungGenerationSizeMb: 6 },
    }),
};

// Everything was awaited to the operating system, so leaving now cuts nothing (idle sockets would hold the loop).
void run(world).then((code) => process.exit(code));
