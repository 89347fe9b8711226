// How counts of attachments by a value are shown.
import type { AttachmentCount } from '../../contract/reports/attachment-count.ts';
import { formatBytes } from '../numbers.ts';
import type { Canvas } from '../terminal/capabilities.ts';
import { NO_VALUE, type Column, type View } from './view.ts';

const MIN_BAR_COLUMNS = 12;
const MAX_BAR_COLUMNS = 24;
/** Columns that the others take on a screen of usual width. */
const OTHER_COLUMNS = 68;

/**
 * Returns the view of counts. `what`: what the values are, such as `city`. `bars`: the most files of a value, and the screen; each row
 * then has a bar as long as its files, solid as far as they are available.
 */
export function attachmentCountView(
  what: string,
  bars?: { most: number; canvas: Canvas },
): View<AttachmentCount> {
  return {
    columns: [
      {
        name: what,
        of: (row) => row.value,
        shown: (row) => row.value ?? NO_VALUE,
        field: 'value',
        style: (row) => (row.value === null ? 'dim' : 'id'),
        minColumns: 16,
        importance: 'essential',
      },
      { name: 'files', of: (row) => row.files, align: 'right' },
      ...(bars === undefined ? [] : [barColumn(bars.most, bars.canvas)]),
      { name: 'available', of: (row) => row.available, align: 'right' },
      {
        name: 'withheld',
        of: (row) => row.withheld,
        align: 'right',
        style: (row) => (row.withheld > 0 ? 'warn' : undefined),
      },
      {
        name: 'absent',
        of: (row) => row.absent,
        align: 'right',
        style: (row) => (row.absent > 0 ? 'warn' : undefined),
      },
      { name: 'bytes', of: (row) => row.bytes, shown: (row) => formatBytes(row.bytes), align: 'right' },
    ],
  };
}

function barColumn(most: number, { unicode, columns = Infinity }: Canvas): Column<AttachmentCount> {
  const room = Math.max(MIN_BAR_COLUMNS, Math.min(MAX_BAR_COLUMNS, columns - OTHER_COLUMNS));
  const [solid, pale] = unicode ? ['█', '░'] : ['#', '.'];
  const lengthOf = (files: number): number =>
    files === 0 ? 0 : Math.max(1, Math.round((files / most) * room));
  return {
    name: 'bar',
    of: ({ files, available }) => {
      const length = lengthOf(files);
      const solidLength = available === files ? length : Math.min(lengthOf(available), length - 1);
      return solid.repeat(solidLength) + pale.repeat(length - solidLength);
    },
    style: 'id',
    whole: true,
    importance: 'low',
  };
}
