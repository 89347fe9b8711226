// What people see of the reports: a verdict first, then what it rests on, as a tree (shapes in contract/report.ts).
import type { BackupReport, FsckReport, ImportReport } from '../../contract/reports/archive.ts';
import type {
  ExportReport,
  PullPlan,
  Verdict,
  VerifiedFile,
  VerifyReport,
} from '../../contract/reports/files.ts';
import type { WalkReport } from '../../contract/reports/walk.ts';
import { formatCount, plural, formatBytes } from '../numbers.ts';
import { alignColumns, type Line, type Style } from '../terminal/styled-line.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { treeLines, type Branch } from '../terminal/tree.ts';
import type { View } from './view.ts';
import { shortHash } from './shared-columns.ts';

/** The marks of rclone's check, with `?` for what could not be checked. */
const MARKS: Record<Verdict, { mark: string; style: Style }> = {
  match: { mark: '=', style: 'good' },
  mismatch: { mark: '*', style: 'bad' },
  missing: { mark: '-', style: 'bad' },
  extra: { mark: '+', style: 'warn' },
  unreadable: { mark: '!', style: 'bad' },
  withheld: { mark: '?', style: 'warn' },
  unverifiable: { mark: '?', style: 'warn' },
};

/** One verified file a line, its mark first. */
export const fileView: View<VerifiedFile> = {
  columns: [
    { name: 'mark', of: ({ verdict }) => MARKS[verdict].mark, style: ({ verdict }) => MARKS[verdict].style },
    { name: 'verdict', of: ({ verdict }) => verdict },
    { name: 'path', of: ({ path }) => path },
    { name: 'id', of: ({ id }) => id },
    { name: 'expected', of: ({ expected }) => expected },
    { name: 'actual', of: ({ actual }) => actual },
    { name: 'bytes', of: ({ bytes }) => bytes, align: 'right' },
  ],
};

/** What a pull would bring. */
export const pullPlanView: View<PullPlan> = {
  columns: [
    { name: 'files', of: ({ files }) => files },
    { name: 'bytes', of: ({ bytes }) => bytes },
    { name: 'of_unknown_size', of: ({ unsized }) => unsized },
    { name: 'already_here', of: ({ here }) => here },
    { name: 'withheld', of: ({ withheld }) => withheld },
    { name: 'refused', of: ({ refused }) => refused },
  ],
};

/** Files named below a verdict; the whole list is in the JSON report. */
const MOST_NAMED = 20;

export function verifyLines(report: VerifyReport, canvas: Canvas): Line[] {
  const fixity: Style = report.fixity === 'ok' ? 'good' : report.fixity === 'failed' ? 'bad' : 'warn';
  const verdicts = (Object.keys(MARKS) as Verdict[]).filter((verdict) => (report.verdicts[verdict] ?? 0) > 0);
  return [
    [
      { text: `fixity ${report.fixity.replaceAll('_', ' ')}`, style: fixity },
      `, ${plural(report.checked, 'file')} checked, ${formatBytes(report.bytes)}, completeness ${report.completeness}`,
    ],
    ...treeLines(
      [
        ...bagBranches(report),
        ...verdicts.map((verdict): Branch => {
          const { mark, style } = MARKS[verdict];
          return {
            line: [{ text: `${mark} ${verdict}`, style }, ` ${formatCount(report.verdicts[verdict] ?? 0)}`],
            children:
              verdict === 'match' ? [] : namedFiles(report.files.filter((file) => file.verdict === verdict)),
          };
        }),
      ],
      canvas,
    ),
  ];
}

function bagBranches({ bag }: VerifyReport): Branch[] {
  if (bag === undefined) return [];
  const { version, algorithms, encoding, fetch } = bag;
  const named = fetch.slice(0, MOST_NAMED).map(({ path, url }): Branch => ({ line: `${path} from ${url}` }));
  const rest = fetch.length - named.length;
  if (rest > 0) named.push({ line: { text: `and ${formatCount(rest)} more`, style: 'dim' } });
  return [
    { line: `BagIt ${version}, ${[...algorithms, encoding].join(', ')}` },
    ...(fetch.length === 0
      ? []
      : [{ line: `to be fetched, which was not done: ${formatCount(fetch.length)}`, children: named }]),
  ];
}

function namedFiles(files: readonly VerifiedFile[]): Branch[] {
  const named = files.slice(0, MOST_NAMED).map(({ path, id, expected, actual }): Branch => {
    const hashes =
      expected !== null && actual !== null && expected !== actual
        ? `  expected ${shortHash(expected)}, got ${shortHash(actual)}`
        : '';
    return {
      line: [
        path ?? id ?? '',
        { text: path === null || id === null ? hashes : `  ${id}${hashes}`, style: 'dim' },
      ],
    };
  });
  const rest = files.length - named.length;
  return rest > 0 ? [...named, { line: { text: `and ${formatCount(rest)} more`, style: 'dim' } }] : named;
}

export function exportLines(report: ExportReport, canvas: Canvas): Line[] {
  const { path, files, bytes, withheld, sha256, walk } = report;
  const named = withheld.slice(0, MOST_NAMED).map((id): Branch => ({ line: id }));
  const rest = withheld.length - named.length;
  if (rest > 0) named.push({ line: { text: `and ${formatCount(rest)} more`, style: 'dim' } });
  const branches: Branch[] = [
    { line: [{ text: 'tag manifest ', style: 'dim' }, shortHash(sha256)] },
    ...(walk === null ? [] : [{ line: [{ text: 'frozen walk ', style: 'dim' as const }, shortHash(walk)] }]),
  ];
  if (named.length > 0)
    branches.push({
      line: [{ text: '? withheld', style: 'warn' }, ` ${formatCount(withheld.length)}`],
      children: named,
    });
  return [
    [{ text: path, style: 'good' }, `, ${plural(files, 'file')}, ${formatBytes(bytes)}`],
    ...treeLines(branches, canvas),
  ];
}

