// How a move of files is shown: the result in one line, then the files.
import type { FilesMoveReport } from '../../contract/reports/archive.ts';
import { formatBytes, formatCount, plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import type { Line, Style } from '../terminal/styled-line.ts';
import { treeLines } from '../terminal/tree.ts';
import { firstBranches } from './first-branches.ts';

/** What people read in place of the verdict. */
const VERDICTS: Readonly<Record<FilesMoveReport['verdict'], { text: string; style: Style }>> = {
  moved: { text: 'moved', style: 'good' },
  there_already: { text: 'nothing to move: this is the place of the files already', style: 'warn' },
  not_moved: { text: 'not moved: the files stay where they are', style: 'warn' },
};

/** Returns a move of files: from where to where, and what was copied. */
export function filesMoveLines(
  { from, to, files, verdict, ...report }: FilesMoveReport,
  canvas: Canvas,
): Line[] {
  const copied =
    report.dry_run === true || verdict === 'there_already'
      ? ''
      : `: ${formatCount(files.copied)} copied now (${formatBytes(files.copied_bytes)}), each compared with its hash`;
  const { text, style } = VERDICTS[verdict];
  const old = verdict === 'moved' ? [{ line: `the old files are left in ${from}` }] : [];
  return [
    [{ text, style }, `, from ${from} to ${to}`],
    ...treeLines(
      [
        {
          line: `${plural(files.count, 'file')}, ${formatBytes(files.bytes)}${copied}`,
          children: firstBranches(
            files.damaged_files,
            (sha256) => ({ line: { text: `${sha256} missing or damaged`, style: 'bad' } }),
            files.damaged,
          ),
        },
        ...old,
      ],
      canvas,
    ),
  ];
}
