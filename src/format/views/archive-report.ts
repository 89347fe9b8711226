// How reports about an archive are shown: a backup, a check and an import.
import type { BackupReport, FsckReport, ImportReport } from '../../contract/reports/archive.ts';
import { UTC_INSTANTS, zonedInstant } from '../instants.ts';
import { formatBytes, formatCount, plural } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import type { Line, Style } from '../terminal/styled-line.ts';
import { treeLines, type Branch } from '../terminal/tree.ts';
import { firstBranches } from './first-branches.ts';

/** Returns where a backup is and what was copied. */
export function backupLines(
  { path, taken_at, database_bytes, files, bytes }: BackupReport,
  { instants = UTC_INSTANTS }: Canvas,
): Line[] {
  return [
    `the archive as it was at ${zonedInstant(taken_at, instants)} is in ${path}`,
    `database ${formatBytes(database_bytes)}, ${plural(files.added, 'file')} added (${formatBytes(bytes)}), ${formatCount(files.known)} already there`,
    ...(files.linked === 0
      ? []
      : [
          `${plural(files.linked, 'file')} ${files.linked === 1 ? 'shares its' : 'share their'} bytes with the archive (hard links): only a copy on another disk protects against damage`,
        ]),
  ];
}

/** What people read in place of the name of a check. */
const LABELS: Readonly<Record<string, string>> = {
  engine: 'database',
  threads: 'message keys, each with its conversation',
  files: 'different files, each hashed',
};

function labelOf(check: string): string {
  return LABELS[check] ?? check;
}

/** Returns a check of an archive: the result in one line, then each check with its findings. */
export function fsckLines(report: FsckReport, canvas: Canvas): Line[] {
  const style: Style = report.verdict.startsWith('ok')
    ? 'good'
    : report.verdict === 'damaged'
      ? 'bad'
      : 'warn';
  const checks = report.checks.map(({ name, looked }): Branch => {
    const findings = report.findings.filter(({ check }) => check === name);
    return {
      line:
        name === 'engine'
          ? labelOf(name)
          : `${labelOf(name)} ${formatCount(looked)}${name === 'search' ? notIndexedText(report) : ''}`,
      children: findings.map(({ problem, severity, count, subjects, attachments = [] }): Branch => {
        const mark =
          severity === 'damage'
            ? ({ text: '* ', style: 'bad' } as const)
            : ({ text: '? ', style: 'warn' } as const);
        return {
          line: [{ text: mark.text + problem, style: mark.style }, ` ${formatCount(count)}`],
          children: firstBranches(
            subjects,
            (subject) => ({
              line: subject,
              children: attachmentBranches(attachments.find(({ sha256 }) => sha256 === subject)),
            }),
            count,
          ),
        };
      }),
    };
  });
  const { unchecked = [], unchecked_is_explained: isExplained = false } = report;
  const why = isExplained ? 'over values of another type' : 'because of an error of arx';
  const left: Branch[] =
    unchecked.length === 0
      ? []
      : [
          {
            line: { text: `not checked, ${why}`, style: 'bad' },
            children: firstBranches(unchecked, ({ check, subject, error }) => ({
              line: `${labelOf(check)}: ${subject} (${error})`,
            })),
          },
        ];
  return [
    [
      { text: report.verdict.replaceAll('_', ' '), style },
      `, ${formatBytes(report.bytes)} hashed, ${report.engine}, files in the ${report.files}${report.files_at === undefined ? '' : ` ${report.files_at}`}`,
    ],
    ...sinceLines(report),
    ...treeLines([...checks, ...left], canvas),
  ];
}

/** Returns the attachments that need a damaged file, none where none is known. */
function attachmentBranches(
  needing: NonNullable<FsckReport['findings'][number]['attachments']>[number] | undefined,
): Branch[] {
  if (needing === undefined) return [];
  const { count, named } = needing;
  const more = count - named.length;
  return [
    ...named.map(({ id, filename }): Branch => ({ line: [{ text: id, style: 'id' }, ` ${filename}`] })),
    ...(more <= 0
      ? []
      : [{ line: { text: `and ${plural(more, 'more attachment')}`, style: 'dim' } as const }]),
  ];
}

function notIndexedText({ not_indexed: count }: FsckReport): string {
  return count === undefined ? '' : ` (not indexed yet: ${formatCount(count)}; the next search does it)`;
}

