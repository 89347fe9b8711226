// Parses the pages of a list and reuses rows that an earlier page had, so that equal rows are checked once.
import type * as z from 'zod';
import { parseResponseWith, parseShape, type ApiResponse, type Reply } from './response.ts';

/** Bytes of JSON whose rows are remembered, the newest ones. A walk reads the same rows again within a short time. */
const MAX_REMEMBERED_BYTES = 4 * 1024 * 1024;

type Row = { id: string };

/**
 * Returns a function that parses responses by the schema of a list, as `parseResponse` does. A row that equals an earlier
 * one is returned as the same object, so callers must not change rows.
 */
export function createListParser<T extends z.ZodType<{ data: Row[] }>>(
  schema: T,
): (answer: ApiResponse) => Reply<z.infer<T>> {
  const known = new Map<string, { row: Row; bytes: number }>();
  let held = 0;
  const knownOf = (row: unknown): Row | undefined => {
    const before = known.get((row as Partial<Row> | null)?.id ?? '')?.row;
    return before !== undefined && isSame(before, row) ? before : undefined;
  };
  const forget = (id: string): void => {
    held -= known.get(id)?.bytes ?? 0;
    known.delete(id);
  };
  const remember = (row: Row, bytes: number): void => {
    forget(row.id);
    known.set(row.id, { row, bytes });
    held += bytes;
    for (const id of known.keys()) {
      if (held <= MAX_REMEMBERED_BYTES) return;
      forget(id);
    }
  };
  const listOf = (value: unknown, answer: ApiResponse): z.infer<T> => {
    const data = (value as { data?: unknown } | null)?.data;
    const before = Array.isArray(data) ? data.map(knownOf) : [];
    const isAnyKnown = before.some((row) => row !== undefined);
    const fresh = isAnyKnown ? (data as unknown[]).filter((_, at) => before[at] === undefined) : [];
    const parsed = isAnyKnown ? schema.safeParse({ ...(value as object), data: fresh }) : undefined;
    // Errors are reported for the whole page, so that the path names the row's place in it.
    if (parsed?.success !== true) {
      const list = parseShape(value, schema, answer);
      for (const row of list.data) remember(row, answer.bytes.length / list.data.length);
      return list;
    }
    for (const row of parsed.data.data) remember(row, answer.bytes.length / before.length);
    let next = 0;
    return { ...parsed.data, data: before.map((row) => row ?? parsed.data.data[next++]!) };
  };
  return (answer) => parseResponseWith(answer, (value) => listOf(value, answer));
}

/** Returns whether two JSON values are equal, with keys in any order. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) =>
        Object.hasOwn(other, key) &&
        isSame((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key]),
    )
  );
}
