// Reads the body of one record: the record itself, or wrapped in another object, e.g. `{data: {…}}`.
import type * as z from 'zod';
import { wrongShape, type ApiResponse } from '../response.ts';
import { checkNoError } from './body-error.ts';
import { fieldsOfRow, findFields } from './find-id.ts';
import { isRecord, keysByName, ownField, type JsonRecord } from './json-path.ts';
import { createRecordReader, type DropField, type RecordKind } from './record-fields.ts';

/** How the body of one record is read. */
export type BodyKind<Fields extends z.ZodRawShape> = RecordKind<Fields> & {
  /** What the record is, as in messages: `conversation`. A body may wrap the record in a field of that name. */
  name: string;
  /** Further fields in which services wrap this record, in one spelling (see foldedName). */
  wrappers?: readonly string[];
  /** A field that never holds it, in one spelling. */
  outside?: string;
};

/** Returns the kind with the types of its fields. */
export function kindOf<Fields extends z.ZodRawShape>(kind: BodyKind<Fields>): BodyKind<Fields> {
  return kind;
}

/** Reads a body. `id` is the id that was asked for. Throws Fault 'protocol' where no part of the body is such a record, or it reports an error. */
export type ReadBody<T> = (body: unknown, answer: ApiResponse, id?: string) => T;

/** Names of fields in which services wrap a record, in one spelling (see foldedName). */
const WRAPPERS =
  'data result record item resource response payload value content doc document body entity'.split(' ');
/** `{data: {result: {view, data: {…}}}}` has three. */
const MAX_DEPTH = 3;

/** Returns the function that reads records of one kind. `drop` is called for fields that are left out. */
export function createBodyReader<Fields extends z.ZodRawShape>(
  kind: BodyKind<Fields>,
  drop: DropField,
): ReadBody<z.infer<z.ZodObject<Fields, z.core.$loose>>> {
  const reader = createRecordReader(kind);
  return (body, answer, id) => {
    let first: { path: string[]; issue: z.core.$ZodIssue | undefined } | undefined;
    const found: { record: z.infer<z.ZodObject<Fields, z.core.$loose>>; dropped: [string, string][] }[] = [];
    for (const { path, record } of recordsIn(body, kind)) {
      const dropped: [string, string][] = [];
      const parsed = reader.read(record, (field, what) => void dropped.push([field, what]));
      if ('row' in parsed) found.push({ record: parsed.row, dropped });
      // Of nested objects the innermost one names the wrong field best.
      else if (first === undefined || path.length > first.path.length) first = { path, issue: parsed.issue };
    }
    const best = found.find(({ record }) => id !== undefined && ownField(record, 'id') === id) ?? found[0];
    if (best === undefined) {
      checkNoError(body, answer.status);
      const issue = first ?? { path: [], issue: kind.schema.safeParse(body).error?.issues[0] };
      throw wrongShape(issue.path, issue.issue, answer);
    }
    for (const [field, what] of best.dropped) drop(field, what);
    return best.record;
  };
}

/** Returns the objects of a body that may be the record, the outermost first. */
export function recordsIn(
  body: unknown,
  { name, wrappers = [], outside }: Pick<BodyKind<z.ZodRawShape>, 'name' | 'wrappers' | 'outside'>,
): { path: string[]; record: JsonRecord }[] {
  const names = new Set([name, ...wrappers, ...WRAPPERS].filter((each) => each !== outside));
  const found: { path: string[]; record: JsonRecord }[] = [];
  const add = (value: unknown, path: string[]): void => {
    if (Array.isArray(value) && value.length === 1) return add(value[0], [...path, '0']);
    if (!isRecord(value)) return;
    const place = findFields([value]);
    const record = fieldsOfRow(value, place);
    if (record !== undefined) found.push({ path: place === '' ? path : [...path, place], record });
    if (path.length < MAX_DEPTH) {
      const keys = keysByName(value);
      for (const wrapper of names) {
        const key = keys.get(wrapper);
        if (key !== undefined) add(value[key], [...path, key]);
      }
    }
  };
  add(body, []);
  return found;
}
