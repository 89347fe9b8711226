// Lines for people on stderr: notices, diagnostics of `-v`, and the progress that they must not tear.
import { cutText } from '../contract/search/cut-text.ts';
import type { Transport } from '../client/transport.ts';
import { createProgressLine, type OpenRequest, type ProgressLine } from '../format/terminal/progress.ts';
import { terminalCapabilities } from '../format/terminal/capabilities.ts';
import { escapeText } from '../format/terminal/escape.ts';
import { wrapMessage } from '../format/terminal/wrap.ts';
import type { Sink, World } from '../world.ts';
import type { GlobalFlags } from './global-flags.ts';

/** Writes to stderr. */
export type Diagnostics = {
  /** Writes one line for people, unless `--quiet`. */
  notice(text: string): void;
  /** Writes one diagnostic line with `-v`. */
  log(text: string): void;
  /** The progress of the run. */
  progress: ProgressLine;
  /** stdout; where it is a terminal, the progress line makes room for text. */
  stdout: Sink;
  /** stderr for whole lines, for which the progress line makes room. */
  stderr: Sink;
  /** Returns the transport, with progress while an answer is waited for. */
  watch(transport: Transport): Transport;
  /** A connection to this host stands. */
  connected(host: string): void;
  /** Clears the screen of progress; until the promise resolves nothing is drawn or written. */
  pause(until: Promise<void>): Promise<void>;
  /** Resolves when all lines are written. */
  drained(): Promise<unknown>;
};

/** A notice may quote what a service sent, of any length. */
const MAX_NOTICE_CHARACTERS = 2_000;

/** Returns the writer of notices, diagnostics and progress. */
export function createDiagnostics(world: World, flags: GlobalFlags): Diagnostics {
  const { animation, unicode } = terminalCapabilities(world.stderr, world.env);
  const asLine = flags.progress === 'auto' && animation && !flags.quiet;
  const form = flags.progress === 'json' ? 'json' : asLine ? 'line' : 'none';
  const progress = createProgressLine(world, { form, unicode });
  // Lines are written in order; the end of the run waits for the last one.
  let written: Promise<unknown> = Promise.resolve();
  let pause: Promise<unknown> = Promise.resolve();
  const say = (text: string): void => {
    const lines = wrapMessage(`arx: ${escapeText(text)}`, world.stderr.columns).join('\n');
    written = written
      .then(() => pause)
      .then(() => world.stderr.write(`${progress.wiped()}${lines}\n`))
      .catch(() => {});
  };
  const { stdout, stderr } = world;
  /** Requests that wait for a connection. */
  const connecting = new Map<string, Set<OpenRequest>>();
  const reached = new Set<string>();
  return {
    notice: (text) => {
      if (!flags.quiet) say(cutText(text, MAX_NOTICE_CHARACTERS));
    },
    log: (text) => {
      if (flags.verbose > 0) say(text);
    },
    progress,
    stdout: {
      isTTY: stdout.isTTY,
      get columns() {
        return stdout.columns;
      },
      get rows() {
        return stdout.rows;
      },
      async write(chunk) {
        const wipe = stdout.isTTY ? progress.wiped() : '';
        if (wipe !== '') await world.stderr.write(wipe).catch(() => {});
        await stdout.write(chunk);
        // Bytes may end in the middle of a line, which a progress line would overwrite.
        if (stdout.isTTY && typeof chunk !== 'string') progress.hide(true);
      },
    },
    stderr: {
      isTTY: stderr.isTTY,
      get columns() {
        return stderr.columns;
      },
      write: (chunk) => stderr.write(typeof chunk === 'string' ? `${progress.wiped()}${chunk}` : chunk),
    },
    watch: (transport) =>
      form === 'none'
        ? transport
        : async (request) => {
            const { host } = request.url;
            const open = progress.request(host);
            const waiting = connecting.get(host) ?? new Set();
            connecting.set(host, waiting.add(open));
            if (reached.has(host)) open.connected();
            try {
              return await transport(request);
            } finally {
              waiting.delete(open);
              open.answered();
              reached.add(host);
            }
          },
    connected(host) {
      reached.add(host);
      for (const request of connecting.get(host) ?? []) request.connected();
    },
    async pause(until) {
      const wipe = progress.wiped();
      if (wipe !== '') await world.stderr.write(wipe).catch(() => {});
      progress.hide(true);
      pause = until.then(() => progress.hide(false));
    },
    drained: async () => {
      await progress.close();
      await written;
    },
  };
}
