// Parsers of the lists of the interface: each row is read by the fields of its record.
import type * as z from 'zod';
import { safeText } from './safe-text.ts';
import { createListParser, type ListParser, type RowReader } from './list-parser.ts';
import type { ListKind } from './shapes/list-kinds.ts';
import type { JsonRecord } from './shapes/json-path.ts';
import { createRecordReader, type DropField } from './shapes/record-fields.ts';

/** Where diagnostic lines and notices go. */
export type Messages = {
  log?: ((line: string) => void) | undefined;
  notice?: ((line: string) => void) | undefined;
};

/** What helps where a list or the ids of its rows are not found. */
const HINT = 'arx api PATH shows what the service answers';
const HINTS = { rows: HINT, id: HINT };

type RowOf<Fields extends z.ZodRawShape> = z.infer<z.ZodObject<Fields, z.core.$loose>>;

/** Returns the parser of a list whose rows have ids. The id of each row is in its field `id`. */
export function createRecordListParser<Fields extends z.ZodRawShape>(
  kind: ListKind<Fields>,
  options: Messages & { remembers?: boolean },
): ListParser<RowOf<Fields>> {
  return createListParser({
    ...kind,
    hints: HINTS,
    log: options.log,
    remembers: options.remembers,
    reader: rowReader(kind, options),
  });
}

/** An entry of a sequence. `id` is undefined where a service gives its entries none. */
export type SequenceRow<Row> = { id: string | undefined; row: Row };

/** Returns the parser of the entries of a sequence. An entry with neither `entry` nor `id` gets an `id`; it may be a text. */
export function createSequenceParser<Fields extends z.ZodRawShape>(
  kind: ListKind<Fields>,
  messages: Messages,
): ListParser<SequenceRow<RowOf<Fields>>> {
  const reader = createRecordReader(kind);
  const drop = dropNotices(kind.list, messages);
  return createListParser({
    ...kind,
    log: messages.log,
    hints: HINTS,
    isLoose: true,
    reader: {
      read(fields, id) {
        const isNamed = fields['entry'] !== undefined || fields['id'] !== undefined;
        const read = reader.read(isNamed ? fields : withId(fields, id), drop);
        return 'issue' in read ? read : { row: { id, row: read.row }, isRepaired: true };
      },
      otherSpellings: reader.otherSpellings,
    },
  });
}

function rowReader<Fields extends z.ZodRawShape>(
  kind: ListKind<Fields>,
  messages: Messages,
): RowReader<RowOf<Fields>> {
  const reader = createRecordReader(kind);
  const drop = dropNotices(kind.list, messages);
  return {
    read(fields, id) {
      const record = withId(fields, id);
      const read = reader.read(record, drop);
      return 'issue' in read ? read : { row: read.row, isRepaired: read.isRepaired || record !== fields };
    },
    otherSpellings: reader.otherSpellings,
  };
}

/** Returns what writes one notice for each field that is left out. `where` says of which records: ` in some rows`. */
export function dropNotices(list: string, { notice }: Messages, where = ' in some rows'): DropField {
  const said = new Set<string>();
  return (field, what) => {
    if (said.has(field)) return;
    said.add(field);
    notice?.(`${list}: field ${safeText(field, 60)} is no ${what}${where}; left out`);
  };
}

function withId(fields: JsonRecord, id: string | undefined): JsonRecord {
  if (id === undefined || fields['id'] === id) return fields;
  const row: JsonRecord = { id, ...fields };
  row['id'] = id;
  return row;
}
