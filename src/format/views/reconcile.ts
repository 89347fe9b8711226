// What people see of a reconciliation: the verdict, the counts, and the first events of each finding.
import type { ReconcileReport } from '../../contract/reports/reconcile.ts';
import { formatCount, plural } from '../numbers.ts';
import { alignColumns, type Line, type Style } from '../terminal/styled-line.ts';

/** Events named; the rest are in the JSON report. */
const MOST_NAMED = 20;

const BAD: ReadonlySet<string> = new Set(['not_indexed', 'unacknowledged', 'refused', 'dead']);

export function reconcileLines(report: ReconcileReport): Line[] {
  const { verdict, sent, acknowledged, indexed, others, replayed, findings, events } = report;
  const style: Style = verdict === 'consistent' ? 'good' : 'bad';
  const more = events.length - MOST_NAMED;
  return [
    [
      { text: verdict, style },
      `  ${plural(sent, 'event')} sent, ${formatCount(acknowledged)} acknowledged, `,
      `${formatCount(indexed)} in the index, ${formatCount(others)} of others there`,
    ],
    ...(replayed === 0 ? [] : [`${plural(replayed, 'event')} sent again`]),
    ...alignColumns(
      Object.entries(findings).map(([finding, count]) => [
        { text: finding, style: BAD.has(finding) ? 'bad' : 'dim' },
        formatCount(count),
      ]),
    ),
    ...alignColumns(
      events.slice(0, MOST_NAMED).map(({ id, finding }) => [
        { text: id, style: 'id' },
        { text: finding, style: BAD.has(finding) ? 'bad' : 'dim' },
      ]),
    ),
    ...(more <= 0 ? [] : [{ text: `and ${formatCount(more)} more: -o json`, style: 'dim' as const }]),
  ];
}
