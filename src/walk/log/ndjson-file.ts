// Small files of a frozen walk that only grow: one JSON value a line, durable, and a line torn by a kill is ignored.
import { basename } from 'node:path';
import type * as z from 'zod';
import { diskFault } from '../../disk/disk-fault.ts';
import { openRegularFile, readTextIfExists } from '../../disk/regular-file.ts';
import { Fault } from '../../faults.ts';

/** Returns the values of all whole lines; none when there is no file. Throws Fault `integrity` for a line of another shape. */
export async function readJsonLines<T>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const text = await readTextIfExists(path).catch((error: unknown) => {
    throw diskFault(error, path);
  });
  const lines = (text ?? '').split('\n').slice(0, -1);
  return lines.map((line) => {
    const value = schema.safeParse(parse(line));
    if (!value.success) throw new Fault('integrity', `${path} is damaged`);
    return value.data;
  });
}

/** Appends a line, durably, after removing a torn one. Throws Fault `disk` or `unsafe`. */
export async function appendLine(path: string, value: object): Promise<void> {
  try {
    const file = await openRegularFile(path);
    try {
      // A torn line would join with the new one into a damaged line.
      const text = await file.readFile('utf8');
      await file.truncate(Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1)));
      await file.appendFile(`${JSON.stringify(value)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw diskFault(error, basename(path));
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
