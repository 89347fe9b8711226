// The options of `arx serve` that inject faults: drift, simulated writes, transport faults, variants of lists, latency.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { DRIFT_MODES } from '../../contract/injected-faults.ts';
import { Fault } from '../../faults.ts';
import type { FaultLogEntry, FaultOptions } from '../../service/fault-injection/index.ts';
import type { Archive, ServiceOptions } from '../../service/index.ts';
import { wholeNumber } from '../shared/input.ts';
import { openForAppending } from './observability.ts';

/** A client would take a slower service for one that does not answer. */
const MAX_LATENCY_MS = 10_000;

/** The input of the options that inject faults. */
export const DRIFT_INPUT = {
  drift: z.string().optional(),
  driftSeed: wholeNumber(0).optional(),
  driftFaults: z.string().optional(),
  driftMode: z.enum(DRIFT_MODES).optional(),
  driftReported: z.string().optional(),
  driftWrites: z.string().optional(),
  driftLatency: wholeNumber(0)
    .refine((ms) => ms <= MAX_LATENCY_MS, `must be at most ${MAX_LATENCY_MS}`)
    .optional(),
  driftLog: z.string().min(1).optional(),
  transportFaults: z.string().optional(),
  transportKinds: z.string().optional(),
  listVariants: z.string().optional(),
  faultLists: z.string().optional(),
};
const DriftInput = z.object(DRIFT_INPUT);
type DriftInput = z.infer<typeof DriftInput>;

/**
 * Returns the faults that the options ask for, undefined where they ask for none: then the code that injects them is not
 * loaded. Throws Fault 'usage' with a message that begins with the option.
 */
export async function faultOptionsOf(input: DriftInput, app: App): Promise<FaultOptions | undefined> {
  if (Object.keys(DRIFT_INPUT).every((name) => input[name as keyof DriftInput] === undefined))
    return undefined;
  const parsers = await import('../../service/fault-injection/index.ts');
  const { drift, driftReported, driftWrites, driftLatency, transportFaults, transportKinds } = input;
  const { listVariants, faultLists } = input;
  if (drift === undefined && (input.driftFaults ?? input.driftMode) !== undefined) {
    throw new Fault('usage', '--drift-faults and --drift-mode go with --drift');
  }
  if (transportFaults === undefined && transportKinds !== undefined) {
    throw new Fault('usage', '--transport-kinds goes with --transport-faults');
  }
  if (input.driftSeed !== undefined && (drift ?? driftWrites ?? transportFaults) === undefined) {
    throw new Fault('usage', '--drift-seed goes with --drift, --drift-writes or --transport-faults');
  }
  const seed = parseOption('--drift-seed', () => parsers.parseSeed(input.driftSeed ?? 1));
  const options = parseOption('--drift', () =>
    parsers.parseDrift(drift ?? '0', seed, input.driftFaults, input.driftMode),
  );
  const reported = driftReported && parseOption('--drift-reported', () => parsers.parseRatio(driftReported));
  const writes = driftWrites && parseOption('--drift-writes', () => parsers.parseWrites(driftWrites));
  const transport = parseOption('--transport-faults', () =>
    parsers.parseTransportFaults(transportFaults ?? '0', transportKinds),
  );
  if (faultLists !== undefined && (drift ?? transportFaults ?? listVariants) === undefined) {
    throw new Fault('usage', '--fault-lists goes with --drift, --transport-faults or --list-variants');
  }
  const variants =
    listVariants === undefined
      ? undefined
      : parseOption('--list-variants', () => parsers.parseVariants(listVariants));
  const lists =
    faultLists === undefined ? undefined : parseOption('--fault-lists', () => parsers.parseLists(faultLists));
  const { sleep } = app.world;
  return {
    ...(drift === undefined && !reported ? {} : { drift: { ...options, ...(reported ? { reported } : {}) } }),
    ...(writes ? { writes: { seed, writes } } : {}),
    ...(variants === undefined ? {} : { variants }),
    ...(lists === undefined ? {} : { lists }),
    ...(transportFaults === undefined && driftLatency === undefined
      ? {}
      : { transport: { ...transport, seed, latency: driftLatency ?? 0, sleep: (ms: number) => sleep(ms) } }),
  };
}

/** Returns the fault plan of these options over an archive, undefined for none. */
export async function faultPlanOf(
  archive: Archive,
  options: FaultOptions | undefined,
  driftLog: OpenDriftLog | undefined,
): Promise<ServiceOptions['faults']> {
  if (options === undefined) return undefined;
  const { createFaultPlan } = await import('../../service/fault-injection/index.ts');
  return createFaultPlan(archive, driftLog === undefined ? options : { ...options, log: driftLog.log });
}

/** A drift log that is open. */
export type OpenDriftLog = { log(entry: FaultLogEntry): Promise<void>; close(): Promise<void> };

/** Opens the drift log; `-` is standard error. Each entry is a line of JSON in the order of the reads; it is written when the promise resolves. */
export async function openDriftLog(path: string, app: App): Promise<OpenDriftLog> {
  const file = path === '-' ? undefined : await openForAppending(path, app);
  const append = async (line: string): Promise<void> =>
    file?.appendFile(line) ?? app.world.stderr.write(line);
  let last: Promise<unknown> = Promise.resolve();
  return {
    log(entry) {
      const written = last.then(() => append(`${JSON.stringify(entry)}\n`));
      last = written.catch(() => {});
      return written;
    },
    close: () => last.then(() => file?.close()),
  };
}

function parseOption<T>(option: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new Fault('usage', `${option}: ${(error as Error).message}`, { cause: error });
  }
}
