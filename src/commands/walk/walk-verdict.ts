// How a run with a walk ends: its fault, rows that were seen too late, and drift above the share that the user allows.
import type { App } from '../../app.ts';
import { plural } from '../../format/numbers.ts';
import { Fault } from '../../faults.ts';
import type { WalkOutcome } from '../../walk/options.ts';
import { lateRowsFault } from '../lists/late-rows.ts';

/** Counts the faults of the run in `app`. `failOnDrift`: the allowed share of drift, if any. */
export function countWalkFaults(
  { fault, report }: WalkOutcome,
  failOnDrift: number | undefined,
  app: App,
): void {
  const failure = fault ?? lateRowsFault(report.late, app);
  if (failure !== undefined) app.addFault(failure);
  if (failOnDrift === undefined) return;
  const { disagreements, requests, drift } = report;
  const disagreeing = Math.min(1, disagreements / Math.max(1, requests));
  const reasons = [
    ...((drift.max ?? 0) > failOnDrift ? [`the service reported drift up to ${drift.max}`] : []),
    ...(disagreeing > failOnDrift ? [`${disagreements} of ${plural(requests, 'read')} disagreed`] : []),
  ];
  if (drift.max === null)
    app.notice('the service reports no drift: --fail-on-drift compares only the reads that disagreed');
  if (reasons.length === 0) return;
  const kept = `the list stands: verdict ${report.verdict}`;
  app.addFault(new Fault('unstable', `${reasons.join(', and ')}; ${failOnDrift} is allowed`, { kept }));
}
