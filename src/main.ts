// Starts the program: the only file that uses process, the clock and timers.
import { randomBytes } from 'node:crypto';
import { existsSync, fstatSync, writeSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { run } from './arx.ts';
import { untilAborted } from './config/input-file.ts';
import { diskFault } from './disk/disk-fault.ts';
import { processOf } from './disk/process-state.ts';
import { exitCodeOf } from './exit.ts';
import { Fault } from './faults.ts';
import { lazy } from './lazy.ts';
import { StandardTextDecoder } from './windows-1252.ts';
import type { Sink, Source, Terminal, World } from './world.ts';

globalThis.TextDecoder = StandardTextDecoder;

const controller = new AbortController();
let isPaging = false;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
for (const name of SIGNALS) {
  process.on(name, () => {
    // Ctrl-C in a pager is for the pager.
    if (isPaging && name === 'SIGINT') return;
    const fault = new Fault('interrupted', 'interrupted', { signal: name });
    // The second signal ends the process at once.
    if (controller.signal.aborted) exit(exitCodeOf(fault));
    controller.abort(fault);
  });
}

/** Ends the process. Node waits for a thread that reads a file, which may be for ever (a network disk): then the next signal kills it. */
function exit(code: number): void {
  process.on('exit', () => {
    for (const name of SIGNALS) process.removeAllListeners(name);
  });
  process.exit(code);
}

// An address may contain a password. From now on ps shows only this title.
if (process.argv.some((word) => /postgres(ql)?:/i.test(word) && /@|password=/i.test(word)))
  process.title = 'arx';

// Warnings of Node are for developers of this program, not for its users.
if (process.env['ARX_DEBUG'] !== '1') process.removeAllListeners('warning');

/** The environment of this process for another program, which must not get the token. */
function withoutToken(): NodeJS.ProcessEnv {
  const { ARX_TOKEN: _, ...others } = process.env;
  return others;
}

/** Time for a write after the run was interrupted: the reader of a pipe may never read on. */
const FINAL_WRITE_TIMEOUT_MS = 200;

/** Returns a standard stream. It is opened when it is first used: the modules of a pipe or a terminal take a start 4 ms to load. */
function sink(name: 'stdout' | 'stderr'): Sink {
  const opened = lazy(() => {
    const stream: Omit<NodeJS.WriteStream, 'isTTY'> & { isTTY?: boolean } = process[name];
    // The callback of a write gets its error. Without this listener the error would end the process.
    stream.on('error', () => {});
    return stream;
  });
  // isatty() is in a module that a run without a terminal does not load.
  const fd = name === 'stdout' ? 1 : 2;
  const kind = fstatSync(fd);
  const isTTY = kind.isCharacterDevice() && opened().isTTY === true;
  return {
    isTTY,
    get columns() {
      // A terminal that does not know its size says 0.
      return (isTTY && opened().columns) || undefined;
    },
    get rows() {
      return (isTTY && opened().rows) || undefined;
    },
    write: (chunk) =>
      new Promise((resolve, reject) => {
        const { signal } = controller;
        const rejectSoon = () =>
          void sleep(FINAL_WRITE_TIMEOUT_MS).then(() => reject(signal.reason as Fault));
        if (signal.aborted) rejectSoon();
        else signal.addEventListener('abort', rejectSoon, { once: true });
        const ended = (error?: Error | null) => {
          signal.removeEventListener('abort', rejectSoon);
          if (!error) resolve();
          else reject(faultOfWrite(error));
        };
        if (kind.isFile()) writeToFile(fd, chunk, ended);
        else opened().write(chunk, ended);
      }),
  };
}

/** Writes all of a chunk. A stream of Node takes a write of which a full disk took only a part for a whole one. */
function writeToFile(fd: number, chunk: string | Uint8Array, ended: (error?: Error) => void): void {
  try {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
  } catch (error) {
    return ended(error as Error);
  }
  ended();
}

function faultOfWrite(error: NodeJS.ErrnoException): Fault {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') {
    return new Fault('interrupted', 'the reader closed the pipe', { signal: 'SIGPIPE' });
  }
  const found = diskFault(error, 'cannot write the output');
  const message = found instanceof Fault ? found.message : 'cannot write the output';
  return new Fault('disk', message, {
    hint: 'what was written is incomplete: make room, and run the same command again',
    cause: error,
  });
}

