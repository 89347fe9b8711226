// Calls a fuzz target with many small inputs in this process, each made from a seed and its number.
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDraw, type Draw } from './fuzz-inputs.ts';

/** Code that reads what strangers send: how an input is made, and what must hold for each. */
export type FuzzTarget<Input> = {
  /** Makes the input that follows from the draws. */
  make(draw: Draw): Input;
  /** Throws where the target fails. Waits for nothing but promises. */
  check(input: Input): void | Promise<void>;
  /** The input in a message [JSON of its Latin-1 text]. */
  show?(input: Input): string;
  /**
   * Inputs of a whole run [a million]; the long tests make a twentieth of them: the same ones each time, unless a seed is given. Targets that
   * are slower than 20,000 inputs a second have fewer.
   */
  inputs?: number;
};

/** `ARX_TEST_FUZZ` sets how many inputs each target gets, `ARX_TEST_FUZZ_SEED` which, `ARX_TEST_FUZZ_AT` the number of a single one. */
const { ARX_TEST_FUZZ: INPUTS, ARX_TEST_FUZZ_SEED: SEED = '1', ARX_TEST_FUZZ_AT: ONLY } = process.env;
const MILLION = 1_000_000;
/** The time limit of a test of a target. A target that hangs is found long before. */
export const FUZZ_TIMEOUT_MS = 3_600_000;

const BATCH = 512;
const HANG_MS = 1_000;
/** Inputs between two measurements of the memory. Before the first one, code is compiled and caches fill. */
const MEASURED_EVERY = 8 * BATCH;
/** The memory that a target may keep after all its inputs. */
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

/** Fails with seed and number of the first input that fails, hangs, or leaves memory behind. */
export async function fuzz<Input>(target: FuzzTarget<Input>): Promise<void> {
  const draw = createDraw();
  const { show = shownText } = target;
  const inputAt = (index: number): Input => {
    draw.restart(Number(SEED), index);
    return target.make(draw);
  };
  const { stackTraceLimit } = Error;
  const run = async (index: number): Promise<void> => {
    const input = inputAt(index);
    try {
      const checked = target.check(input);
      if (checked !== undefined) await checked;
    } catch (error) {
      const isTraced = Error.stackTraceLimit > 0;
      Error.stackTraceLimit = stackTraceLimit;
      if (!isTraced) await run(index);
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`${placeOf(index)}: ${show(input)}\n${message}`, { cause: error });
    }
  };
  const elapsed = async (index: number): Promise<number> => {
    const from = performance.now();
    await run(index);
    return performance.now() - from;
  };
  if (ONLY !== undefined) return run(Number(ONLY));
  const collectGarbage = garbageCollector();
  // All long tests together have less than half an hour.
  const inputs = Number(INPUTS ?? (target.inputs ?? MILLION) / 40);
  let first: number | undefined;
  // Most inputs are refused by an error, and a stack trace costs more than the input.
  Error.stackTraceLimit = 0;
  const begun = performance.now();
  const cpuBegun = process.cpuUsage();
  for (let start = 0; start < inputs; start += BATCH) {
    const end = Math.min(start + BATCH, inputs);
    for (let index = start; index < end; index += 1) {
      // A busy machine may pause a test for a second, but not twice at one input.
      if ((await elapsed(index)) > HANG_MS && (await elapsed(index)) > HANG_MS)
        throw new Error(`${placeOf(index)} takes more than ${HANG_MS} ms: ${show(inputAt(index))}`);
    }
    if (end % MEASURED_EVERY === 0) {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      first ??= heapUsed + external;
      const growth = heapUsed + external - first;
      if (growth > MAX_GROWTH_BYTES)
        throw new Error(`${growth} bytes are kept after input ${end} of seed ${SEED}`);
    }
    // The test runner hears from this process, too.
    await setImmediate();
  }
  Error.stackTraceLimit = stackTraceLimit;
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage(cpuBegun);
  const perCpuSecond = Math.round(inputs / ((user + system) / 1e6));
  console.info(`${inputs} inputs in ${seconds.toFixed(1)} s, ${perCpuSecond} in a second of CPU time`);
}

const placeOf = (index: number): string => `input ${index} of seed ${SEED}`;

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

function shownText(input: unknown): string {
  return JSON.stringify(Buffer.isBuffer(input) ? input.toString('latin1') : input);
}
