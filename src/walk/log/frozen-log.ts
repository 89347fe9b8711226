// The frozen log of a walk in a folder: windows.ndjson, chained by hash, over rows.ndjson; both survive kill -9 whole.
import { rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../../disk/disk-fault.ts';
import { syncPath } from '../../disk/durable-write.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import { Fault } from '../../faults.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { readChain, type FrozenChain } from './hash-chain.ts';
import { linesOf } from './lines.ts';
import { openRegularFile, readTextIfExists } from './regular-file.ts';
import type { Identified } from '../source.ts';

import type { FrozenState, FrozenWindow } from './window.ts';

export const WINDOWS_FILE = 'windows.ndjson';
export const ROWS_FILE = 'rows.ndjson';
/** What was walked, so that a walk of another archive never continues this one. */
export const SUBJECT_FILE = 'walk.json';

/** The archive, which list of it (absent: conversations) and the exclusive ends of the walk. */
export type Subject = { base_url: string; list?: string; after: string | null; before: string | null };

export type FrozenLog<Row extends Identified> = {
  /** The log's file, for the report. */
  file: string;
  /** What earlier runs froze; undefined for a new log. */
  state: FrozenState<Row> | undefined;
  /** Makes a window durable, in order. Use the window only after it resolves. Throws Fault `disk`. */
  append(window: FrozenWindow<Row>): Promise<void>;
  /** The rows frozen by earlier runs, in order, as they were stored. */
  rows(): AsyncGenerator<Row>;
  close(): Promise<void>;
};

/**
 * Opens the log in `dir`, made when missing. A new walk needs a folder without a log, else Fault `unsafe`; `resume`
 * continues after the last whole line, dropping a torn one and rows no line speaks of, and starts anew where there is
 * no log yet. Fault `usage` for a log of another subject, `integrity` for a broken chain, `disk` for the rest.
 */
export async function openFrozenLog<Row extends Identified>(
  dir: string,
  subject: Subject,
  options: { resume: boolean },
): Promise<FrozenLog<Row>> {
  let windows: FileHandle | undefined;
  let rows: FileHandle | undefined;
  try {
    await makeFolder(dir);
    await claim(dir, subject, options.resume);
    windows = await openRegularFile(join(dir, WINDOWS_FILE));
    rows = await openRegularFile(join(dir, ROWS_FILE));
    const chain = await readChain(dir, windows, rows);
    if (chain.problems.length > 0)
      throw new Fault('integrity', `frozen log in ${dir}: ${chain.problems[0]!.what}`, {
        hint: `arx conversations verify ${dir}`,
      });
    await windows.truncate(chain.windowsBytes);
    await rows.truncate(chain.rowsBytes);
    await syncPath(dir);
    return logOver<Row>(dir, windows, rows, chain);
  } catch (error) {
    await windows?.close();
    await rows?.close();
    throw diskFault(error, `frozen log in ${dir}`);
  }
}

async function claim(dir: string, subject: Subject, resume: boolean): Promise<void> {
  const path = join(dir, SUBJECT_FILE);
  const text = `${canonicalJson({ version: 1, ...subject })}\n`;
  const found = await readTextIfExists(path);
  if (found !== undefined && !resume)
    throw new Fault('unsafe', `${dir} holds a frozen walk already`, { hint: 'continue it with --resume' });
  // A file cut by a kill is a prefix of ours and says nothing of another walk.
  if (found !== undefined && !text.startsWith(found))
    throw new Fault('usage', `${dir} holds the walk of another archive or range`);
  if (found === text) return;
  if (found !== undefined) await rm(path);
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
}

function logOver<Row extends Identified>(
  dir: string,
  windows: FileHandle,
  rows: FileHandle,
  chain: FrozenChain,
): FrozenLog<Row> {
  const last = chain.lastRow === undefined ? undefined : (JSON.parse(chain.lastRow) as Row);
  const state = {
    windows: chain.windows,
    head: chain.head,
    ids: chain.ids,
    ...(last === undefined ? {} : { last }),
  };
  let failed = false;
  return {
    file: join(dir, WINDOWS_FILE),
    state: chain.windows === 0 ? undefined : state,
    async append(window) {
      if (failed) throw new Fault('disk', `frozen log in ${dir} failed before`);
      try {
        // Rows first: a line never speaks of rows that are not there.
        await rows.appendFile(window.rowsText);
        await rows.datasync();
        await windows.appendFile(`${window.line}\n`);
        await windows.datasync();
      } catch (error) {
        failed = true;
        throw diskFault(error, `frozen log in ${dir}`);
      }
    },
    async *rows() {
      for await (const line of linesOf(rows, chain.rowsBytes)) yield JSON.parse(line.toString('utf8')) as Row;
    },
    async close() {
      await windows.close();
      await rows.close();
    },
  };
}
