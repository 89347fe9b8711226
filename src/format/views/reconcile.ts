// How a reconciliation is shown: the verdict, the counts, and the first events of each finding.
import { PROBLEMS } from '../../contract/reports/reconcile-problems.ts';
import type { Finding, ReconcileReport } from '../../contract/reports/reconcile.ts';
import { formatCount, plural } from '../numbers.ts';
import { alignColumns, type Line, type Style } from '../terminal/styled-line.ts';
import { MAX_NAMED_ITEMS } from './first-branches.ts';

/** What a finding says of an event. JSON has the code. */
const WORDS: Record<Finding, string> = {
  not_indexed: 'acknowledged, and not listed by the service',
  unacknowledged: 'neither acknowledged nor listed',
  refused: 'refused by the service',
  dead: 'dead: the service failed to apply it, and tries no more',
  other_body: 'sent with two different bodies under one id',
  queued: 'queued at the service',
  waiting: 'waits for a message that the archive does not have',
  lost_acknowledgement: 'listed, and its acknowledgement is not in the journal',
  sent_again: 'sent more than once',
  delivered_again: 'received more than once',
  out_of_order: 'received after an event that was sent later',
};

/** Returns a reconciliation: the verdict in one line, then the counts, all events that a person must look into, and the first of the others. */
export function reconcileLines(report: ReconcileReport): Line[] {
  const { verdict, sent, acknowledged, indexed, others, replayed, findings, events } = report;
  const style: Style = verdict === 'consistent' ? 'good' : 'bad';
  const problems = events.filter(({ finding }) => PROBLEMS.has(finding));
  const usual = events.filter(({ finding }) => !PROBLEMS.has(finding));
  const named = [...problems, ...usual.slice(0, MAX_NAMED_ITEMS)];
  const more = Object.values(findings).reduce((sum, count) => sum + count, 0) - named.length;
  return [
    [
      { text: verdict, style },
      `  ${plural(sent, 'event')} sent, ${formatCount(acknowledged)} acknowledged, `,
      `the service holds ${formatCount(indexed)} of them`,
      others === 0
        ? ''
        : `, and ${plural(others, 'event')} that ${others === 1 ? 'is' : 'are'} not in this journal`,
    ],
    ...(replayed === 0 ? [] : [`${plural(replayed, 'event')} sent again`]),
    ...alignColumns(
      (Object.entries(findings) as [Finding, number][]).map(([finding, count]) => [
        { text: WORDS[finding], style: PROBLEMS.has(finding) ? 'bad' : 'dim' },
        formatCount(count),
      ]),
    ),
    ...alignColumns(
      named.map(({ id, finding }) => [
        { text: id, style: 'id' },
        { text: WORDS[finding], style: PROBLEMS.has(finding) ? 'bad' : 'dim' },
      ]),
    ),
    ...(more <= 0
      ? []
      : [
          {
            text: `and ${formatCount(more)} more; -o json names ${formatCount(events.length)}`,
            style: 'dim' as const,
          },
        ]),
  ];
}
