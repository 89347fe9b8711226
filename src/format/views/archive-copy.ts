// How a copy of an archive is shown: the result in one line, then tables, files, lists and the check.
import type { ArchiveCopyReport } from '../../contract/reports/archive.ts';
import { UTC_INSTANTS, zonedInstant } from '../instants.ts';
import { formatBytes, formatCount, plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import type { Line, Style } from '../terminal/styled-line.ts';
import { treeLines, type Branch } from '../terminal/tree.ts';
import { fsckLines } from './archive-report.ts';
import { firstBranches } from './first-branches.ts';

/** What people read in place of the verdict. */
const VERDICTS: Readonly<Record<ArchiveCopyReport['verdict'], { text: string; style: Style }>> = {
  equal: { text: 'equal', style: 'good' },
  different: { text: 'different', style: 'bad' },
  not_copied: { text: 'nothing was written', style: 'warn' },
};

/** What people read in place of the name of a table. */
const TABLES: Readonly<Record<string, string>> = { raws: 'stored messages', threads: 'message keys' };

/** Returns a copy of an archive: what was copied, and whether it is equal. */
export function archiveCopyLines(report: ArchiveCopyReport, canvas: Canvas): Line[] {
  const { from, to, taken_at, tables, files, lists, fsck, left_out } = report;
  const isPlan = report.dry_run === true;
  const different = (equal: boolean | null): Line =>
    equal === false ? [{ text: ', different', style: 'bad' }] : '';
  const branches: Branch[] = [
    {
      line: 'rows',
      children: tables.map(({ name, rows, copied, equal }) => ({
        line: [
          `${TABLES[name] ?? name} ${formatCount(rows)}${isPlan ? '' : `, ${formatCount(copied)} copied now`}`,
          ...[different(equal)].flat(),
        ],
      })),
    },
    {
      line: `${plural(files.count, 'file')}, ${formatBytes(files.bytes)}${isPlan ? '' : `: ${formatCount(files.copied)} copied now (${formatBytes(files.copied_bytes)}), each compared with its hash`}`,
      children: firstBranches(
        files.damaged_files,
        (sha256) => ({ line: { text: `${sha256} missing or damaged`, style: 'bad' } }),
        files.damaged,
      ),
    },
    ...(isPlan
      ? []
      : [
          {
            line: 'lists, page by page',
            children: lists.map(({ name, pages, rows, equal }) => ({
              line: [
                `${name} ${plural(rows, 'row')} on ${plural(pages, 'page')}`,
                ...[different(equal)].flat(),
              ],
            })),
          },
        ]),
    { line: `not copied: ${left_out.join(', ')}` },
  ];
  const { text, style } = VERDICTS[report.verdict];
  return [
    [
      { text, style },
      `, the archive as it was at ${zonedInstant(taken_at, canvas.instants ?? UTC_INSTANTS)}, ${from.engine} to ${to.engine} with files in the ${to.files}${report.resumed ? ', continued' : ''}`,
    ],
    ...treeLines(branches, canvas),
    ...(fsck === null ? [] : fsckLines(fsck, canvas)),
  ];
}
