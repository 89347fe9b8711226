// A page of a list whose service is not known: rows found in any plausible body, each with the id that its cursor is.
import * as z from 'zod';
import { Fault } from '../faults.ts';
import { parseResponse, type ApiResponse } from './response.ts';
import { safeText } from './safe-text.ts';

/** Fields by dot path. `data` is undefined where the rows are to be found; `position` where no field numbers them. */
export type ListShape = { id: string; data?: string | undefined; position?: string | undefined };

/** `row` is as received; `sequence` its position, where it is an integer that is exact. */
export type GenericRow = { id: string; sequence?: number; row: Record<string, unknown> };
export type GenericPage = { rows: GenericRow[]; data: string; has_more?: boolean; drift_ratio?: number };

/** Names under which services send the rows of a list, looked for in this order. */
const COMMON_LIST_FIELDS = ['data', 'items', 'results'];
/** A cursor travels in an address. */
const MAX_ID_LENGTH = 1000;

/**
 * `data` of the page names where its rows were, empty for a bare array: the next pages have them there too. Throws a
 * protocol Fault where there is no list, or a row has no id.
 */
export function parseGenericPage(answer: ApiResponse, shape: ListShape): GenericPage {
  const { body } = parseResponse(answer, z.unknown());
  const data = shape.data ?? findListField(body);
  const found = valueAtPath(body, data);
  if (!Array.isArray(found)) {
    const where = data === '' ? 'answer is no list' : `answer has no list at ${safeText(data, 60)}`;
    throw new Fault('protocol', where, { hint: '--data-field names the field that holds the rows' });
  }
  const has_more = valueAtPath(body, 'has_more');
  const drift_ratio = valueAtPath(body, 'drift_ratio');
  return {
    rows: found.map((row: unknown, index) => parseGenericRow(row, index, shape)),
    data,
    ...(typeof has_more === 'boolean' ? { has_more } : {}),
    ...(typeof drift_ratio === 'number' ? { drift_ratio } : {}),
  };
}

/** The value at a dot path of own fields; the empty path is the whole. */
export function valueAtPath(value: unknown, path: string): unknown {
  return path === ''
    ? value
    : path
        .split('.')
        .reduce<unknown>(
          (found, key) => (isRecord(found) && Object.hasOwn(found, key) ? found[key] : undefined),
          value,
        );
}

/** The usual name, else the only array, else the only array that has objects in it. */
function findListField(body: unknown): string {
  if (!isRecord(body)) return '';
  const arrays = Object.keys(body).filter((name) => Array.isArray(body[name]) && !name.includes('.'));
  const usual = COMMON_LIST_FIELDS.find((name) => arrays.includes(name));
  if (usual !== undefined) return usual;
  const filled = arrays.filter((name) => (body[name] as unknown[]).some(isRecord));
  const [only, ...others] = arrays.length === 1 ? arrays : filled;
  if (only !== undefined && others.length === 0) return only;
  throw new Fault('protocol', `answer has ${arrays.length === 0 ? 'no list' : 'several lists'} in it`, {
    hint: '--data-field names the field that holds the rows',
  });
}

function parseGenericRow(row: unknown, index: number, { id: name, position }: ListShape): GenericRow {
  const value = valueAtPath(row, name);
  const id = typeof value === 'number' ? String(value) : value;
  if (!isRecord(row) || typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) {
    throw new Fault('protocol', `row ${index + 1} of a page has no id at ${safeText(name, 60)}`, {
      hint: '--id-field names the field that cursors are',
    });
  }
  const sequence = position === undefined ? undefined : valueAtPath(row, position);
  return { id, row, ...(Number.isSafeInteger(sequence) ? { sequence: sequence as number } : {}) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
