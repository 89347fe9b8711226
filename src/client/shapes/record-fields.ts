// Reads one record by its schema, and repairs fields that a service writes in another way. What cannot be repaired is left out.
import * as z from 'zod';
import { isoInstant } from '../../contract/instant-forms.ts';
import { ExactNumber } from '../../contract/exact-json.ts';
import { foldedName, spellingLookup } from '../../contract/field-names.ts';
import { flagOf } from '../../contract/flag.ts';
import { decimalOf } from '../../contract/json-text.ts';
import { noteReadNames } from '../../contract/read-names.ts';
import { isRecord, ownField, type JsonRecord } from './json-path.ts';
import { numberOf } from './page-facts.ts';
import { isNullText, withoutNullTexts, withPlainValues } from './plain-values.ts';
import { usualRecordTest } from './usual-record.ts';

/** How a record of the interface is read. */
export type RecordKind<Fields extends z.ZodRawShape> = {
  schema: z.ZodObject<Fields, z.core.$loose>;
  /** Names under which the id may stand, the likeliest first; none for a record without an id. */
  ids?: readonly string[];
  /** Fields that are instants. */
  dates?: readonly (keyof Fields & string)[];
  /** Fields that count something; a list of these things is counted. */
  counts?: readonly (keyof Fields & string)[];
  /** Fields that name a person. */
  people?: readonly (keyof Fields & string)[];
  /** Other names of fields. */
  aliases?: readonly Alias<keyof Fields & string>[];
  /**
   * Returns fields that replace those of the record before it is read; undefined where it stays as it is. It gets the fields under
   * our names. Its symbols stay in the row: they say what the fields do not.
   */
  prepare?: (record: JsonRecord, drop: DropField) => JsonRecord | undefined;
};

/** A field of the interface, and other names of it. */
export type Alias<Field> = {
  field: Field;
  /** Folded names (see foldedName), the likeliest first. */
  names: readonly string[];
  /** Returns whether a value of such a name is meant. */
  fits: (value: unknown, record: JsonRecord) => boolean;
};

/** What a name means that is no field. `rank`: the likelier the lower; 0 for another spelling of the field. */
type Meaning = { field: string; rank: number; fits: (value: unknown, record: JsonRecord) => boolean };

/** Is called for a field that was left out, and is not null. `what` says what it is not: `number`. */
export type DropField = (field: string, what: string) => void;

/** A record as it was read. `isRepaired`: some field differs from what was received. `issue`: why it is no such record. */
export type ReadRecord<T> = { row: T; isRepaired: boolean } | { issue: z.core.$ZodIssue | undefined };

/** Reads records of one kind. */
export type RecordReader<T> = {
  read(record: JsonRecord, drop: DropField): ReadRecord<T>;
  /** Returns our names of fields that the record spells in another way: our name → its name. */
  otherSpellings(record: JsonRecord): Record<string, string>;
};

/** Fields without words: an address, a hash and a number. */
const NO_WORDS: ReadonlySet<string> = new Set(['file_url', 'sha256', 'bytes']);
/** After so many records zod makes a function for the schema. On Node 20 that took as long as 500 records read without one (6 ms and 12 µs). */
const MAX_INTERPRETED_RECORDS = 500;
const INTERPRETED = { jitless: true };

