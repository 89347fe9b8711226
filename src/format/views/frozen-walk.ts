// How frozen walks and the changes between two of them are shown.
import type { DiffReport, FrozenWalk, WalkedWindow } from '../../contract/reports/walk.ts';
import { UTC_INSTANTS, zonedInstant } from '../instants.ts';
import { formatCount, plural } from '../numbers.ts';
import { alignColumns, type Line, type Span, type Style } from '../terminal/styled-line.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { treeLines, type Branch } from '../terminal/tree.ts';
import { firstBranches, MAX_NAMED_ITEMS } from './first-branches.ts';
import type { View } from './view.ts';
import { shortHash, ID } from './shared-columns.ts';

type Kind = 'added' | 'moved' | 'lost' | 'changed' | 'unknown';
const KINDS: readonly Kind[] = ['added', 'moved', 'lost', 'changed', 'unknown'];

const MARKS: Record<Kind, { mark: string; style: Style }> = {
  added: { mark: '+', style: 'good' },
  moved: { mark: '>', style: 'warn' },
  lost: { mark: '-', style: 'bad' },
  changed: { mark: '*', style: 'warn' },
  unknown: { mark: '?', style: 'warn' },
};

/** A change, with its kind. */
export type Change = { [K in Kind]: { change: K } & DiffReport[K][number] }[Kind];

/** Yields the changes of a report, kind by kind, at most `max` of each kind. */
export function* changesOf(report: DiffReport, kinds = KINDS, max = Infinity): Generator<Change> {
  for (const change of kinds)
    for (const row of report[change].slice(0, max)) yield { change, ...row } as Change;
}

/** A change as one line. `from` and `to` are the rows before it in the two walks, or the hashes of a changed row. */
export const changeView: View<Change> = {
  columns: [
    { name: 'mark', of: ({ change }) => MARKS[change].mark, style: ({ change }) => MARKS[change].style },
    { name: 'change', of: ({ change }) => change, whole: true, importance: 'essential' },
    { name: 'id', of: ({ id }) => id, ...ID },
    { name: 'from', of: (row) => endsOf(row).from },
    { name: 'to', of: (row) => endsOf(row).to },
    { name: 'reason', of: reasonOf },
    { name: 'fields', of: (row) => (row.change === 'changed' ? fieldsOf(row) : undefined) },
  ],
};

function fieldsOf({ fields }: DiffReport['changed'][number]): string {
  return fields.join(', ');
}

function reasonOf(row: Change): string | undefined {
  if (row.change === 'unknown') return row.reason;
  return row.change === 'changed' && row.withheld !== undefined ? `withheld_in_${row.withheld}` : undefined;
}

type Ends = { from?: string | null; to?: string | null };

function endsOf(row: Change): Ends {
  if (row.change === 'moved') return { from: row.from.after, to: row.to.after };
  if (row.change === 'changed') return { from: row.from.sha256, to: row.to.sha256 };
  const isInA = row.change === 'lost' || (row.change === 'unknown' && row.side === 'a');
  return isInA ? { from: row.after } : { to: row.after };
}

/** Returns the comparison of two frozen walks: the counts in one line, both walks, then the changes by kind. */
export function diffLines(report: DiffReport, canvas: Canvas): Line[] {
  const kinds = KINDS.filter((kind) => report[kind].length > 0);
  const counts = kinds.flatMap((kind): Span[] => [
    { text: `${formatCount(report[kind].length)} ${kind}`, style: MARKS[kind].style },
    kind === 'changed' ? `${withheldPart(report)}, ` : ', ',
  ]);
  return [
    [
      ...(counts.length === 0 ? [{ text: 'no difference', style: 'good' } as const, ', '] : counts),
      `${formatCount(report.same)} the same`,
    ],
    ...alignColumns([headCells('a', report.a, canvas), headCells('b', report.b, canvas)]),
    ...treeLines(
      kinds.map((kind): Branch => {
        const { mark, style } = MARKS[kind];
        const count = report[kind].length;
        const changes = [...changesOf(report, [kind], MAX_NAMED_ITEMS)];
        return {
          line: [{ text: `${mark} ${kind}`, style }, ` ${formatCount(count)}`],
          children: firstBranches(changes, (change) => ({ line: changeLine(change, report) }), count),
        };
      }),
      canvas,
    ),
  ];
}

/** Returns how many of the changed rows only one walk shows; empty without such. */
function withheldPart({ changed }: DiffReport): string {
  const parts = (['a', 'b'] as const).flatMap((side) => {
    const count = changed.filter(({ withheld }) => withheld === side).length;
    return count === 0 ? [] : [`${formatCount(count)} withheld in ${side} alone`];
  });
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function headCells(side: string, walk: FrozenWalk, { instants = UTC_INSTANTS }: Canvas): Span[] {
  const tier = walk.tier === null ? '' : ` at tier ${walk.tier}`;
  const rows = `${plural(walk.conversations, 'row')} in ${plural(walk.windows, 'window')}${tier}`;
  return [
    { text: side, style: 'dim' },
    { text: walk.dir, style: 'id' },
    rows,
    walk.complete
      ? { text: `complete ${zonedInstant(walk.finished_at ?? '', instants)}`, style: 'good' }
      : { text: 'end not recorded', style: 'warn' },
    { text: walk.head === null ? 'empty' : shortHash(walk.head), style: 'dim' },
  ];
}

function changeLine(row: Change, report: DiffReport): Line {
  return [
    { text: row.id, style: 'id' },
    { text: `  ${detailOf(row, report)}`, style: 'dim' },
  ];
}

function detailOf(row: Change, { a, b }: DiffReport): string {
  const after = (id: string | null): string => (id === null ? 'at the start' : `after ${id}`);
  if (row.change === 'moved') return `${after(row.from.after)}, now ${after(row.to.after)}`;
  if (row.change === 'changed') {
    // Of a row that only one walk shows, no field can be compared.
    const what = row.withheld === undefined ? fieldsOf(row) : `withheld in ${row.withheld}`;
    const fields = what === '' ? '' : `${what}: `;
    return `${fields}${shortHash(row.from.sha256)}, now ${shortHash(row.to.sha256)}`;
  }
  if (row.change !== 'unknown') return after(row.after);
  const [own, other] = row.side === 'a' ? [a, b] : [b, a];
  return `${after(row.after)} in ${own.dir}; ${other.dir} ${UNKNOWN[row.reason]}`;
}

const UNKNOWN: Record<DiffReport['unknown'][number]['reason'], string> = {
  not_reached: 'ended before this row',
  out_of_range: 'excluded it by its range',
  no_place: 'read it but found no place for it',
};

/** A frozen window as one line. */
export const windowView: View<WalkedWindow> = {
  columns: [
    { name: 'window', of: (row) => row.window, align: 'right' },
    { name: 'after', of: (row) => row.after, whole: true },
    { name: 'conversations', of: (row) => row.conversations, align: 'right' },
    { name: 'reads', of: (row) => row.reads, align: 'right' },
    { name: 'disagreements', of: (row) => row.disagreements, align: 'right' },
    { name: 'drift_ratio', of: (row) => row.drift_ratio, align: 'right' },
  ],
};
