// How counts of attachments by a value are shown.
import type { AttachmentCount } from '../../contract/reports/attachment-count.ts';
import { formatBytes } from '../numbers.ts';
import type { View } from './view.ts';

/** Returns the view of counts. `what`: what the values are, such as `city`. */
export function attachmentCountView(what: string): View<AttachmentCount> {
  return {
    columns: [
      {
        name: what,
        of: (row) => row.value,
        shown: (row) => row.value ?? '(not shown)',
        field: 'value',
        style: (row) => (row.value === null ? 'dim' : 'id'),
        minColumns: 16,
        importance: 'essential',
      },
      { name: 'files', of: (row) => row.files, align: 'right' },
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
