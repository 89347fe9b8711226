// Small files of a frozen walk that only grow: one JSON value a line, durable, and a line torn by a kill is ignored.
import type * as z from 'zod';
import { exceededLimit } from '../../contract/json-size.ts';
import { parseJsonBytes } from '../../contract/json-text.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { bytesOfWholeLines } from '../../disk/lines.ts';
import { openRegularFile, readBytesIfExists } from '../../disk/regular-file.ts';
import { Fault } from '../../faults.ts';

const NEWLINE = 10;
/** Enough for a million ids. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Of one line. The schemas know only flat lists. */
const MAX_JSON = { maxDepth: 16, maxValues: 4_000_000 };

/**
 * Returns the values of all whole lines; none when there is no file. Throws Fault `integrity` for a line of another shape
 * and for bytes that are not UTF-8, `unsafe` for a file of more than 64 MiB.
 */
export async function readJsonLines<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const bytes = await readBytesIfExists(path, MAX_FILE_BYTES).catch((error: unknown) => {
    throw diskFault(error, path);
  });
  return bytes === undefined ? [] : parseJsonLines(bytes, path, schema);
}

/** Returns the values of the whole lines of a file. Throws Fault `integrity` as {@link readJsonLines} does. */
export function parseJsonLines<T>(bytes: Buffer, path: string, schema: z.ZodType<T>): T[] {
  const values: T[] = [];
  for (let start = 0, end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const line = bytes.subarray(start, end);
    const value = schema.safeParse(exceededLimit(line, MAX_JSON) ? undefined : parseJsonBytes(line));
    if (!value.success) throw new Fault('integrity', `${path} is damaged`);
    values.push(value.data);
    start = end + 1;
  }
  return values;
}

/** Appends a line, durably, after removing a torn one. Throws Fault `disk` or `unsafe`. */
export async function appendLine(path: string, value: object): Promise<void> {
  try {
    const file = await openRegularFile(path);
    try {
      // A torn line would join with the new one into a damaged line.
      await file.truncate(await bytesOfWholeLines(file, (await file.stat()).size, MAX_FILE_BYTES));
      await file.appendFile(`${JSON.stringify(value)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw diskFault(error, path);
  }
}
