// The options by which `arx serve` lies, fails and is slow: read together, told apart by name where one is wrong, and logged.
import * as z from 'zod';
import type { App } from '../app.ts';
import { Fault } from '../faults.ts';
import type { ServiceOptions } from '../service/index.ts';
import { wholeNumber } from './input.ts';
import { openAppended } from './serve-watch.ts';

/** Milliseconds; a client would take a slower service for one that does not answer. */
const LONGEST_LATENCY = 10_000;

export const DRIFT_INPUT = {
  drift: z.string().optional(),
  driftSeed: wholeNumber(0).optional(),
  driftFaults: z.string().optional(),
  driftMode: z.enum(['each', 'key', 'sticky', 'burst', 'collude']).optional(),
  driftReported: z.string().optional(),
  driftWrites: z.string().optional(),
  driftLatency: wholeNumber(0)
    .refine((ms) => ms <= LONGEST_LATENCY, `must be at most ${LONGEST_LATENCY}`)
    .optional(),
  driftLog: z.string().min(1).optional(),
  transportFaults: z.string().optional(),
  transportKinds: z.string().optional(),
};
const DriftInput = z.object(DRIFT_INPUT);
type DriftInput = z.infer<typeof DriftInput>;

type Adversity = Pick<ServiceOptions, 'drift' | 'line' | 'writes'>;

/** What the options ask of the service; throws `usage` Faults that begin with the option. */
export async function adversityOf(input: DriftInput, app: App): Promise<Adversity> {
  const rules = await import('../service/fault-injection/options.ts');
  const { drift, driftReported, driftWrites, driftLatency, transportFaults, transportKinds } = input;
  if (drift === undefined && (input.driftFaults ?? input.driftMode) !== undefined) {
    throw new Fault('usage', '--drift-faults and --drift-mode go with --drift');
  }
  if (transportFaults === undefined && transportKinds !== undefined) {
    throw new Fault('usage', '--transport-kinds goes with --transport-faults');
  }
  if (input.driftSeed !== undefined && (drift ?? driftWrites ?? transportFaults) === undefined) {
    throw new Fault('usage', '--drift-seed goes with --drift, --drift-writes or --transport-faults');
  }
  const seed = told('--drift-seed', () => rules.parseSeed(input.driftSeed ?? 1));
  const lies = told('--drift', () =>
    rules.parseDrift(drift ?? '0', seed, input.driftFaults, input.driftMode),
  );
  const reported = driftReported && told('--drift-reported', () => rules.parseRatio(driftReported));
  const writes = driftWrites && told('--drift-writes', () => rules.parseWrites(driftWrites));
  const line = told('--transport-faults', () => rules.parseLine(transportFaults ?? '0', transportKinds));
  const { sleep } = app.world;
  return {
    ...(drift === undefined && !reported ? {} : { drift: { ...lies, ...(reported ? { reported } : {}) } }),
    ...(writes ? { writes: { seed, writes } } : {}),
    ...(transportFaults === undefined && driftLatency === undefined
      ? {}
      : { line: { ...line, seed, latency: driftLatency ?? 0, sleep: (ms: number) => sleep(ms) } }),
  };
}

export type OpenDriftLog = { log: NonNullable<ServiceOptions['driftLog']>; close(): Promise<void> };

/** A line of JSON for each entry, in the order in which they came; it is in the file when the promise resolves. */
export async function openDriftLog(path: string, app: App): Promise<OpenDriftLog> {
  const file = await openAppended(path, app);
  let last: Promise<unknown> = Promise.resolve();
  return {
    log(entry) {
      const written = last.then(() => file.appendFile(`${JSON.stringify(entry)}\n`));
      last = written.catch(() => {});
      return written;
    },
    close: () => last.then(() => file.close()),
  };
}

function told<T>(option: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Fault('usage', `${option}: ${(error as Error).message}`, { cause: error });
  }
}