/** What was typed after the line of a prompt: whole lines, and the beginning of one. The next prompts take it. */
const typedAhead = { lines: [] as string[], begun: '' };

// process.stdin is opened by the first read, since an open one keeps the process running.
const stdin: Source = {
  get isTTY() {
    return isatty(0);
  },
  bytes: () => untilAborted(process.stdin, controller.signal),
  line: async (prompt, { hidden = false, signal } = {}) => {
    const { createInterface } = await import('node:readline');
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const early = typedAhead.lines.shift();
      if (early !== undefined) {
        process.stderr.write(hidden ? `${prompt}\n` : `${prompt}${early}\n`);
        resolve(early);
        return;
      }
      // readline echoes the answer to its output; a hidden answer goes to a stream that drops it.
      const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
      const reader = createInterface({
        input: process.stdin,
        output: hidden ? silent : process.stderr,
        terminal: isatty(0),
        historySize: 0,
        prompt,
      });
      const stop = () => {
        // close() also ends the input and resolves the promise, so reject first.
        reject(signal?.reason as Error);
        reader.close();
      };
      signal?.addEventListener('abort', stop, { once: true });
      let answer: string | undefined;
      // On a terminal readline catches Ctrl-C; pass it to the handlers above.
      reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      reader.on('close', () => {
        signal?.removeEventListener('abort', stop);
        // What is written next must not stand behind the prompt.
        if (hidden || answer === undefined) process.stderr.write('\n');
        resolve(answer);
      });
      reader.on('line', (line) => {
        if (answer !== undefined) {
          typedAhead.lines.push(line);
          return;
        }
        answer = line;
        // Keys that came with this line are read first: closing drops them.
        queueMicrotask(() => {
          typedAhead.begun = reader.line;
          reader.close();
        });
      });
      // A visible prompt is readline's, which draws it again while the line is edited.
      if (hidden) process.stderr.write(prompt);
      else reader.prompt();
      if (typedAhead.begun !== '') reader.write(typedAhead.begun);
      typedAhead.begun = '';
    });
  },
};

/** Signals that end a process by default and ask for no orderly end, other than faults of the program and SIGKILL. */
const ENDING_SIGNALS = ['SIGQUIT', 'SIGABRT', 'SIGALRM', 'SIGXCPU'] as const;

/** Takes the terminal in raw mode. It is given back when the process ends in any way that a process can notice. */
function openTerminal({ enter, leave }: { enter: string; leave: string }): Terminal {
  const { stdin: keys, stdout: screen } = process;
  let resized = (): void => {};
  let isTaken = false;
  const take = (): void => {
    keys.setRawMode(true);
    writeSync(screen.fd, enter);
    isTaken = true;
  };
  const giveBack = (): void => {
    if (!isTaken) return;
    isTaken = false;
    try {
      writeSync(screen.fd, leave);
      keys.setRawMode(false);
    } catch {
      // The terminal is gone.
    }
  };
  const stop = (): void => {
    giveBack();
    // Without a listener the signal stops the process, and the others of its job.
    process.removeListener('SIGTSTP', stop);
    process.kill(0, 'SIGTSTP');
    // This runs when the process goes on, or at once where nothing can stop it.
    setImmediate(() => {
      if (!isTaken) goOn();
    });
  };
  const goOn = (): void => {
    process.removeListener('SIGTSTP', stop);
    process.on('SIGTSTP', stop);
    // The shell may have changed the mode, which Node does not know: without this it would leave it so.
    keys.setRawMode(false);
    take();
    resized();
  };
  const onResize = (): void => resized();
  const onEnding = (name: NodeJS.Signals): void => {
    giveBack();
    for (const each of ENDING_SIGNALS) process.removeListener(each, onEnding);
    // Without a listener the signal ends the process.
    process.kill(process.pid, name);
  };
  for (const name of ENDING_SIGNALS) process.on(name, onEnding);
  process.on('exit', giveBack);
  // Before Node prints the error.
  process.on('uncaughtExceptionMonitor', giveBack);
  process.on('SIGTSTP', stop);
  process.on('SIGCONT', goOn);
  screen.on('resize', onResize);
  take();
  return {
    size: () => ({ columns: screen.columns || 80, rows: screen.rows || 24 }),
    listen(listeners) {
      resized = listeners.resize;
      keys.on('data', listeners.input);
      keys.once('end', listeners.end);
      keys.resume();
    },
    write: world.stdout.write,
    suspend: stop,
    close() {
      for (const [name, listener] of [
        ['exit', giveBack],
        ['uncaughtExceptionMonitor', giveBack],
        ['SIGTSTP', stop],
        ['SIGCONT', goOn],
      ] as const)
        process.removeListener(name, listener);
      for (const name of ENDING_SIGNALS) process.removeListener(name, onEnding);
      screen.removeListener('resize', onResize);
      keys.removeAllListeners('data');
      keys.pause();
      giveBack();
    },
  };
}

