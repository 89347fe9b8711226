// How the fields of a record are listed.
import type { RecordField } from '../../contract/record-fields.ts';
import type { View } from './view.ts';

/** A field that `--fields` takes. */
export const recordFieldView: View<RecordField> = {
  columns: [
    { name: 'name', of: (row) => row.name, style: 'id', minColumns: 24 },
    { name: 'type', of: (row) => row.type, minColumns: 20 },
    { name: 'required', of: (row) => row.required, shown: (row) => (row.required ? 'always there' : '') },
  ],
};
