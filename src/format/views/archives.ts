// How the archives of a database are shown: a list, and what an upgrade did.
import type { ArchiveMoveReport, ArchiveUpgradeReport } from '../../contract/reports/archive.ts';
import { formatBytes, plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import type { Line, Style } from '../terminal/styled-line.ts';
import { treeLines } from '../terminal/tree.ts';
import { firstBranches } from './first-branches.ts';
import { ID } from './shared-columns.ts';
import type { View } from './view.ts';

const STATE_STYLES = new Map<string, Style>([
  ['ready', 'good'],
  ['older', 'warn'],
  ['unfinished_copy', 'warn'],
  ['newer', 'bad'],
  ['denied', 'bad'],
  ['damaged', 'bad'],
]);

/** An archive of a database. `schema` is the version of its tables, `bytes` their size, `problem` why nothing is known of it. */
export type ListedArchive = {
  name: string;
  state: string;
  schema: number | null;
  messages: number | null;
  attachments: number | null;
  bytes: number | null;
  problem: string | null;
};

/** The columns of a listed archive. */
export const archiveEntryView: View<ListedArchive> = {
  columns: [
    { name: 'name', of: (row) => row.name, ...ID },
    {
      name: 'state',
      of: (row) => row.state,
      style: (row) => STATE_STYLES.get(row.state),
      whole: true,
      importance: 'essential',
    },
    { name: 'schema', of: (row) => row.schema },
    { name: 'messages', of: (row) => row.messages },
    { name: 'attachments', of: (row) => row.attachments },
    {
      name: 'bytes',
      of: (row) => row.bytes,
      shown: (row) => (row.bytes === null ? '' : formatBytes(row.bytes)),
      align: 'right',
    },
    { name: 'problem', of: (row) => row.problem },
  ],
};

/** Returns what an upgrade of all archives did, and which failed. */
export function archiveUpgradeLines(report: ArchiveUpgradeReport, canvas: Canvas): Line[] {
  const { archives, current, upgraded, failed, dry_run: isPlan } = report;
  const done = isPlan === true ? `${upgraded} would be upgraded` : `${upgraded} upgraded`;
  return [
    `${plural(archives, 'archive')}: ${done}, ${current} up to date before, ${failed.length} failed`,
    ...failureLines(failed, canvas),
  ];
}

/** Returns which archives were moved, and which failed. */
export function archiveMoveLines(report: ArchiveMoveReport, canvas: Canvas): Line[] {
  const { moved, there, failed, dry_run: isPlan } = report;
  const done = `${plural(moved.length, 'archive')} ${isPlan === true ? 'would be moved' : 'moved'}`;
  return [`${done}, ${there.length} moved before, ${failed.length} failed`, ...failureLines(failed, canvas)];
}

function failureLines(failed: ArchiveUpgradeReport['failed'], canvas: Canvas): Line[] {
  const branches = firstBranches(failed, ({ name, problem }) => ({
    line: { text: `${name}: ${problem}`, style: 'bad' },
  }));
  return treeLines(branches, canvas);
}
