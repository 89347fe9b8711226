// What earlier runs of a frozen walk saw and did not give out; a resumed run must not forget it.
import { join } from 'node:path';
import * as z from 'zod';
import { diskFault } from '../disk-fault.ts';
import { Fault } from '../faults.ts';
import { openOwn, textOf } from './own-file.ts';
import type { Identified, Source } from './source.ts';

export const DOUBTS_FILE = 'doubts.ndjson';

/** `unplaced` rows were seen and never found a place; `late` ones surfaced among rows that were frozen. */
export const Doubts = z.object({ unplaced: z.array(z.string()), late: z.array(z.string()) });
export type Doubts = z.infer<typeof Doubts>;

/** The doubts of all earlier runs in a folder; none where there is no file. Throws Fault `integrity` for a damaged one. */
export async function readDoubts(dir: string): Promise<Doubts> {
  const path = join(dir, DOUBTS_FILE);
  const text = await textOf(path).catch((error: unknown) => {
    throw diskFault(error, path);
  });
  const all: Doubts = { unplaced: [], late: [] };
  // A line torn by a kill says nothing.
  for (const line of (text ?? '').split('\n').slice(0, -1)) {
    const doubts = Doubts.safeParse(parse(line));
    if (!doubts.success) throw new Fault('integrity', `${DOUBTS_FILE} in ${dir} is damaged`);
    all.unplaced.push(...doubts.data.unplaced);
    all.late.push(...doubts.data.late);
  }
  return all;
}

/** Keeps the doubts of this run, durably. Throws Fault `disk` or `unsafe`. */
export async function addDoubts(dir: string, doubts: Doubts): Promise<void> {
  if (doubts.unplaced.length + doubts.late.length === 0) return;
  try {
    const file = await openOwn(join(dir, DOUBTS_FILE));
    try {
      // A line torn by a kill would spoil the one that follows it.
      const text = await file.readFile('utf8');
      await file.truncate(Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1)));
      await file.appendFile(`${JSON.stringify(doubts)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    throw diskFault(error, DOUBTS_FILE);
  }
}

/** Those of the rows that the list still has: a row that is gone leaves no doubt (404 as a cursor, interface 4.7). */
export async function stillThere<Row extends Identified>(
  source: Source<Row>,
  ids: Iterable<string>,
  signal: AbortSignal,
): Promise<string[]> {
  const there: string[] = [];
  for (const id of new Set(ids)) {
    try {
      await source.page({ after: id, limit: 1 }, signal);
      there.push(id);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'not_found') throw error;
    }
  }
  return there;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
