// How the fields of a record are listed.
import type { RecordField } from '../../contract/record-fields.ts';
import { ID } from './shared-columns.ts';
import type { View } from './view.ts';

/** A field that `--fields` takes. `only_selected`: records have it only where `--fields`, `--template` or `--jq` names it. */
export type SelectableField = RecordField & { only_selected: boolean };

/** A field that `--fields` takes. */
export const recordFieldView: View<SelectableField> = {
  columns: [
    { name: 'name', of: (row) => row.name, ...ID },
    { name: 'type', of: (row) => row.type, minColumns: 12, importance: 'essential' },
    { name: 'required', of: (row) => row.required, shown: (row) => (row.required ? 'always there' : '') },
    {
      name: 'only_selected',
      of: (row) => row.only_selected,
      shown: (row) => (row.only_selected ? 'only where it is named' : ''),
    },
  ],
};
