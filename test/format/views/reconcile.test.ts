// Which events a reconciliation names for people.
import { expect, test } from 'vitest';
import { Finding, type ReconcileReport } from '../../../src/contract/reports/reconcile.ts';
import { reconcileLines } from '../../../src/format/views/reconcile.ts';
import { plainText } from '../../../src/format/terminal/styled-line.ts';

const COUNT = 30;

function linesOf(...kinds: Finding[]): string[] {
  const events = kinds.flatMap((finding) =>
    Array.from({ length: COUNT }, (_, n) => ({ id: `${finding}.${n}`, finding })),
  );
  const report: ReconcileReport = {
    version: 1,
    verdict: 'inconsistent',
    journal: 'journal',
    base_url: 'local',
    sent: 90,
    acknowledged: 90,
    indexed: 90,
    others: 0,
    replayed: 0,
    findings: Object.fromEntries(kinds.map((finding) => [finding, finding === 'out_of_order' ? 900 : COUNT])),
    events,
  };
  return reconcileLines(report).map(plainText);
}

const namedIn = (lines: string[], finding: Finding): number =>
  lines.filter((line) => line.startsWith(`${finding}.`)).length;

test.each(['not_indexed', 'unacknowledged', 'refused', 'dead', 'other_body'] as const)(
  '%s: every event is named',
  (finding) => {
    const lines = linesOf(finding, 'out_of_order');
    expect(namedIn(lines, finding)).toBe(COUNT);
    expect(namedIn(lines, 'out_of_order')).toBe(20);
    expect(lines.at(-1)).toBe('and 880 more; -o json names 60');
  },
);

test('what is usual after a failover is named 20 times, and the rest counted', () => {
  const lines = linesOf('out_of_order', 'sent_again');
  expect(namedIn(lines, 'out_of_order') + namedIn(lines, 'sent_again')).toBe(20);
  expect(lines.at(-1)).toBe('and 910 more; -o json names 60');
});
