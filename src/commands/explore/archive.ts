// The archive as the explorer needs it: requests that can be cancelled, and commands that run in the background.
import type { App } from '../../app.ts';
import type { ProgressRecord } from '../../contract/reports/command.ts';
import { PullReport } from '../../contract/reports/files.ts';
import { Fault, hintText } from '../../faults.ts';
import type { ExplorerArchive, OnProgress } from '../../explore/archive.ts';
import { shellLine } from '../../shell-words.ts';
import { amountText } from '../../format/terminal/progress-text.ts';
import type { Sink, World } from '../../world.ts';
import { noMemory, readPlace } from './read-place.ts';

/** Of what a command prints, this many characters of the beginning are kept, and of the end, where an error stands. */
const MAX_KEPT_LENGTH = 10_000;

/** Returns the archive of a run. `globalWords`: the global options of its command line. */
export function explorerArchive(app: App, globalWords: readonly string[]): ExplorerArchive {
  return {
    name: app.settings.base_url.value ?? app.directories.data,
    openReader(place) {
      const memory = noMemory();
      return {
        async read(from, signal, onProgress) {
          const doubts: string[] = [];
          const chunk = await untilEither(app.world.signal, signal, (either) =>
            asNewRun(app, either, () =>
              readPlace(place, from, memory, quietApp(app, either, doubts, onProgress), onProgress),
            ),
          );
          return { ...chunk, doubts: [...(chunk.doubts ?? []), ...doubts] };
        },
      };
    },
    folder: app.world.cwd,
    home: app.world.home,
    async run(words, hasReport, signal, onProgress) {
      let beginning = '';
      let end = '';
      let length = 0;
      const silent: Sink = { isTTY: false, columns: undefined, write: async () => {} };
      let kept: readonly string[] = [];
      const output: Sink = {
        ...silent,
        async write(chunk) {
          const text = Buffer.from(chunk).toString();
          const room = MAX_KEPT_LENGTH - beginning.length;
          beginning += text.slice(0, room);
          end = (end + text.slice(room)).slice(-MAX_KEPT_LENGTH);
          length += text.length;
        },
      };
      const stderr: Sink = {
        ...output,
        async write(chunk) {
          const progress = progressIn(chunk);
          if (progress === undefined) await output.write(chunk);
          else onProgress(progress);
        },
      };
      // Without an output form it would print what programs read.
      const form = hasReport ? ['--output', 'table', '--color', 'never'] : [];
      const exit = await untilEither(app.world.signal, signal, (either) =>
        app.runLine(
          {
            ...app.world,
            // A form of progress that the user chose comes later, so it holds.
            argv: ['--progress', 'json', ...globalWords, ...form, ...words],
            stdin: NO_INPUT,
            stdout: hasReport ? output : silent,
            stderr,
            signal: either,
          },
          (wire) => void (kept = keptIn(wire)),
        ),
      );
      const isWhole = length === beginning.length + end.length;
      return {
        exit,
        kept,
        output: isWhole ? beginning + end : `${beginning}\n… the command itself prints all\n${end}`,
      };
    },
    commandLine: (words) => shellLine(['arx', ...globalWords, ...words]),
  };
}

/** Returns the progress that a command writes, each as a write of its own; undefined where it writes something else. */
function progressIn(chunk: string | Uint8Array): ProgressRecord | undefined {
  if (typeof chunk !== 'string' || !chunk.startsWith('{"type":"progress"')) return undefined;
  return JSON.parse(chunk) as ProgressRecord;
}

/** Returns the ids of the files that a download kept. */
function keptIn(wire: object): string[] {
  const { success, data } = PullReport.safeParse(wire);
  if (!success) return [];
  return data.files.flatMap(({ id, verdict }) => (id !== null && verdict === 'match' ? [id] : []));
}

const NO_INPUT: World['stdin'] = {
  isTTY: false,
  async *bytes() {},
  line: () => Promise.resolve(undefined),
};

/**
 * Reads with the token of this run. The explorer lasts longer than a token: where the read fails, the next one chooses a token as a
 * new run does, and a refused one is sent again with it.
 */
async function asNewRun<T>(app: App, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isOver = signal.aborted || !(await (await app.session()).chooseAgain());
    if (isOver || !(error instanceof Fault) || error.kind !== 'auth') throw error;
    return read();
  }
}

/** Returns the App for one read: its requests end with the signal, and what it says is a doubt instead of a line on stderr. */
function quietApp(app: App, signal: AbortSignal, doubts: string[], onProgress: OnProgress): App {
  return {
    ...app,
    world: { ...app.world, signal },
    client: () => app.clientUntil(signal),
    notice: (text) => void doubts.push(hintText(text)),
    addFault: (fault) => void doubts.push(fault.message),
    progress: () => ({
      update: (count) => onProgress(amountText(count)),
      end: () => Promise.resolve(),
    }),
  };
}

/**
 * Does work with a signal that is aborted as soon as one of the two is. A request that nobody waits for any more ends as an
 * interrupted one. The signal of the run outlives the work, so nothing may stay on it.
 */
async function untilEither<T>(
  run: AbortSignal,
  request: AbortSignal,
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (): void =>
    controller.abort(run.aborted ? run.reason : new Fault('interrupted', 'no longer wanted'));
  for (const signal of [run, request]) {
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  }
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of [run, request]) signal.removeEventListener('abort', stop);
  }
}
