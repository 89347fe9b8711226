// How reports about files are shown: the plan of a pull, a verification and an export.
import type {
  ExportReport,
  PlannedFile,
  PullPlan,
  Verdict,
  VerifiedFile,
  VerifyReport,
} from '../../contract/reports/files.ts';
import { ownValue } from '../../contract/own-value.ts';
import { NOT_BEGUN } from '../../contract/reports/not-begun.ts';
import { formatBytes, formatCount, plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { alignColumns, type Line, type Style } from '../terminal/styled-line.ts';
import { treeLines, type Branch } from '../terminal/tree.ts';
import { firstBranches } from './first-branches.ts';
import { shortHash } from './shared-columns.ts';
import type { View } from './view.ts';

/** The marks of `rclone check`, with `?` for a file that could not be checked. */
const MARKS: Record<Verdict, { mark: string; style: Style }> = {
  match: { mark: '=', style: 'good' },
  mismatch: { mark: '*', style: 'bad' },
  missing: { mark: '-', style: 'bad' },
  extra: { mark: '+', style: 'warn' },
  unreadable: { mark: '!', style: 'bad' },
  withheld: { mark: '?', style: 'warn' },
  absent: { mark: '?', style: 'warn' },
  unverifiable: { mark: '?', style: 'warn' },
};

/** A verified file as one line, its mark first. */
export const fileView: View<VerifiedFile> = {
  columns: [
    { name: 'mark', of: ({ verdict }) => MARKS[verdict].mark, style: ({ verdict }) => MARKS[verdict].style },
    { name: 'verdict', of: ({ verdict }) => verdict },
    { name: 'path', of: ({ path }) => path },
    { name: 'id', of: ({ id }) => id },
    { name: 'expected', of: ({ expected }) => expected },
    { name: 'actual', of: ({ actual }) => actual },
    { name: 'bytes', of: ({ bytes }) => bytes, align: 'right' },
    { name: 'reason', of: reasonOrNow },
  ],
};

/** A file of the plan of a pull. */
export const plannedFileView: View<PlannedFile> = {
  columns: [
    { name: 'action', of: ({ action }) => action },
    { name: 'path', of: ({ path }) => path },
    { name: 'bytes', of: ({ bytes }) => bytes, align: 'right' },
    { name: 'id', of: ({ id }) => id },
  ],
};

const UNLISTED = "no longer in the archive's list";
const NOW: Record<NonNullable<VerifiedFile['now']>, string> = {
  withheld: 'withheld now',
  absent: 'absent now',
  unlisted: UNLISTED,
};

/** Returns why a file is not as it was, or cannot be had, where that is known. */
export function reasonOrNow({ reason, now }: Pick<VerifiedFile, 'reason' | 'now'>): string | undefined {
  return reason ?? (now === undefined ? undefined : NOW[now]);
}

const PLANNED: Partial<Record<PlannedFile['action'], string>> = {
  here: 'already here',
  unlisted: UNLISTED,
};

/** Returns the plan of a pull: each file, then their number and size. */
export function pullPlanLines(plan: PullPlan): Line[] {
  const { files, bytes, unsized, rows } = plan;
  const others = (['here', 'withheld', 'absent', 'unlisted', 'refused'] as const).flatMap((name) =>
    plan[name] === 0 ? [] : [`${formatCount(plan[name])} ${PLANNED[name] ?? name}`],
  );
  const size = unsized === 0 ? '' : ` and ${formatCount(unsized)} of unknown size`;
  return [
    ...alignColumns(
      rows.map(({ action, path, bytes: each, id }) => [
        { text: action, style: action === 'download' ? 'good' : action === 'here' ? 'dim' : 'warn' },
        each === null ? '' : formatBytes(each),
        { text: id, style: 'id' },
        path ?? '',
      ]),
    ),
    [`would download ${[`${plural(files, 'file')}, ${formatBytes(bytes)}${size}`, ...others].join('; ')}`],
  ];
}

/** Returns a verification: the result in one line, then each verdict with its files. */
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
        ...verdicts.flatMap((verdict): Branch[] => {
          const { mark, style } = MARKS[verdict];
          const files = report.files.filter((file) => file.verdict === verdict);
          const notBegun = files.filter(({ reason }) => reason === NOT_BEGUN);
          const others = files.filter(({ reason }) => reason !== NOT_BEGUN);
          const count = (report.verdicts[verdict] ?? 0) - notBegun.length;
          const branch = {
            line: [{ text: `${mark} ${verdict}`, style }, ` ${formatCount(count)}`],
            children: verdict === 'match' ? [] : namedFiles(others),
          };
          return [...(count > 0 ? [branch] : []), ...(notBegun.length > 0 ? [notBegunBranch(notBegun)] : [])];
        }),
      ],
      canvas,
    ),
  ];
}

/** Returns the files that a limit left out, with the reason once. */
function notBegunBranch(files: readonly VerifiedFile[]): Branch {
  const [what = '', why = ''] = NOT_BEGUN.split(': ');
  return {
    line: [{ text: `- ${what}`, style: 'warn' }, ` ${formatCount(files.length)}: ${why}`],
    children: namedFiles(files, NOT_BEGUN),
  };
}

function bagBranches({ bag }: VerifyReport): Branch[] {
  if (bag === undefined) return [];
  const { version, algorithms, encoding, fetch } = bag;
  const children = firstBranches(fetch, ({ path, url }) => ({ line: `${path} from ${url}` }));
  return [
    { line: `BagIt ${version}, ${[...algorithms, encoding].join(', ')}` },
    ...(fetch.length === 0
      ? []
      : [{ line: `listed in fetch.txt, not fetched: ${formatCount(fetch.length)}`, children }]),
  ];
}

/** `known`: a reason that was said already. */
function namedFiles(files: readonly VerifiedFile[], known?: string): Branch[] {
  return firstBranches(files, (file) => {
    const { path, id, expected, actual } = file;
    const reason = reasonOrNow(file);
    const hashes =
      expected !== null && actual !== null && expected !== actual
        ? `  expected ${shortHash(expected)}, got ${shortHash(actual)}`
        : '';
    const details = `${path === null || id === null ? '' : `  ${id}`}${hashes}${reason === undefined || reason === known ? '' : `  ${reason}`}`;
    return { line: [path ?? id ?? '', { text: details, style: 'dim' }] };
  });
}

/** Returns an export: the bag in one line, then its hashes and what was withheld. */
export function exportLines(report: ExportReport, canvas: Canvas): Line[] {
  const { path, files, bytes, sha256, walk } = report;
  const branches: Branch[] = [
    { line: [{ text: 'tag manifest ', style: 'dim' }, shortHash(sha256)] },
    ...(walk === null ? [] : [{ line: [{ text: 'frozen walk ', style: 'dim' as const }, shortHash(walk)] }]),
  ];
  for (const state of ['withheld', 'absent'] as const) {
    const ids = report[state];
    if (ids.length === 0) continue;
    branches.push({
      line: [{ text: `? ${state}`, style: 'warn' }, ` ${formatCount(ids.length)}`],
      children: firstBranches(ids, (id) => {
        const reason = ownValue(report.reasons, id);
        return { line: [id, { text: reason === undefined ? '' : `  ${reason}`, style: 'dim' }] };
      }),
    });
  }
  return [
    [{ text: path, style: 'good' }, `, ${plural(files, 'file')}, ${formatBytes(bytes)}`],
    ...treeLines(branches, canvas),
  ];
}
