// How the figures over a whole archive are shown in a terminal.
import { isListRead } from '../../contract/reports/is-list-read.ts';
import { NOT_COMPARED, partByComparison } from '../../contract/reports/unexpected-files.ts';
import type { ArchiveReport, ReadList } from '../../contract/reports/whole-archive.ts';
import { UTC_INSTANTS, zonedInstant } from '../instants.ts';
import { formatBytes, formatCount, plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import type { Line } from '../terminal/styled-line.ts';
import { treeLines, type Branch } from '../terminal/tree.ts';

/** Values of a line; all are in the JSON. */
const MAX_VALUES = 5;

/** Returns a report: what was read and whether that is all, then the figures. */
export function wholeArchiveLines(report: ArchiveReport, canvas: Canvas): Line[] {
  const { complete, archive, read_until, reader, attachments, messages, sequence, verification } = report;
  const months = messages.by_month;
  const values = (
    name: string,
    { values: counts, others }: ArchiveReport['attachments']['cities'],
  ): Branch[] => {
    const shown = counts.filter(({ value }) => value !== null).slice(0, MAX_VALUES);
    const rest = counts.filter(({ value }) => value !== null).length - shown.length + (others.values ?? 0);
    const more = rest > 0 ? ` and ${formatCount(rest)} more` : '';
    const line = shown.map(({ value, files }) => `${value} ${formatCount(files)}`).join(', ');
    return shown.length === 0 ? [] : [{ line: [{ text: `${name} `, style: 'dim' }, `${line}${more}`] }];
  };
  const isRead = (name: ReadList['list']): boolean => isListRead(report, name);
  const branches: Branch[] = [
    ...report.lists.flatMap(({ list, rows, problem }): Branch[] =>
      problem === null
        ? []
        : [
            {
              line: [
                { text: `? ${list} ${rows === 0 ? 'not read' : 'not complete'}`, style: 'warn' },
                `${rows === 0 ? '' : `, ${plural(rows, 'row')} read`}: ${problem.message}`,
              ],
            },
          ],
    ),
    ...(isRead('messages')
      ? [
          {
            line: `messages ${totalOf(messages)}${months.length === 0 ? '' : `, ${months[0]?.month} to ${months.at(-1)?.month}`}`,
          },
        ]
      : []),
    ...(isRead('conversations') ? [{ line: `conversations ${totalOf(report.conversations)}` }] : []),
    ...(isRead('attachments')
      ? [
          {
            line: `attachments ${formatCount(attachments.total)}: ${formatCount(attachments.available)} available, ${formatCount(attachments.withheld)} withheld, ${formatCount(attachments.absent)} absent${attachments.bytes === 0 ? '' : `, ${formatBytes(attachments.bytes)}`}`,
            children: [
              ...values('cities', attachments.cities),
              ...values('types', attachments.types),
              ...values('sources', attachments.sources),
            ],
          },
        ]
      : []),
    ...(sequence === null
      ? []
      : [
          {
            line:
              sequence.compared === 0
                ? `sequence ${sequence.name}, ${plural(sequence.entries, 'entry')}, none with a checked position`
                : `sequence ${sequence.name}, entries displaced: ${formatCount(sequence.displaced)} of ${formatCount(sequence.compared)}`,
          },
        ]),
    ...(verification === null
      ? []
      : [
          {
            line: `${verification.dir}: fixity ${verification.fixity.replaceAll('_', ' ')}, ${plural(verification.checked, 'file')} checked, ${comparedText(verification)}`,
          },
        ]),
  ];
  return [
    [
      complete ? { text: 'complete', style: 'good' } : { text: 'not complete', style: 'bad' },
      ', ',
      { text: archive, style: 'id' },
      ` read ${zonedInstant(read_until, canvas.instants ?? UTC_INSTANTS)}${reader.tier === null ? '' : ` at tier ${reader.tier}`}`,
    ],
    ...treeLines(branches, canvas),
  ];
}

function comparedText({ differing, verdicts }: NonNullable<ArchiveReport['verification']>): string {
  const { unexpected } = partByComparison(differing);
  const others = NOT_COMPARED.map((verdict) => ({ verdict, files: verdicts[verdict] ?? 0 }))
    .filter(({ files }) => files > 0)
    .map(({ verdict, files }) => `, ${formatCount(files)} ${verdict}`);
  return `${formatCount(unexpected.length)} not as expected${others.join('')}`;
}

function totalOf({ total, withheld }: { total: number; withheld: number }): string {
  return `${formatCount(total)}${withheld === 0 ? '' : `, ${formatCount(withheld)} withheld`}`;
}
