// How an attachment is shown (interface 2.1). A withheld one has all columns that the service gave.
import type { Attachment } from '../../contract/attachment.ts';
import {
  fileStateOf,
  fileStateWords,
  isNameWithheld,
  isPullable,
  reasonOf,
} from '../../contract/attachment-file.ts';
import { formatBytes } from '../numbers.ts';
import type { View } from './view.ts';
import { integrityColumn, isNumber, shortHash, ID } from './shared-columns.ts';

/** What a table shows in place of a name that the reader may not know. */
const NAME_WITHHELD = '(withheld)';

/** Columns of the longest state, `available`, and of `withheld…` where its reason is cut. */
const STATE_COLUMNS = 9;

/** An attachment. */
export const attachmentView: View<Attachment> = {
  columns: [
    { name: 'id', of: (row) => row.id, ...ID, link: (row) => row.file_url },
    {
      name: 'state',
      of: fileStateOf,
      shown: fileStateWords,
      style: (row) => (isPullable(row) ? undefined : 'warn'),
      // The reason gives way, the word before it does not.
      minColumns: STATE_COLUMNS,
      goodColumns: 36,
      importance: 'essential',
    },
    {
      name: 'filename',
      of: (row) => (isNameWithheld(row) ? undefined : row.filename),
      shown: (row) => (isNameWithheld(row) ? NAME_WITHHELD : (row.filename ?? '')),
      style: (row) => (isPullable(row) ? undefined : 'dim'),
      minColumns: 16,
      importance: 'essential',
      link: (row) => row.file_url,
      instead: { names: ['title'] },
    },
    { name: 'type', of: (row) => row.content_type, minColumns: 10 },
    {
      name: 'bytes',
      of: (row) => row.bytes,
      shown: (row) => (row.bytes === undefined ? '' : formatBytes(row.bytes)),
      align: 'right',
      instead: {
        names: ['size', 'file_size', 'length'],
        fits: isNumber,
        shown: (value) => formatBytes(Number(value)),
      },
    },
    { name: 'city', of: (row) => row.origin_city, instead: { names: ['location'] } },
    { name: 'source', of: (row) => row.source, whole: true, importance: 'low' },
    { name: 'sequence', of: (row) => row.sequence, detail: true },
    { name: 'detected_type', of: (row) => row.detected_type, detail: true },
    { name: 'trailing_bytes', of: (row) => row.trailing_bytes, detail: true },
    { name: 'reason', of: (row) => reasonOf(row) ?? undefined, detail: true },
    { name: 'first_visible', of: (row) => row.first_visible, detail: true },
    { name: 'decorative_layer', of: (row) => row.decorative_layer, detail: true },
    { name: 'url', of: (row) => row.file_url, detail: true, link: (row) => row.file_url },
    { ...integrityColumn, detail: true },
    {
      name: 'sha256',
      of: (row) => row.sha256,
      shown: (row) => shortHash(row.sha256 ?? ''),
      style: 'dim',
      whole: true,
      importance: 'low',
    },
    { name: 'message', of: (row) => row.message_id, whole: true, importance: 'low' },
  ],
};

/** An attachment without its address: where nothing listens at it, or where it says nothing to a reader. */
export const attachmentViewWithoutUrl: View<Attachment> = {
  columns: attachmentView.columns.filter(({ name }) => name !== 'url'),
};
