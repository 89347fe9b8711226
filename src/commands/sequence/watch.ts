// `arx sequence watch NAME`: reads a sequence again and again, and prints each change of its drift.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Position } from '../../contract/sequence.ts';
import type { SequenceReading } from '../../contract/reports/sequence-reading.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { sequenceReadingView } from '../../format/views/index.ts';
import { wholeNumber } from '../shared/input.ts';
import { idArgument } from '../../shell-words.ts';

const DEFAULT_INTERVAL_S = 10;

/** A ratio as typed, from 0 to 1. */
const Ratio = z
  .string()
  .refine(
    (text) => /^(?:\d|\d?\.\d{1,17}|\d\.\d{0,17})$/.test(text) && Number(text) <= 1,
    'must be a number from 0 to 1',
  )
  .transform(Number);

export const Input = z.object({
  name: z.string().min(1),
  threshold: Ratio.optional(),
  interval: wholeNumber(1).optional(),
  reads: wholeNumber(1).optional(),
});
type Input = z.infer<typeof Input>;

/** The end of `--max-time` is a good end of a watch. */
export const endsBySignal = true;

export async function run(input: Input, app: App): Promise<void> {
  const { name, threshold } = input;
  let reads = 0;
  let crossed: SequenceReading | undefined;
  async function* changes(): AsyncGenerator<SequenceReading> {
    let last = '';
    for (;;) {
      const reading = await readDrift(name, app);
      reads += 1;
      const { at: _, ...state } = reading;
      const text = JSON.stringify(state);
      if (text !== last) yield reading;
      last = text;
      if (threshold !== undefined && measureOf(reading) >= threshold) crossed = reading;
      if (crossed !== undefined || reads === input.reads) return;
      await app.world.sleep((input.interval ?? DEFAULT_INTERVAL_S) * 1000, app.world.signal);
    }
  }
  let rows = 0;
  await app.printer.list(sequenceReadingView, {
    isLive: true,
    rows: counted(untilTimeIsOver(changes(), app), () => (rows += 1)),
    summary: () => ({ rows, reads, crossed: crossed !== undefined, complete: true }),
  });
  if (crossed === undefined) return;
  const isStated = crossed.drift_ratio !== null;
  const what = isStated ? 'drift ratio' : 'share of displaced positions';
  throw new Fault('unstable', `${name}: the ${what} is ${measureOf(crossed)}, the threshold ${threshold}`, {
    hint: ({ arx }) => `${arx} sequence show --plot ${idArgument(name)}`,
  });
}

/** Ends the readings where `--max-time` is over. */
async function* untilTimeIsOver<T>(readings: AsyncIterable<T>, { world }: App): AsyncGenerator<T> {
  try {
    yield* readings;
  } catch (error) {
    const reason: unknown = world.signal.aborted ? world.signal.reason : undefined;
    if (!(error instanceof Fault) || error !== reason || error.kind === 'interrupted') throw error;
  }
}

/** The drift ratio that the service states, else the share of displaced positions. */
function measureOf({ drift_ratio, displaced, positions }: SequenceReading): number {
  if (drift_ratio !== null) return drift_ratio;
  return displaced === null || positions === 0 ? 0 : displaced / positions;
}

async function readDrift(name: string, app: App): Promise<SequenceReading> {
  const client = await app.client();
  const { body } = await client.sequence(name, {});
  const rows = body.data.map(({ row }) => row);
  const { drift_ratio = null, displaced, total } = body as typeof body & Record<string, unknown>;
  const areAllChecked = rows.length > 0 && rows.every(({ offset }) => offset !== undefined);
  const isCounted = typeof displaced === 'number' && typeof total === 'number';
  if (drift_ratio === null && !isCounted && !areAllChecked)
    throw new Fault('partial', `${name}: the service states no drift ratio and no checked positions`, {
      kept: `${plural(rows.length, 'position')} read`,
    });
  return {
    at: new Date(app.world.now()).toISOString(),
    name,
    drift_ratio,
    displaced: isCounted ? displaced : areAllChecked ? displacedIn(rows) : null,
    positions: isCounted ? total : rows.length,
  };
}

function displacedIn(rows: readonly Position[]): number {
  return rows.filter(({ offset }) => offset !== 0).length;
}

async function* counted<T>(rows: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const row of rows) {
    count();
    yield row;
  }
}
