// The two views of a message as the client reads them.
import { LoreRecord, RawRecord } from '../../contract/content.ts';
import { MESSAGE_ALIASES } from './field-aliases.ts';
import { idNames } from './find-id.ts';
import { isRecord, ownField, type JsonRecord } from './json-path.ts';
import { kindOf } from './record-body.ts';

/** The lore view of a message (interface 4.3). */
export const LORE = kindOf({ name: 'message', schema: LoreRecord, ids: idNames('message') });

/** The raw view of a message (interface 4.3). */
export const RAW = kindOf({
  name: 'message',
  schema: RawRecord,
  ids: idNames('message'),
  dates: ['date'],
  people: ['from'],
  aliases: MESSAGE_ALIASES,
  prepare: withHeaderPairs,
});

/** Headers may be pairs, an object, or objects with a name and a value. */
function withHeaderPairs(record: JsonRecord): JsonRecord | undefined {
  const headers = ownField(record, 'headers');
  const pairs = isRecord(headers)
    ? Object.entries(headers).flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
    : Array.isArray(headers) && headers.every(isRecord)
      ? headers.map((each) => [ownField(each, 'name'), ownField(each, 'value')])
      : undefined;
  return pairs === undefined ? undefined : { ...record, headers: pairs };
}