/** Returns what a check of new rows did not look at, and when an interrupted check began. */
function sinceLines({ since, began_at }: FsckReport): Line[] {
  const lines: Line[] = [];
  if (since !== undefined) {
    const { time, messages, attachments, events } = since;
    lines.push(
      `only what came since ${time}: above msg_${messages}, att_${attachments}, event ${events}, and what they change`,
      'not checked: older rows and files, and the pages of the database',
    );
  }
  if (began_at !== undefined) lines.push(`begun at ${began_at}, interrupted and continued`);
  return lines;
}

type ImportList = 'refused' | 'skipped' | 'notices';

function notListed(report: ImportReport, name: ImportList): NonNullable<ImportReport['not_listed']> {
  return (report.not_listed ?? []).filter(({ list }) => list === name);
}

/** Returns how many entries a list of an import has, with those that are only counted. */
export function countOf(report: ImportReport, name: ImportList): number {
  return notListed(report, name).reduce((sum, { count }) => sum + count, report[name].length);
}

/** Returns for each change of tiers by an import how many messages it is about. */
export function tierChangeTexts({ dry_run, tier_changes = [] }: ImportReport): string[] {
  return tier_changes.map(({ from, to, messages }) => {
    const whose = messages === 1 ? 'its' : 'their';
    const verb = dry_run === true ? 'would change' : 'changed';
    return `${plural(messages, 'message')} and ${whose} attachments ${verb} from tier ${from} to ${to}`;
  });
}

/** Returns an import: the archive in one line, then each source and what was refused. */
export function importLines(report: ImportReport, canvas: Canvas): Line[] {
  const willStore = report.dry_run === true ? 'would be stored' : 'stored';
  const sources = report.sources.map(
    ({ path, kind, uploads = [], messages, attachments, files, formats }): Branch => {
      const { read, stored, known, refused } = messages;
      const mixed = formats.map((part) => `${formatCount(part.files)} ${part.format}`).join(', ');
      return {
        line: [
          { text: path, style: 'id' },
          uploads.length === 0 ? '' : ` with ${uploads.join(', ')}`,
          { text: ` (${kind}${formats.length > 1 ? `: ${mixed}` : ''})`, style: 'dim' },
        ],
        children: [
          {
            line: [
              `${plural(read, 'message')} read: `,
              { text: `${formatCount(stored)} ${willStore}`, style: 'good' },
              `, ${formatCount(known)} already there or repeated, `,
              { text: `${formatCount(refused)} refused`, style: refused > 0 ? 'bad' : undefined },
            ],
          },
          {
            line: `${plural(attachments.stored, 'attachment')} ${willStore}, ${formatCount(attachments.known)} already there or repeated`,
          },
          {
            line: `${plural(files.seen, 'file')} seen: ${formatCount(files.read)} read, ${formatCount(files.known)} already there, ${formatCount(files.refused)} refused, ${formatCount(files.skipped)} skipped`,
          },
        ],
      };
    },
  );
  const branches = <Name extends ImportList>(
    name: Name,
    lineOf: (entry: ImportReport[Name][number]) => string,
  ): Branch[] => [
    ...firstBranches<ImportReport[Name][number]>(
      report[name],
      (entry) => ({ line: lineOf(entry) }),
      countOf(report, name),
    ),
    ...notListed(report, name).map(({ reason, count }): Branch => ({
      line: { text: `${formatCount(count)} of them counted only: ${reason}`, style: 'dim' },
    })),
  ];
  const named = branches(
    'refused',
    ({ path, offset, reason }) => `${path}${offset === null ? '' : ` at ${formatCount(offset)}`}: ${reason}`,
  );
  const refused: Branch[] =
    named.length > 0 ? [{ line: { text: 'refused', style: 'bad' }, children: named }] : [];
  const passed = branches(
    'skipped',
    ({ path, offset, bytes, reason }) =>
      `${path}${offset === null || bytes === null ? '' : `: ${plural(bytes, 'byte')} at ${formatCount(offset)}`}: ${reason}`,
  );
  const skipped: Branch[] = passed.length > 0 ? [{ line: 'skipped', children: passed }] : [];
  const told = branches('notices', ({ path, notice }) => `${path}: ${notice}`);
  const notices: Branch[] =
    told.length > 0 ? [{ line: { text: 'not understood', style: 'warn' }, children: told }] : [];
  const tiers = tierChangeTexts(report).map((text): Branch => ({ line: { text, style: 'warn' } }));
  return [
    `${plural(report.conversations, 'conversation')} in the archive`,
    ...treeLines([...sources, ...tiers, ...refused, ...skipped, ...notices], canvas),
  ];
}