/** Returns a reader of records of one kind. */
export function createRecordReader<Fields extends z.ZodRawShape>(
  kind: RecordKind<Fields>,
): RecordReader<z.infer<z.ZodObject<Fields, z.core.$loose>>> {
  const { schema, prepare } = kind;
  const fields = new Map(Object.entries(schema.shape as unknown as Record<string, z.ZodType>));
  const meaningNamed = spellingLookup(meaningsOf(fields.keys(), kind.aliases ?? []));
  const has = (list: readonly string[] | undefined, name: string): boolean => list?.includes(name) === true;

  /** Returns the field that another name means in this record; undefined where the record has the field itself. */
  const meaningOf = (name: string, record: JsonRecord): Meaning | undefined => {
    if (fields.has(name)) return undefined;
    const meaning = meaningNamed(name);
    if (meaning === undefined || Object.hasOwn(record, meaning.field)) return undefined;
    return meaning.fits(record[name], record) ? meaning : undefined;
  };
  function otherSpellings(record: JsonRecord): Record<string, string> {
    /** Without a name where two are equally likely. */
    const found = new Map<string, { rank: number; name: string | undefined }>();
    for (const name of Object.keys(record)) {
      const { field, rank } = meaningOf(name, record) ?? {};
      if (field === undefined || rank === undefined) continue;
      const best = found.get(field);
      if (best === undefined || rank < best.rank) found.set(field, { rank, name });
      else if (rank === best.rank) best.name = undefined;
    }
    const named = [...found].flatMap(([field, { name }]) => (name === undefined ? [] : [[field, name]]));
    return Object.fromEntries(named) as Record<string, string>;
  }
  const dates = kind.dates ?? [];
  /** Most rows need no repair, so this is fast. */
  const isPlain = (record: JsonRecord): boolean => {
    for (const name in record) if (meaningOf(name, record) !== undefined) return false;
    return dates.every((name) => isoInstant(record[name]) === undefined);
  };

  /** Fields in which empty text and `null` are no values. */
  const nullable = [...fields.keys()].filter(
    (name) => dates.includes(name) || NO_WORDS.has(name) || name.endsWith('_id'),
  );

  /** `exact`: numbers that were rounded for the schema alone. */
  function repaired(
    record: JsonRecord,
    drop: DropField,
  ): { fields: JsonRecord; exact: JsonRecord; names: Record<string, string> } {
    const names = otherSpellings(record);
    const made = new Map(Object.entries(record));
    const exact = new Map<string, ExactNumber>();
    for (const [name, field] of fields) {
      const given = ownField(record, names[name] ?? name);
      const value = nullable.includes(name) && isNullText(given) ? null : given;
      if (value === undefined) continue;
      const fit = readings(value, {
        isDate: has(kind.dates, name),
        isCount: has(kind.counts, name),
        isPerson: has(kind.people, name),
        isWhole: isWhole(field),
      }).find((reading) => field.safeParse(reading).success);
      if (fit !== undefined) {
        made.set(name, fit);
        if (value instanceof ExactNumber && typeof fit === 'number') exact.set(name, value);
      } else if (field.safeParse(undefined).success) {
        made.delete(name);
        if (value !== null) drop(names[name] ?? name, typeWords(field));
      }
    }
    return { fields: Object.fromEntries(made), exact: Object.fromEntries(exact), names };
  }

  const isUsual = usualRecordTest(fields, dates);
  let read = 0;
  return {
    read(received, onDrop) {
      // Nothing of a usual record is in another form, except for text that means null.
      const wasUsual = isUsual(received);
      const record = withoutNullTexts(wasUsual ? received : withPlainValues(received), nullable);
      const isAsOurs = record === received ? wasUsual : isUsual(record);
      const names = prepare === undefined || isAsOurs ? {} : otherSpellings(record);
      const drop: DropField = (field, what) => onDrop(names[field] ?? field, what);
      const named = withOurNames(record, names);
      const completed = named === record ? record : withoutNullTexts(named, nullable);
      const prepared = prepare?.(completed, drop) ?? completed;
      if (prepared === received && isAsOurs)
        return { row: record as z.infer<typeof schema>, isRepaired: false };
      if (isPlain(prepared)) {
        const parsed = schema.safeParse(prepared, read < MAX_INTERPRETED_RECORDS ? INTERPRETED : undefined);
        read += 1;
        if (parsed.success)
          return prepared === received
            ? { row: parsed.data, isRepaired: false }
            : finished(parsed.data, prepared, names);
      }
      const { fields: repairs, exact, names: others } = repaired(withId(prepared, kind.ids), drop);
      const parsed = schema.safeParse(repairs);
      // A number is shown with the digits that were received.
      return parsed.success
        ? finished(Object.assign(parsed.data, exact), prepared, { ...names, ...others })
        : { issue: parsed.error.issues[0] };
    },
    otherSpellings,
  };
}