/** `noun` is what one row is. */
export function walkLines(report: WalkReport, noun: string, canvas: Canvas): Line[] {
  const { drift, cross_check: check, frozen } = report;
  const rows: [string, string][] = [
    [
      'reads',
      `${plural(report.requests, 'request')} (${formatCount(report.minimum_requests)} at the least), ${plural(report.rereads, 're-read')}, ${plural(report.disagreements, 'disagreement')}`,
    ],
    [
      'drift',
      drift.first === null ? 'none reported' : `first ${drift.first}, last ${drift.last}, most ${drift.max}`,
    ],
    [
      'cross-check',
      check.mode === 'off'
        ? 'off'
        : `${check.mode}: ${formatCount(check.asked)} asked, ${formatCount(check.agreed)} agreed, ${formatCount(check.unavailable)} without an answer`,
    ],
    ['duplicates', `${formatCount(report.duplicates_removed)} removed`],
    ['confidence', String(report.confidence)],
    ...(frozen.head === null
      ? []
      : [
          ['frozen', `${shortHash(frozen.head)}${frozen.file === null ? '' : ` in ${frozen.file}`}`] as [
            string,
            string,
          ],
        ]),
  ];
  const branches = alignColumns(rows.map(([name, text]) => [{ text: name, style: 'dim' }, text])).map(
    (line): Branch => ({ line }),
  );
  const gaps = report.unstable.map(({ after, before, reads }): Branch => ({
    line: `after ${after ?? 'the start'}, before ${before ?? 'the end'}: ${plural(reads, 'read')}`,
  }));
  if (gaps.length > 0) branches.push({ line: { text: 'unstable', style: 'bad' }, children: gaps });
  return [
    [
      { text: report.verdict, style: report.verdict === 'complete' ? 'good' : 'bad' },
      `, ${plural(report.conversations, noun)} in ${plural(report.windows, 'window')}`,
    ],
    ...treeLines(branches, canvas),
  ];
}

export function backupLines({ path, taken_at, database_bytes, files, bytes }: BackupReport): Line[] {
  return [
    `the archive as it was at ${taken_at} is in ${path}`,
    `database ${formatBytes(database_bytes)}, ${plural(files.added, 'file')} added (${formatBytes(bytes)}), ${formatCount(files.known)} already there`,
  ];
}

export function fsckLines(report: FsckReport, canvas: Canvas): Line[] {
  const style: Style = report.verdict === 'ok' ? 'good' : report.verdict === 'damaged' ? 'bad' : 'warn';
  const checks = report.checks.map(({ name, looked }): Branch => {
    const findings = report.findings.filter(({ check }) => check === name);
    return {
      line: name === 'engine' ? name : `${name} ${formatCount(looked)}`,
      children: findings.map(({ problem, severity, count, subjects }): Branch => {
        const named = subjects.slice(0, MOST_NAMED).map((subject): Branch => ({ line: subject }));
        const rest = count - named.length;
        if (rest > 0) named.push({ line: { text: `and ${formatCount(rest)} more`, style: 'dim' } });
        const mark =
          severity === 'damage'
            ? ({ text: '* ', style: 'bad' } as const)
            : ({ text: '? ', style: 'warn' } as const);
        return {
          line: [{ text: mark.text + problem, style: mark.style }, ` ${formatCount(count)}`],
          children: named,
        };
      }),
    };
  });
  return [
    [
      { text: report.verdict.replaceAll('_', ' '), style },
      `, ${formatBytes(report.bytes)} hashed, ${report.engine}, files in the ${report.files}`,
    ],
    ...treeLines(checks, canvas),
  ];
}

export function importLines(report: ImportReport, canvas: Canvas): Line[] {
  const sources = report.sources.map(({ path, kind, messages, attachments }): Branch => {
    const { read, stored, known, refused } = messages;
    return {
      line: [
        { text: path, style: 'id' },
        { text: ` (${kind})`, style: 'dim' },
      ],
      children: [
        {
          line: [
            `${plural(read, 'message')} read: `,
            { text: `${formatCount(stored)} stored`, style: 'good' },
            `, ${formatCount(known)} already there, `,
            { text: `${formatCount(refused)} refused`, style: refused > 0 ? 'bad' : undefined },
          ],
        },
        {
          line: `${plural(attachments.stored, 'attachment')} stored, ${formatCount(attachments.known)} already there`,
        },
      ],
    };
  });
  const named = report.refused.slice(0, MOST_NAMED).map(({ path, offset, reason }): Branch => ({
    line: `${path}${offset === null ? '' : ` at ${formatCount(offset)}`}: ${reason}`,
  }));
  const rest = report.refused.length - named.length;
  if (rest > 0) named.push({ line: { text: `and ${formatCount(rest)} more`, style: 'dim' } });
  const refused: Branch[] =
    named.length > 0 ? [{ line: { text: 'refused', style: 'bad' }, children: named }] : [];
  return [
    `${plural(report.conversations, 'conversation')} in the archive`,
    ...treeLines([...sources, ...refused], canvas),
  ];
}
