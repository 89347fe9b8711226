// Sends events: writes them to the journal first, and sends batches where the service accepts them.
import type { App } from '../../app.ts';
import type { Client } from '../../client/index.ts';
import type { Acknowledgement } from '../../contract/event.ts';
import { Fault } from '../../faults.ts';
import type { OutgoingEvent } from './envelopes.ts';
import { hasLineEnd, type Journal } from './journal.ts';
import type { Patience } from './patience.ts';

/** The largest batch. */
const MAX_BATCH = { events: 1_000, bytes: 512 * 1024 };
/** Batches in flight at once, and single requests in flight at once within a batch. */
const MAX_BATCHES_IN_FLIGHT = 3;
const MAX_SINGLES_IN_FLIGHT = 6;

/** An event with its acknowledgement, or with the Fault that it failed with. */
export type SendResult = { sent: OutgoingEvent; outcome: Acknowledgement | Fault };

/**
 * Sends events and yields their results in order. A failure of the service, such as `busy`, stops the events after it, so
 * there may be fewer results than events. `patience` repeats requests whose failure may pass. Throws Fault 'interrupted', and Fault 'disk' for a journal that cannot be
 * written.
 */
export async function* sendEvents(
  envelopes: AsyncIterable<OutgoingEvent>,
  client: Client,
  journal: Journal,
  app: App,
  patience: Patience = (attempt) => attempt(),
): AsyncGenerator<SendResult> {
  const maxEvents = (await patience(() => client.health()).catch(emptyHealth)).body.ingest_batch ?? 1;
  const inFlight: Promise<SendResult[]>[] = [];
  let isStopped = false;
  const take = async function* (): AsyncGenerator<SendResult> {
    const all = await inFlight.shift()!;
    isStopped ||= all.some(({ outcome }) => outcome instanceof Fault && stopsOthers(outcome));
    yield* all;
  };
  const limits = maxEvents > 1 ? { ...MAX_BATCH, events: Math.min(MAX_BATCH.events, maxEvents) } : MAX_BATCH;
  for await (const batch of batchesOf(envelopes, limits)) {
    if (isStopped) break;
    await journal.recordSent(batch);
    const results = (maxEvents > 1 ? sendBatch : sendOneByOne)(batch, client, patience).then(async (all) => {
      await journal.recordOutcomes(all.flatMap(outcomeRecords));
      return all;
    });
    // The error is handled when the results are taken, in order.
    results.catch(() => {});
    inFlight.push(results);
    if (inFlight.length >= MAX_BATCHES_IN_FLIGHT) yield* take();
  }
  while (inFlight.length > 0) yield* take();
  app.world.signal.throwIfAborted();
}

/** A service without a readable health reply gets one event in a request. */
function emptyHealth(error: unknown): { body: { ingest_batch?: number | undefined } } {
  if (error instanceof Fault && error.kind !== 'interrupted') return { body: {} };
  throw error;
}

/** Whether a failure is one of the service, which the next event would meet too. A success that cannot be read is none. */
function stopsOthers({ kind, detail }: Fault): boolean {
  const isUnreadable = kind === 'unconfirmed' && detail.status !== undefined && detail.status < 300;
  return !isUnreadable && kind !== 'conflict' && kind !== 'protocol';
}

function outcomeRecords({ sent, outcome }: SendResult): { sent: OutgoingEvent; errorCode?: string }[] {
  if (!(outcome instanceof Fault)) return [{ sent }];
  const errorCode = finalErrorCode(outcome);
  return errorCode === undefined ? [] : [{ sent, errorCode }];
}

/** Returns the error code where an event is refused for good, or undefined where the event may still be accepted or its outcome is unknown. */
export function finalErrorCode({ kind, detail }: Fault): string | undefined {
  return kind === 'conflict' ? (detail.code ?? kind) : undefined;
}

type Send = (batch: readonly OutgoingEvent[], client: Client, patience: Patience) => Promise<SendResult[]>;

const sendBatch: Send = async (batch, client, patience) => {
  if (batch.length === 1) return sendOneByOne(batch, client, patience);
  let outcomes: (Acknowledgement | Fault)[];
  try {
    outcomes = await patience(() => client.ingestBatch(batch));
  } catch (error) {
    const fault = faultOrThrow(error);
    // A proxy before the service may not allow batches.
    if (fault.detail.status === 413 || fault.detail.status === 415)
      return sendOneByOne(batch, client, patience);
    return batch.map((sent) => ({ sent, outcome: fault }));
  }
  const all = batch.map((sent, index): SendResult => ({ sent, outcome: outcomes[index]! }));
  // A busy event is sent again alone, with the pauses that the service asks for.
  for (const one of all) {
    if (one.outcome instanceof Fault && one.outcome.kind === 'busy') {
      [{ outcome: one.outcome }] = (await sendOneByOne([one.sent], client, patience)) as [SendResult];
      if (one.outcome instanceof Fault && stopsOthers(one.outcome)) break;
    }
  }
  return all;
};

const sendOneByOne: Send = async (batch, client, patience) => {
  const all: SendResult[] = [];
  const queue = batch.entries();
  let isStopped = false;
  const work = async (): Promise<void> => {
    for (const [index, sent] of queue) {
      const outcome = await patience(() => client.ingest(sent.event, sent.text)).then(
        ({ body }) => body,
        faultOrThrow,
      );
      all[index] = { sent, outcome };
      isStopped ||= outcome instanceof Fault && stopsOthers(outcome);
      if (isStopped) return;
    }
  };
  await Promise.all(Array.from({ length: MAX_SINGLES_IN_FLIGHT }, work));
  return all.filter((one) => one !== undefined);
};

function faultOrThrow(error: unknown): Fault {
  if (error instanceof Fault && error.kind !== 'interrupted') return error;
  throw error;
}

async function* batchesOf(
  envelopes: AsyncIterable<OutgoingEvent>,
  limits: { events: number; bytes: number },
): AsyncGenerator<OutgoingEvent[]> {
  let batch: OutgoingEvent[] = [];
  let bytes = 0;
  for await (const envelope of envelopes) {
    const size = Buffer.byteLength(envelope.text);
    // A batch has one event in each line.
    const isAlone = hasLineEnd(envelope.text) || hasLineEnd(batch[0]?.text ?? '');
    if (batch.length > 0 && (isAlone || batch.length >= limits.events || bytes + size > limits.bytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(envelope);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