/** Returns the meanings of names by their folded names. */
function meaningsOf(
  fields: Iterable<string>,
  aliases: readonly Alias<string>[],
): ReadonlyMap<string, Meaning> {
  const others = aliases.flatMap(({ field, names, fits }) =>
    names.map((name, at): [string, Meaning] => [name, { field, rank: at + 1, fits }]),
  );
  const own = [...fields].map((field): [string, Meaning] => [
    foldedName(field),
    { field, rank: 0, fits: () => true },
  ]);
  return new Map([...others, ...own]);
}

/** Returns the record with the fields that it spells in another way also under our names. `names`: our name → its name. */
function withOurNames(record: JsonRecord, names: Record<string, string>): JsonRecord {
  const added = Object.entries(names).map(([ours, its]) => [ours, record[its]] as const);
  return added.length === 0 ? record : { ...record, ...Object.fromEntries(added) };
}

/** Returns a row that differs from what was received. `names`: our name → that of the record. */
function finished<T extends object>(
  row: T,
  record: JsonRecord,
  names: Record<string, string>,
): { row: T; isRepaired: true } {
  noteReadNames(row, Object.values(names));
  return { row: withSymbols(row, record), isRepaired: true };
}

/** Returns the row with the symbols of the record from which it was read: a schema copies none. */
function withSymbols<T extends object>(row: T, record: JsonRecord): T {
  const own: Record<symbol, unknown> = record;
  const symbols = Object.getOwnPropertySymbols(record);
  return Object.assign(row, Object.fromEntries(symbols.map((symbol) => [symbol, own[symbol]])));
}

/** Returns the record with its id in the field `id`. */
function withId(record: JsonRecord, names: readonly string[] = []): JsonRecord {
  if (names.length === 0 || Object.hasOwn(record, 'id')) return record;
  const name = names.find((each) => {
    const value = ownField(record, each);
    return typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber;
  });
  return name === undefined ? record : { id: record[name], ...record };
}

/** Yields a value as it is and in the other ways in which it may be meant. */
function readings(
  value: unknown,
  {
    isDate,
    isCount,
    isPerson,
    isWhole,
  }: { isDate: boolean; isCount: boolean; isPerson: boolean; isWhole: boolean },
): unknown[] {
  if (value instanceof ExactNumber) {
    const number = Number(value.text);
    const isRounded = decimalOf(value.text) !== decimalOf(String(number));
    return [
      isDate ? isoInstant(number) : undefined,
      value,
      isWhole && isRounded ? undefined : number,
      value.text,
    ].filter((reading) => reading !== undefined);
  }
  const isPlain = typeof value === 'number' || typeof value === 'bigint';
  return [
    isDate ? isoInstant(value) : undefined,
    value,
    numberOf(value),
    flagOf(value),
    isPlain && !isDate ? String(value) : undefined,
    isCount && Array.isArray(value) ? value.length : undefined,
    isPerson ? personOf(value) : undefined,
  ].filter((reading) => reading !== undefined);
}

/** Returns `Name <address>` of an object that describes a person, and of several persons with commas between them. */
export function personOf(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const people = value.map((each) => (typeof each === 'string' ? each : personOf(each)));
    return people.length === 0 || people.includes(undefined) ? undefined : people.join(', ');
  }
  if (!isRecord(value)) return undefined;
  const text = (...names: string[]): string | undefined =>
    names.map((name) => ownField(value, name)).find((each) => typeof each === 'string');
  const name = text('name', 'display_name', 'displayName', 'username');
  const address = text('address', 'email', 'email_address', 'emailAddress');
  if (name === undefined || address === undefined) return name ?? address;
  return `${name} <${address}>`;
}

/** Returns whether a field is a whole number. */
function isWhole(field: z.ZodType): boolean {
  const inner = innerType(field);
  return inner instanceof z.ZodNumber && inner.isInt;
}

function innerType(field: z.ZodType): z.ZodType {
  const isWrapped = field instanceof z.ZodOptional || field instanceof z.ZodNullable;
  return isWrapped ? innerType(field.unwrap() as z.ZodType) : field;
}

/** Says what a field should be. */
function typeWords(field: z.ZodType): string {
  const inner = innerType(field);
  if (inner instanceof z.ZodNumber) return 'usable number';
  if (inner instanceof z.ZodString) return 'usable text';
  return inner instanceof z.ZodBoolean ? 'true or false' : 'usable value';
}
