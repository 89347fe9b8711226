// How a sequence is shown: the reported and the checked position of each entry (interface 4.4).
import type { Position } from '../../contract/sequence.ts';
import { formatCount } from '../numbers.ts';
import type { View } from './view.ts';
import { statusStyle, ID_COLUMNS } from './shared-columns.ts';

/** An entry of a sequence. */
export const positionView: View<Position> = {
  columns: [
    { name: 'entry', of: (row) => row.entry, style: 'id', minColumns: ID_COLUMNS },
    { name: 'message', of: (row) => row.message_id },
    { name: 'reported', of: (row) => row.reported, align: 'right', minColumns: 8 },
    { name: 'checked', of: (row) => row.checked, align: 'right', minColumns: 8 },
    {
      name: 'offset',
      of: (row) => row.offset,
      shown: (row) => (row.offset > 0 ? `+${formatCount(row.offset)}` : formatCount(row.offset)),
      align: 'right',
      style: (row) => (row.offset === 0 ? 'dim' : row.offset > 0 ? 'warn' : 'id'),
    },
    { name: 'source', of: (row) => row.source },
    { name: 'status', of: (row) => row.status, style: (row) => statusStyle(row.status) },
  ],
};
