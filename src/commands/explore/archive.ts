// The archive as the explorer needs it: requests that can be cancelled, and commands that run in the background.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import type { ExplorerArchive } from '../../explore/archive.ts';
import { shellLine } from '../../format/shell-words.ts';
import type { Progress } from '../../format/terminal/progress.ts';
import type { Sink, World } from '../../world.ts';
import { noMemory, readPlace } from './read-place.ts';

/** Of what a command prints on standard error, this much is kept. */
const MAX_STDERR_LENGTH = 2000;

/** Returns the archive of a run. `globalWords`: the global options of its command line. */
export function explorerArchive(app: App, globalWords: readonly string[]): ExplorerArchive {
  return {
    name: app.settings.base_url.value ?? app.directories.data,
    openReader(place) {
      const memory = noMemory();
      return {
        async read(from, signal) {
          const doubts: string[] = [];
          const chunk = await readPlace(place, from, memory, quietApp(app, signal, doubts));
          return { ...chunk, doubts: [...(chunk.doubts ?? []), ...doubts] };
        },
      };
    },
    async run(words, signal) {
      const chunks: string[] = [];
      const silent: Sink = { isTTY: false, columns: undefined, write: async () => {} };
      const stderr: Sink = {
        ...silent,
        write: async (chunk) => void chunks.push(Buffer.from(chunk).toString()),
      };
      const exit = await app.runLine({
        ...app.world,
        argv: [...globalWords, ...words],
        stdin: NO_INPUT,
        stdout: silent,
        stderr,
        signal: anyOf(app.world.signal, signal),
      });
      const lines = chunks.join('').slice(0, MAX_STDERR_LENGTH).trim().split('\n');
      return {
        exit,
        stderr: lines
          .map((line) => line.trim())
          .join('; ')
          .replace(/^arx: /, ''),
      };
    },
    commandLine: (words) => shellLine(['arx', ...globalWords, ...words]),
  };
}

const NO_INPUT: World['stdin'] = {
  isTTY: false,
  async *bytes() {},
  line: () => Promise.resolve(undefined),
};

const NO_PROGRESS: Progress = { update() {}, end: () => Promise.resolve() };

/** Returns the App for one read: its requests end with the signal, and what it says is a doubt instead of a line on stderr. */
function quietApp(app: App, signal: AbortSignal, doubts: string[]): App {
  const either = anyOf(app.world.signal, signal);
  return {
    ...app,
    world: { ...app.world, signal: either },
    client: () => app.clientUntil(either),
    notice: (text) => void doubts.push(text),
    addFault: (fault) => void doubts.push(fault.message),
    progress: () => NO_PROGRESS,
  };
}

/** Aborted as soon as one of the two is. A request that nobody waits for any more ends as an interrupted one. */
function anyOf(run: AbortSignal, request: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const stop = (): void =>
    controller.abort(run.aborted ? run.reason : new Fault('interrupted', 'no longer wanted'));
  for (const signal of [run, request]) {
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }
  return controller.signal;
}
