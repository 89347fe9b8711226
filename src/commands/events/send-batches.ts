// Sending envelopes: journalled before they go, a few requests at a time, many in each where the service takes them.
import type { App } from '../../app.ts';
import type { Client } from '../../client/index.ts';
import type { Acknowledgement } from '../../contract/event.ts';
import { Fault } from '../../faults.ts';
import type { OutgoingEvent } from './envelopes.ts';
import type { Journal } from './journal.ts';

/** Events of one lot, and the bytes they may have together. */
const LOT = { events: 1_000, bytes: 512 * 1024 };
/** Lots of which the answers may be awaited at a time, and single requests within a lot. */
const LOTS_AT_ONCE = 3;
const SINGLES_AT_ONCE = 6;

export type SendResult = { sent: OutgoingEvent; outcome: Acknowledgement | Fault };

/**
 * Sends them all, in lots, and yields what came of each, in their order. What stops one event for a reason of the
 * service stops those after it: then fewer come out than went in. Throws the run's own end, and Fault `disk` for a
 * journal that cannot be written.
 */
export async function* sendEvents(
  envelopes: AsyncIterable<OutgoingEvent>,
  client: Client,
  journal: Journal,
  app: App,
): AsyncGenerator<SendResult> {
  const mostInOne = (await client.health().catch(unknown)).body.ingest_batch ?? 1;
  const flights: Promise<SendResult[]>[] = [];
  let isStopped = false;
  const take = async function* (): AsyncGenerator<SendResult> {
    const all = await flights.shift()!;
    isStopped ||= all.some(({ outcome }) => outcome instanceof Fault && stopsOthers(outcome));
    yield* all;
  };
  const wanted = mostInOne > 1 ? { ...LOT, events: Math.min(LOT.events, mostInOne) } : LOT;
  for await (const lot of batchesOf(envelopes, wanted)) {
    if (isStopped) break;
    await journal.recordSent(lot);
    const flight = (mostInOne > 1 ? sendBatch(lot, client) : sendOneByOne(lot, client)).then(async (all) => {
      await journal.recordOutcomes(all.flatMap(notedOf));
      return all;
    });
    // It is looked at when its turn comes.
    flight.catch(() => {});
    flights.push(flight);
    if (flights.length >= LOTS_AT_ONCE) yield* take();
  }
  while (flights.length > 0) yield* take();
  app.world.signal.throwIfAborted();
}

/** A service without a health reply that can be read takes one event at a time. */
function unknown(error: unknown): { body: { ingest_batch?: number | undefined } } {
  if (error instanceof Fault && error.kind !== 'interrupted') return { body: {} };
  throw error;
}

/** What stops one event for a reason of the service stops the next one too. */
function stopsOthers({ kind }: Fault): boolean {
  return !['conflict', 'protocol', 'usage'].includes(kind);
}

function notedOf({ sent, outcome }: SendResult): { sent: OutgoingEvent; refusal?: string }[] {
  if (!(outcome instanceof Fault)) return [{ sent }];
  const refusal = refusalCode(outcome);
  return refusal === undefined ? [] : [{ sent, refusal }];
}

/** The code of a refusal of this event for good; undefined where it may be taken yet, or nobody knows what came of it. */
export function refusalCode({ kind, detail }: Fault): string | undefined {
  return kind === 'conflict' || kind === 'usage' ? (detail.code ?? kind) : undefined;
}

async function sendBatch(lot: readonly OutgoingEvent[], client: Client): Promise<SendResult[]> {
  if (lot.length === 1) return sendOneByOne(lot, client);
  let outcomes: (Acknowledgement | Fault)[];
  try {
    outcomes = await client.ingestBatch(lot);
  } catch (error) {
    const fault = faultOrThrow(error);
    // What stands before the service may not know of it.
    if (fault.detail.status === 413 || fault.detail.status === 415) return sendOneByOne(lot, client);
    return lot.map((sent) => ({ sent, outcome: fault }));
  }
  const all = lot.map((sent, index): SendResult => ({ sent, outcome: outcomes[index]! }));
  // What may pass is tried again on its own, with the pauses that the service asks for.
  for (const one of all) {
    if (one.outcome instanceof Fault && one.outcome.kind === 'busy') {
      [{ outcome: one.outcome }] = (await sendOneByOne([one.sent], client)) as [SendResult];
      if (one.outcome instanceof Fault && stopsOthers(one.outcome)) break;
    }
  }
  return all;
}

async function sendOneByOne(lot: readonly OutgoingEvent[], client: Client): Promise<SendResult[]> {
  const all: SendResult[] = [];
  const queue = lot.entries();
  let isStopped = false;
  const work = async (): Promise<void> => {
    for (const [index, sent] of queue) {
      const outcome = await client.ingest(sent.event).then(({ body }) => body, faultOrThrow);
      all[index] = { sent, outcome };
      isStopped ||= outcome instanceof Fault && stopsOthers(outcome);
      if (isStopped) return;
    }
  };
  await Promise.all(Array.from({ length: SINGLES_AT_ONCE }, work));
  return all.filter((one) => one !== undefined);
}

function faultOrThrow(error: unknown): Fault {
  if (error instanceof Fault && error.kind !== 'interrupted') return error;
  throw error;
}

async function* batchesOf(
  envelopes: AsyncIterable<OutgoingEvent>,
  most: { events: number; bytes: number },
): AsyncGenerator<OutgoingEvent[]> {
  let lot: OutgoingEvent[] = [];
  let bytes = 0;
  for await (const envelope of envelopes) {
    const size = Buffer.byteLength(envelope.text);
    if (lot.length > 0 && (lot.length >= most.events || bytes + size > most.bytes)) {
      yield lot;
      lot = [];
      bytes = 0;
    }
    lot.push(envelope);
    bytes += size;
  }
  if (lot.length > 0) yield lot;
}
