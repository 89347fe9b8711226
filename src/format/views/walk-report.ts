// How the report of a walk is shown.
import type { RequestPurposes, WalkAssumption, WalkReport } from '../../contract/reports/walk.ts';
import { formatCount, plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { alignColumns, type Line } from '../terminal/styled-line.ts';
import { treeLines, type Branch } from '../terminal/tree.ts';
import { shortHash } from './shared-columns.ts';

/** What each assumption means. */
const ASSUMPTIONS: Record<WalkAssumption, string> = {
  one_state: 'all answers agreed, and none of them is an old state of the list',
  independent_faults: 'wrong answers rarely agree with each other (hardly two were seen at one place)',
  positions: 'the positions in the rows are right',
  forward_only: 'the list starts where forward reads say (there are no backward reads)',
  no_cross_check: 'no second list confirmed the rows',
  earlier_runs: 'windows of earlier runs are right',
};

/** Returns what a verdict assumes, in words. */
const assumptionText = (name: WalkAssumption): string => ASSUMPTIONS[name];

/** Returns how many rows the second list confirmed. `asked` counts those with an answer. */
function crossCheckWords({ asked, agreed, unavailable }: WalkReport['cross_check'], noun: string): string {
  if (asked + unavailable === 0) return 'no row was in doubt, so none was compared with /messages';
  const compared =
    asked === 0
      ? `none of ${plural(unavailable, noun)} was compared with /messages`
      : `${formatCount(agreed)} of ${plural(asked, noun)} confirmed by /messages`;
  if (unavailable === 0) return compared;
  return asked === 0
    ? `${compared}: no usable answer`
    : `${compared}; no usable answer about ${formatCount(unavailable)} more`;
}

/** What requests were for, in words that follow their number. */
const PURPOSES: Record<keyof RequestPurposes, string> = {
  new_rows: 'for new rows',
  known_rows: 'for known rows again',
  end: 'for the end of the list',
  cross_check: 'to /messages',
  single_rows: 'about single rows',
  audit: 'to audit frozen windows',
};

/** Returns the number of requests as a sum of what they were for. */
function requestWords({ requests, requests_for: purposes, minimum_requests: minimum }: WalkReport): string {
  const parts = Object.entries(PURPOSES).flatMap(([purpose, words]) => {
    const made = purposes?.[purpose as keyof RequestPurposes] ?? 0;
    return made === 0 ? [] : [`${formatCount(made)} ${words}`];
  });
  const sum = parts.length === 0 ? '' : ` = ${parts.join(' + ')}`;
  return `${formatCount(requests)}${sum}; one read of each row takes ${formatCount(minimum)}`;
}

const row = (name: string, text: string): [string, string] => [name, text];

/**
 * Returns a walk: the result in one line, then its figures. `noun` is what one row is, in the singular. `isCutShort`: it ended for
 * another reason than the answers, so its last checks were not made.
 */
export function walkLines(
  report: WalkReport,
  noun: string,
  canvas: Canvas,
  { isCutShort = false } = {},
): Line[] {
  const { drift, cross_check: check, frozen } = report;
  const rows: [string, string][] = [
    ['requests', requestWords(report)],
    ['wrong', `${formatCount(report.disagreements)} of the answers`],
    [
      'drift',
      drift.first === null
        ? 'none reported'
        : `first ${drift.first}, last ${drift.last}, highest ${drift.max}`,
    ],
    ['cross-check', check.mode === 'off' ? 'off' : `${check.mode}: ${crossCheckWords(check, noun)}`],
    ['duplicates', `${formatCount(report.duplicates_removed)} removed`],
    [
      'confidence',
      isCutShort ? 'not known: the walk ended before its last checks' : String(report.confidence),
    ],
    ...(report.audit.reads === 0
      ? []
      : [
          row(
            'audit',
            `${report.audit.agreed} of ${plural(report.audit.reads, 'read')} of frozen windows agreed`,
          ),
        ]),
    ...(report.doubted_windows.length === 0 || isCutShort
      ? []
      : [row('doubted', `windows ${report.doubted_windows.join(', ')}`)]),
    ...(report.assumes.length === 0 ? [] : [row('assumes', report.assumes.map(assumptionText).join('; '))]),
    ...(frozen.head === null
      ? []
      : [row('frozen', `${shortHash(frozen.head)}${frozen.file === null ? '' : ` in ${frozen.file}`}`)]),
  ];
  const branches = alignColumns(rows.map(([name, text]) => [{ text: name, style: 'dim' }, text])).map(
    (line): Branch => ({ line }),
  );
  const gaps = report.unstable.map(({ after, before, reads }): Branch => ({
    line: `after ${after ?? 'the start'}, before ${before ?? 'the end'}: ${plural(reads, 'read')}`,
  }));
  const gap = isCutShort ? 'not read' : 'unstable';
  if (gaps.length > 0) branches.push({ line: { text: gap, style: 'bad' }, children: gaps });
  return [
    [
      { text: report.verdict, style: report.verdict === 'complete' ? 'good' : 'bad' },
      `, ${plural(report.conversations, noun)} in ${plural(report.windows, 'window')}`,
      ...((report.withheld ?? 0) === 0 ? [] : [`, ${formatCount(report.withheld!)} withheld`]),
    ],
    ...treeLines(branches, canvas),
  ];
}
