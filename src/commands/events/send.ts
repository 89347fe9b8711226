// `arx events send`: checks events, writes them to the journal, sends them and confirms their acknowledgements.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { Client } from '../../client/index.ts';
import type { Acknowledgement } from '../../contract/event.ts';
import type { RefusedEvent } from '../../contract/ingest.ts';
import { Fault } from '../../faults.ts';
import { formatCount, plural } from '../../format/numbers.ts';
import { acknowledgementView } from '../../format/views/index.ts';
import { wholeNumber } from '../shared/input.ts';
import { openLocalArchive } from '../archive/local-archive.ts';
import { readWebhookSecrets } from '../shared/webhook-secrets.ts';
import { envelopeFromArguments, openEnvelopes, type Envelopes, type OutgoingEvent } from './envelopes.ts';
import { createFailureSummary } from './failure-summary.ts';
import { acknowledgedDigests, journalPath, openJournal, type Journal } from './journal.ts';
import { createPatience, DEFAULT_RETRY_S, type Patience } from './patience.ts';
import { finalErrorCode, sendEvents } from './send-batches.ts';

export const Input = z.object({
  type: z.string().min(1).optional(),
  id: z.string().min(1).optional(),
  payload: z.string().optional(),
  file: z.string().min(1).optional(),
  journal: z.string().min(1).optional(),
  signWith: z.string().min(1).optional(),
  retryFor: wholeNumber(0).optional(),
  allowUnknownType: z.boolean().default(false),
});
type Input = z.infer<typeof Input>;

/** Runs `arx events send`. */
export async function run(input: Input, app: App): Promise<void> {
  if (input.file === undefined) return sendOne(input, app);
  if (input.type !== undefined || input.id !== undefined || input.payload !== undefined) {
    throw new Fault('usage', '--file has whole envelopes: leave out the type, --id and --payload');
  }
  // Everything is checked before anything is sent.
  const envelopes = await openEnvelopes(input.file, input, app);
  try {
    const client = await eventClient(input, app);
    await withJournal(input, app, (journal) =>
      sendFile(envelopes, { client, journal, patience: patienceOf(input, app) }, app),
    );
  } finally {
    await envelopes.close();
  }
}

/** Returns the client of a command that sends events; it signs them where `--sign-with` names secrets. */
export async function eventClient(
  { signWith }: { signWith?: string | undefined },
  app: App,
): Promise<Client> {
  // The service in this process would ask to try again later, and no retry helps.
  if (!app.isRemote && (await openLocalArchive(app)).readOnly)
    throw new Fault('disk', 'the local archive cannot be written to: its disk or its file is read-only', {
      kept: 'nothing was sent',
    });
  return signWith === undefined ? app.client() : app.signingClient(await readWebhookSecrets(signWith, app));
}

/** Opens the journal, does the work with it and closes it. Throws Fault 'disk' or 'unsafe'. */
export async function withJournal(
  { journal: file }: { journal?: string | undefined },
  app: App,
  work: (journal: Journal) => Promise<void>,
): Promise<void> {
  const journal = await openJournal(journalPath(file, app), app);
  await work(journal).finally(() => journal.close());
}

async function sendOne(input: Input, app: App): Promise<void> {
  const envelope = await envelopeFromArguments(input, input, app);
  const client = await eventClient(input, app);
  await withJournal(input, app, async (journal) => {
    await journal.recordSent([envelope]);
    try {
      const { body } = await patienceOf(input, app)(() => client.ingest(envelope.event, envelope.text));
      await journal.recordOutcomes([{ sent: envelope }]);
      await app.printer.record(acknowledgementView, body);
      sayNext(1, app);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { id } = envelope.event;
      if (error.kind === 'interrupted') {
        app.onInterrupt(() => ({
          kept: `${id} may have been accepted`,
          next: 'send it again with the same id',
        }));
      }
      const errorCode = finalErrorCode(error);
      if (errorCode !== undefined) await journal.recordOutcomes([{ sent: envelope, errorCode }]);
      throw error;
    }
  });
}

/** Tells people how to see what the events did. An acknowledgement always says `queued` (interface 4.6), also of an event that is applied already. */
function sayNext(accepted: number, { world, notice, isRemote }: App): void {
  if (!world.stderr.isTTY || accepted === 0) return;
  // The archive in this process applies what is due before it acknowledges.
  const state = isRemote ? 'perhaps applied since' : 'applied where possible';
  const effects = accepted === 1 ? 'its effect' : 'their effects';
  notice(
    ({ arx }) =>
      `acknowledged as queued, and ${state}; ${effects}: ${arx} events ls; whether all that was sent is there: ${arx} events reconcile`,
  );
}

/** The archive in this process has no restart that could pass. `--retries 0` means that nothing is sent twice. */
function patienceOf({ retryFor }: Input, app: App): Patience {
  const seconds = retryFor ?? (app.settings.retries.value === 0 ? 0 : DEFAULT_RETRY_S);
  return createPatience(app.isRemote ? seconds : 0, app);
}

type Sending = { client: Client; journal: Journal; patience: Patience };

async function sendFile(
  envelopes: Envelopes,
  { client, journal, patience }: Sending,
  app: App,
): Promise<void> {
  const acknowledged = await acknowledgedDigests(journal.path);
  const totals = { rows: 0, accepted: 0, failed: 0, known: 0 };
  const progress = app.progress();
  app.onInterrupt(() => ({
    kept: `${formatCount(totals.accepted + totals.known)} of ${plural(envelopes.count, 'event')} acknowledged`,
    next: 'run the same command to send the rest',
  }));
  const missing = async function* (): AsyncGenerator<OutgoingEvent> {
    for await (const envelope of envelopes.all()) {
      if (acknowledged.has(envelope.digest)) totals.known += 1;
      else yield envelope;
    }
  };
  const rows = async function* (): AsyncGenerator<Acknowledgement | RefusedEvent> {
    const failures = createFailureSummary(app);
    try {
      for await (const { sent, outcome } of sendEvents(missing(), client, journal, app, patience)) {
        totals.rows += 1;
        progress.update({
          label: 'sent',
          done: totals.rows + totals.known,
          total: envelopes.count,
          unit: 'events',
        });
        if (outcome instanceof Fault) {
          totals.failed += 1;
          failures.add(sent, outcome);
          const row = refusedRow(sent, outcome);
          if (row !== undefined) yield row;
        } else {
          acknowledged.add(sent.digest);
          totals.accepted += 1;
          yield outcome;
        }
      }
    } finally {
      failures.end();
      await progress.end();
    }
  };
  await app.printer.list(acknowledgementView, {
    rows: rows(),
    summary: () => {
      const settled = totals.rows + totals.known;
      return {
        ...totals,
        unsent: Math.max(0, envelopes.count - settled),
        complete: totals.accepted + totals.known === envelopes.count,
      };
    },
  });
  sayNext(totals.accepted, app);
}

/** Returns the row of a refused event, or undefined where it is unknown whether the service has the event. */
function refusedRow({ event, line }: OutgoingEvent, fault: Fault): RefusedEvent | undefined {
  const { kind, message, detail } = fault;
  const code = finalErrorCode(fault) ?? detail.code;
  if (code === undefined || kind === 'unconfirmed') return undefined;
  const { id, type } = event;
  // What is read from a file has its line.
  return { accepted: false, event_id: id, type, status: 'refused', line: line!, error: { code, message } };
}
