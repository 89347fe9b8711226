// How a reconciliation is shown: the verdict, the counts, and the first events of each finding.
import type { ReconcileReport } from '../../contract/reports/reconcile.ts';
import { formatCount, plural } from '../numbers.ts';
import { alignColumns, type Line, type Style } from '../terminal/styled-line.ts';
import { MAX_NAMED_ITEMS } from './first-branches.ts';

const BAD: ReadonlySet<string> = new Set(['not_indexed', 'unacknowledged', 'refused', 'dead']);

/** Returns a reconciliation: the verdict in one line, then the counts and the first events. */
export function reconcileLines(report: ReconcileReport): Line[] {
  const { verdict, sent, acknowledged, indexed, others, replayed, findings, events } = report;
  const style: Style = verdict === 'consistent' ? 'good' : 'bad';
  const more = events.length - MAX_NAMED_ITEMS;
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
      Object.entries(findings).map(([finding, count]) => [
        { text: finding, style: BAD.has(finding) ? 'bad' : 'dim' },
        formatCount(count),
      ]),
    ),
    ...alignColumns(
      events.slice(0, MAX_NAMED_ITEMS).map(({ id, finding }) => [
        { text: id, style: 'id' },
        { text: finding, style: BAD.has(finding) ? 'bad' : 'dim' },
      ]),
    ),
    ...(more <= 0 ? [] : [{ text: `and ${formatCount(more)} more: -o json`, style: 'dim' as const }]),
  ];
}
