// `arx events reconcile`: compares the journal with the events of the service, and sends missing ones with `--replay`.
import * as z from 'zod';
import type { App } from '../../app.ts';
import type { ReconcileReport } from '../../contract/reports/reconcile.ts';
import { Fault, type FaultKind, type Hint } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { reconcileLines } from '../../format/views/index.ts';
import type { OutgoingEvent } from './envelopes.ts';
import { createFailureSummary } from './failure-summary.ts';
import { readExistingJournal, journalPath } from './journal.ts';
import { eventClient, withJournal } from './send.ts';
import { sendEvents } from './send-batches.ts';
import { compareJournal, type JournalComparison } from './compare-journal.ts';

export const Input = z.object({
  journal: z.string().min(1).optional(),
  replay: z.boolean().default(false),
  signWith: z.string().min(1).optional(),
});

/** Findings that make the result inconsistent → kind of Fault and words for people. */
const FAULTS: { [finding in keyof ReconcileReport['findings']]: { kind: FaultKind; what: string } } = {
  not_indexed: { kind: 'unstable', what: 'acknowledged but not in the index' },
  unacknowledged: { kind: 'unconfirmed', what: 'sent but neither acknowledged nor in the index' },
  refused: { kind: 'conflict', what: 'refused' },
  dead: { kind: 'partial', what: 'accepted but never applied' },
};

/** Runs `arx events reconcile`. */
export async function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const path = journalPath(input.journal, app);
  const client = await eventClient(input, app);
  let comparison = await compareJournal(() => readExistingJournal(path), client);
  let replayed = 0;
  if (input.replay && comparison.missing > 0) {
    const { claimMissing } = comparison;
    const failures = createFailureSummary(app);
    await withJournal(input, app, async (journal) => {
      for await (const { sent, outcome } of sendEvents(
        missingEvents(path, claimMissing),
        client,
        journal,
        app,
      )) {
        if (outcome instanceof Fault) failures.add(sent, outcome);
        else replayed += 1;
      }
    }).finally(failures.end);
    comparison = await compareJournal(() => readExistingJournal(path), client);
  }
  const { counts: findings, missing: _, claimMissing: __, ...rest } = comparison;
  const faults = Object.entries(FAULTS).flatMap(([finding, { kind, what }]) => {
    const events = findings[finding as keyof typeof findings];
    return events === undefined
      ? []
      : [new Fault(kind, `${events} of ${plural(comparison.sent, 'event')}: ${what}`, hintOf(finding))];
  });
  const report: ReconcileReport = {
    version: 1,
    verdict: faults.length === 0 ? 'consistent' : 'inconsistent',
    journal: path,
    base_url: app.settings.base_url.value ?? 'local',
    ...rest,
    replayed,
    findings,
  };
  await app.printer.report(report, () => reconcileLines(report));
  for (const fault of faults) app.addFault(fault);
}

/** What was refused would be refused again, so a replay does not send it. */
function hintOf(finding: string): { hint: Hint } {
  return {
    hint: ({ arx }) =>
      finding === 'refused'
        ? `mend each and send it again, under another id where ${arx} events ls shows its id`
        : `${arx} events reconcile --replay`,
  };
}

/** Yields the events of the journal that have to be sent again. */
async function* missingEvents(
  path: string,
  claimMissing: JournalComparison['claimMissing'],
): AsyncGenerator<OutgoingEvent> {
  for await (const entry of readExistingJournal(path)) {
    if (entry.type !== 'sent' || !claimMissing(entry.event.id, entry.digest)) continue;
    yield { event: entry.event, text: entry.text(), digest: entry.digest };
  }
}
