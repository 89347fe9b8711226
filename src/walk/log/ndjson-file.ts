// Small files of a frozen walk that only grow: one JSON value a line, durable, and a line torn by a kill is ignored.
import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import type * as z from 'zod';
import { diskFault } from '../../disk/disk-fault.ts';
import { openRegularFile, readBytesIfExists } from '../../disk/regular-file.ts';
import { Fault } from '../../faults.ts';

/**
 * Returns the values of all whole lines; none when there is no file. Throws Fault `integrity` for a line of another shape
 * and for bytes that are not UTF-8.
 */
export async function readJsonLines<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const bytes = await readBytesIfExists(path).catch((error: unknown) => {
    throw diskFault(error, path);
  });
  const damage = new Fault('integrity', `${path} is damaged`);
  const whole = wholeLines(bytes ?? Buffer.alloc(0));
  // Decoding replaces bytes that are not UTF-8, and would so accept other ids than were written.
  if (!isUtf8(whole)) throw damage;
  const lines = whole.toString().split('\n').slice(0, -1);
  return lines.map((line) => {
    const value = schema.safeParse(parseJson(line));
    if (!value.success) throw damage;
    return value.data;
  });
}

/** Appends a line, durably, after removing a torn one. Throws Fault `disk` or `unsafe`. */
export async function appendLine(path: string, value: object): Promise<void> {
  try {
    const file = await openRegularFile(path);
    try {
      // A torn line would join with the new one into a damaged line.
      await file.truncate(wholeLines(await file.readFile()).length);
      await file.appendFile(`${JSON.stringify(value)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw diskFault(error, basename(path));
  }
}

/** Returns the bytes up to and with the last newline. */
function wholeLines(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

/** Returns the value of a JSON text; undefined for other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
