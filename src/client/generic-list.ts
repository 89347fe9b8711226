// Parses a page of any service's list: finds the rows in the body and the id of each row.
import * as z from 'zod';
import { Fault } from '../faults.ts';
import { parseResponse, type ApiResponse } from './response.ts';
import { safeText } from './safe-text.ts';

/**
 * Where a list keeps its fields, as dot paths. Without `data` the field with the rows is searched for. Without `position`
 * the rows have no numbers.
 */
export type ListShape = { id: string; data?: string | undefined; position?: string | undefined };

/** `row` is as received. `sequence` is its position, where that is an integer of at most 2^53. */
export type GenericRow = { id: string; sequence?: number; row: Record<string, unknown> };
/** `data` names the field where the rows were, '' for a bare array. */
export type GenericPage = { rows: GenericRow[]; data: string; has_more?: boolean; drift_ratio?: number };

/** Names that services commonly use for the rows of a list, in the order of the search. */
const COMMON_LIST_FIELDS = ['data', 'items', 'results'];
/** A cursor is part of a URL, whose length servers limit. */
const MAX_ID_LENGTH = 1000;

/**
 * Returns the rows of a page. Pass the `data` of the first page for the next pages.
 * Throws Fault 'protocol' where the body has no list, or a row has no id.
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

/** Returns the value at a dot path of own fields, undefined where there is none. The empty path is the whole value. */
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

/** Returns the field with the rows: a common name, else the only array, else the only array of objects. */
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
