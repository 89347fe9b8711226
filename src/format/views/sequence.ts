// How a sequence is shown: the reported and the checked position of each entry (interface 4.4).
import type { SequenceReading } from '../../contract/reports/sequence-reading.ts';
import type { Position } from '../../contract/sequence.ts';
import { formatCount } from '../numbers.ts';
import { viewOfPresentFields } from './columns-for-rows.ts';
import type { View } from './view.ts';
import { statusStyle, ID } from './shared-columns.ts';

const view: View<Position> = {
  columns: [
    {
      name: 'entry',
      of: (row) => row.entry,
      ...ID,
      instead: { names: ['id', 'key'] },
    },
    {
      name: 'message',
      field: 'message_id',
      whole: true,
      of: (row) => row.message_id,
      instead: { names: ['message'] },
    },
    {
      name: 'reported',
      of: (row) => row.reported,
      align: 'right',
      importance: 'essential',
    },
    { name: 'checked', of: (row) => row.checked, align: 'right', importance: 'essential' },
    {
      name: 'offset',
      of: (row) => row.offset,
      shown: ({ offset = 0 }) => (offset > 0 ? `+${formatCount(offset)}` : formatCount(offset)),
      align: 'right',
      style: ({ offset = 0 }) => (offset === 0 ? 'dim' : offset > 0 ? 'warn' : 'id'),
    },
    { name: 'source', of: (row) => row.source, whole: true, importance: 'low' },
    { name: 'status', of: (row) => row.status, style: (row) => statusStyle(row.status), whole: true },
  ],
};

/** Returns the view of the entries of a sequence. Entries of our service have all of its columns. */
export function positionView(rows: readonly Position[]): View<Position> {
  const isOurs = rows.every(
    ({ reported, checked, offset }) =>
      reported !== undefined && checked !== undefined && offset !== undefined,
  );
  return isOurs ? view : viewOfPresentFields(view, rows);
}

/** What a sequence was at a moment. */
export const sequenceReadingView: View<SequenceReading> = {
  columns: [
    { name: 'at', of: ({ at }) => at, instant: ({ at }) => at, precision: 'second' },
    {
      name: 'drift_ratio',
      of: (row) => row.drift_ratio,
      align: 'right',
      importance: 'essential',
      style: ({ drift_ratio }) => ((drift_ratio ?? 0) > 0 ? 'warn' : 'good'),
    },
    {
      name: 'displaced',
      of: (row) => row.displaced,
      align: 'right',
      importance: 'essential',
      style: ({ displaced }) => ((displaced ?? 0) > 0 ? 'warn' : undefined),
    },
    { name: 'positions', of: (row) => row.positions, align: 'right' },
  ],
};
