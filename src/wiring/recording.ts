// `--record`: the recorder of HTTP exchanges, opened before the command runs and closed after it.
import { resolve } from 'node:path';
import type { Transport } from '../client/transport.ts';
import type { Session } from '../config/session.ts';
import { exitCodeOf, worstOf } from '../exit.ts';
import type { Fault } from '../faults.ts';
import { plural, formatBytes } from '../format/numbers.ts';
import type { Recorder, TrafficKind } from '../warc/index.ts';
import type { World } from '../world.ts';

/** The recording of a run; without `--record` it does nothing. */
export type Recording = {
  /** Returns a transport whose exchanges are recorded, or `transport` itself without `--record`. */
  wrap(transport: Transport, traffic: TrafficKind): Transport;
  /** Opens the file. Throws Fault 'unsafe' or 'disk'. */
  start(): Promise<void>;
  /** Writes the outcome of the run into the file and closes it. */
  end(faults: readonly Fault[]): Promise<void>;
};

/** What a recording is made from. */
export type RecordingOptions = {
  /** The file as typed; undefined without `--record`. */
  file: string | undefined;
  force: boolean;
  version: string;
  /** The archive as the file names it. */
  archive: string;
  session(): Promise<Session>;
  notice(text: string): void;
  world: World;
};

/** Returns the recording, not yet started. */
export function createRecording(options: RecordingOptions): Recording {
  const { file, world } = options;
  let recorder: Recorder | undefined;
  return {
    wrap: (transport, traffic) => recorder?.wrap(transport, traffic) ?? transport,
    start: async () => {
      if (file === undefined) return;
      const { openRecorder } = await import('../warc/index.ts');
      recorder = await openRecorder({
        path: resolve(world.cwd, file),
        force: options.force,
        version: options.version,
        words: world.argv,
        archive: options.archive,
        secrets: await (await options.session()).secrets(),
        world,
      });
    },
    end: async (faults) => {
      const worst = worstOf(faults);
      const outcome: [string, string][] = [
        ['exit', String(worst === undefined ? 0 : exitCodeOf(worst))],
        ...faults.map((fault): [string, string] => ['fault', `${fault.kind}, ${fault.message}`]),
      ];
      const kept = await recorder?.close(outcome, worst?.kind === 'usage');
      if (kept === undefined) return;
      const { bytes, exchanges } = kept;
      options.notice(`${plural(exchanges, 'HTTP exchange')} recorded in ${file}, ${formatBytes(bytes)}`);
    },
  };
}