/** Names of requests and temporary files are at most this long; secrets are longer. */
const MAX_POOLED_BYTES = 16;
let randomPool = Buffer.alloc(0);

/** Returns bytes of a pool, each used once: a system call costs more than answering a request from memory. */
function pooledRandomBytes(count: number): Uint8Array {
  if (randomPool.length < count) randomPool = randomBytes(4096);
  const bytes = randomPool.subarray(0, count);
  randomPool = randomPool.subarray(count);
  return bytes;
}

/** Returns the home folder of the user database where HOME is empty or relative: the current folder may be a stranger's. */
function homeFolder(): string {
  const home = homedir();
  if (isAbsolute(home)) return home;
  try {
    return userInfo().homedir;
  } catch {
    return '';
  }
}

/** Returns '' where the current folder was deleted. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '';
  }
}

const world: World = {
  argv: process.argv.slice(2),
  env: process.env,
  cwd: currentFolder(),
  home: homeFolder(),
  platform: process.platform,
  stdin,
  stdout: sink('stdout'),
  stderr: sink('stderr'),
  now: () => Date.now(),
  // performance.now() would load node:perf_hooks.
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throw signal?.aborted === true ? signal.reason : error;
    });
  },
  every: (ms, call) => {
    const timer = setInterval(call, ms).unref();
    return () => clearInterval(timer);
  },
  randomBytes: (count) => (count > MAX_POOLED_BYTES ? randomBytes(count) : pooledRandomBytes(count)),
  signal: controller.signal,
  pid: process.pid,
  usage: () => {
    const { user, system } = process.cpuUsage();
    return { rss: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 };
  },
  running: (pid) => {
    try {
      process.kill(pid, 0);
    } catch (error) {
      // The process exists and belongs to another user.
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
    }
    // A zombie has ended, even where its parent has not collected it.
    return processOf(pid).state !== 'Z';
  },
  uid: process.getuid?.(),
  nodeVersion: process.version,
  launch: async (program, args) => {
    const { spawn } = await import('node:child_process');
    return new Promise((resolve, reject) => {
      const child = spawn(program, args, {
        env: withoutToken(),
        stdio: 'ignore',
        shell: false,
        detached: true,
      });
      child.once('error', reject);
      child.once('exit', (code) => resolve(code ?? 1));
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Fault), {
        once: true,
      });
    });
  },
  capture: async (program, args, timeoutMs) => {
    const { spawn } = await import('node:child_process');
    return new Promise((resolve, reject) => {
      // In a session of its own: an interactive shell takes the terminal otherwise.
      const child = spawn(program, args, {
        env: withoutToken(),
        stdio: ['ignore', 'pipe', 'ignore'],
        detached: true,
      });
      const text: Buffer[] = [];
      const end = (why: unknown) => {
        reject(why);
        child.stdout.destroy();
        try {
          // With what it has started.
          process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
        } catch {
          child.kill('SIGKILL');
        }
      };
      const interrupt = () => end(controller.signal.reason);
      const timer = setTimeout(() => end(new Error(`no end after ${timeoutMs} ms`)), timeoutMs);
      controller.signal.addEventListener('abort', interrupt, { once: true });
      child.stdout.on('data', (chunk: Buffer) => text.push(chunk));
      child.once('error', reject);
      // What it leaves running may hold the pipe open.
      child.once('exit', () => setTimeout(() => child.stdout.destroy(), FINAL_WRITE_TIMEOUT_MS));
      child.once('close', () => {
        clearTimeout(timer);
        controller.signal.removeEventListener('abort', interrupt);
        resolve(Buffer.concat(text).toString());
      });
    });
  },
  runOwn: async (name, input, signal = controller.signal) => {
    const { spawn } = await import('node:child_process');
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const child = spawn(process.execPath, [ownScript(name)], {
        env: withoutToken(),
        stdio: ['pipe', 'pipe', 'ignore'],
        // Ctrl-C reaches the keyring, which may ask the user. What is ended by a signal of its own must not end before that.
        detached: signal !== controller.signal,
      });
      const text: Buffer[] = [];
      const interrupt = () => {
        reject(signal.reason as Error);
        child.kill('SIGKILL');
      };
      signal.addEventListener('abort', interrupt, { once: true });
      child.stdin.on('error', () => {});
      child.stdin.end(input);
      child.stdout.on('data', (chunk: Buffer) => text.push(chunk));
      child.once('error', reject);
      child.once('close', () => {
        signal.removeEventListener('abort', interrupt);
        resolve(Buffer.concat(text).toString());
      });
    });
  },
  startOwn: (name) => {
    const { spawn } = process.getBuiltinModule('node:child_process');
    // Ctrl-C reaches this process alone, which answers what it has begun.
    const stdio: ['pipe', 'pipe', 'ignore'] = ['pipe', 'pipe', 'ignore'];
    const child = spawn(process.execPath, [ownScript(name)], { env: withoutToken(), stdio, detached: true });
    child.on('error', () => {});
    const { stdin, stdout } = child as Partial<typeof child>;
    if (stdin == null || stdout == null) throw new Error('no process can be started');
    return { stdin, stdout, kill: () => void child.kill('SIGKILL') };
  },
  startPager: async (program, args, env) => {
    const { spawn } = await import('node:child_process');
    const stdio: ['pipe', 'inherit', 'inherit'] = ['pipe', 'inherit', 'inherit'];
    const child = spawn(program, args, { env: { ...env, ...withoutToken() }, stdio });
    child.stdin.on('error', () => {});
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    isPaging = true;
    let isClosed = false;
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => {
        isClosed = true;
        isPaging = false;
        resolve();
      });
    });
    return {
      isTTY: true,
      columns: process.stdout.columns,
      isClosed: () => isClosed,
      write: (chunk) =>
        new Promise((resolve, reject) => {
          child.stdin.write(chunk, (error) => {
            if (error) isClosed = true;
            if (error) reject(faultOfWrite(error));
            else resolve();
          });
        }),
      end: async () => {
        child.stdin.end();
        await ended;
      },
    };
  },
  openTerminal,
  thread: (name, data) => {
    // Few commands need it, and it takes 2 ms to load.
    const { Worker } = process.getBuiltinModule('node:worker_threads');
    return new Worker(ownScript(name), {
      workerData: data,
      // A worker needs no environment, which may contain a token.
      env: {},
      trackUnmanagedFds: false,
      // A library that fails writes of itself there; its error comes as an event.
      stderr: true,
      // Few objects outlive a message. Without this limit each worker would keep some 20 MB.
      // A picture is decoded outside of this memory, so little of it is needed for any.
      resourceLimits: {
        maxYoungGenerationSizeMb: 6,
        ...(name === 'picture-worker' ? { maxOldGenerationSizeMb: 256 } : {}),
      },
    });
  },
};

/** Returns the path of a script of this program. Throws as bin/start.js does for a part that is missing. */
function ownScript(name: string): string {
  const path = join(__dirname, `${name}.js`);
  if (existsSync(path)) return path;
  throw Object.assign(new Error(`${path} is missing: this installation is incomplete; install it again`), {
    code: 'ARX_INCOMPLETE',
  });
}

// The event loop has nothing left to do, but the run has not ended: without this the process would end with 0.
process.once('beforeExit', () => {
  const fault = new Fault('internal', 'the run stopped before its end');
  writeSync(2, `arx: ${fault.message} [internal, exit ${exitCodeOf(fault)}]\n`);
  exit(exitCodeOf(fault));
});

// All output has been written, so nothing is lost; idle sockets would keep the process running.
void run(world).then(exit);
