// Writes the frozen log of a walk: windows.ndjson, chained by hash, and rows.ndjson. A kill at any moment leaves it valid.
import { readdir, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { diskFault } from '../../disk/disk-fault.ts';
import { syncPath } from '../../disk/durable-write.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import { Fault } from '../../faults.ts';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { parseShownJson } from '../../contract/exact-json.ts';
import { MAX_WINDOW_BYTES, readChain, type FrozenChain } from './hash-chain.ts';
import { linesOf } from '../../disk/lines.ts';
import { openRegularFile, readBytesIfExists } from '../../disk/regular-file.ts';
import type { Identified } from '../source.ts';
import { COMPLETION_FILE } from './completion.ts';
import { UNRESOLVED_FILE } from './unresolved-rows.ts';
import type { FrozenState, FrozenWindow } from './window.ts';
import { shellWord } from '../../shell-words.ts';

/** One line for each window. */
export const WINDOWS_FILE = 'windows.ndjson';
/** The rows of all windows. */
export const ROWS_FILE = 'rows.ndjson';
/** Says what was walked, so that a walk of another list never continues this one. */
export const SUBJECT_FILE = 'walk.json';
/** It has a URL and two ids. */
export const MAX_SUBJECT_BYTES = 1024 * 1024;

/** What is walked: the archive, the list (absent: conversations), the tier of the reader where it is known, and the exclusive ends of the walk. */
export type Subject = {
  base_url: string;
  list?: string;
  tier?: string;
  after: string | null;
  before: string | null;
};

/** An open log, to which one walk appends. */
export type FrozenLog<Row extends Identified> = {
  /** Path of windows.ndjson. */
  file: string;
  /** What earlier runs froze; undefined for a new log. */
  state: FrozenState<Row> | undefined;
  /** Writes the next window, durably. Use its rows only after this resolves. Throws Fault `disk`. */
  append(window: FrozenWindow<Row>): Promise<void>;
  /** Yields the rows that earlier runs froze, in order. */
  rows(): AsyncGenerator<Row>;
  close(): Promise<void>;
};

/**
 * Opens the log in `dir` and makes the folder if it is missing. With `resume` it removes a torn line and rows without a
 * line, and continues after the last whole line; without a log it starts one. Throws Fault `unsafe` when there is a log
 * with something in it and no `resume`, or when the folder holds other files, `usage` for the log of another subject, `integrity` for a broken chain, `disk` for other failures.
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
        hint: `arx conversations verify ${shellWord(dir)}`,
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

/** Writes walk.json, or compares it with `subject` when it is continued. A folder that is refused is not changed. */
async function claim(dir: string, subject: Subject, resume: boolean): Promise<void> {
  const path = join(dir, SUBJECT_FILE);
  let bytes = bytesOf(subject);
  const found = await readBytesIfExists(path, MAX_SUBJECT_BYTES);
  if (!resume && !(await isEmptyLog(dir)))
    throw new Fault('unsafe', `${dir} holds a frozen walk already`, { hint: 'continue it with --resume' });
  const continued = resume ? found : undefined;
  if (continued === undefined) await refuseOtherFiles(dir);
  // A kill may cut the file anywhere: a beginning of these bytes is not the file of another walk.
  else if (!isBeginning(continued, bytes)) {
    // Without a tier: as earlier versions wrote it, or where the tier was not known.
    bytes = bytesOf(withoutTier(subject));
    if (!isBeginning(continued, bytes)) throw otherSubject(dir, continued, subject);
  }
  if (continued?.length === bytes.length) return;
  if (found !== undefined) await rm(path);
  await writeFile(path, bytes, { flag: 'wx', mode: 0o600, flush: true });
}

function bytesOf(subject: Subject): Buffer {
  return Buffer.from(`${canonicalJson({ version: 1, ...subject })}\n`);
}

function isBeginning(part: Buffer, whole: Buffer): boolean {
  return part.equals(whole.subarray(0, part.length));
}

function withoutTier(subject: Subject): Subject {
  const { tier: _, ...rest } = subject;
  return rest;
}

/** Returns the Fault for a folder that holds the walk of something else; rows of two tiers would be in one list. */
function otherSubject(dir: string, found: Buffer, subject: Subject): Fault {
  const tier = /"tier":"([^"\\]{1,64})"/.exec(found.toString())?.[1];
  const isSame = tier !== undefined && isBeginning(found, bytesOf({ ...subject, tier }));
  return isSame
    ? new Fault('usage', `${dir} holds a walk at tier ${tier}, and this one is at ${tierName(subject)}`, {
        hint: 'walk into another folder, or log in at the tier of that walk',
      })
    : new Fault('usage', `${dir} holds the walk of another archive or range`);
}

function tierName({ tier }: Subject): string {
  return tier === undefined ? 'an unknown tier' : `tier ${tier}`;
}

/** What may be in the folder of a new walk: its lock, what a killed run left, and what a file system makes. */
const OWN_FILE = /^(?:(?:windows|rows|doubts|complete)\.ndjson|walk\.json|walk\.lock.*|lost\+found)$/;

/** Throws Fault 'unsafe' for a folder with files that are none of a frozen walk: its files would be among them. */
async function refuseOtherFiles(dir: string): Promise<void> {
  const names = await readdir(dir);
  if (names.some((name) => !OWN_FILE.test(name)))
    throw new Fault('unsafe', `${dir}: it is not empty, and holds no frozen walk`, {
      hint: 'name a folder of a frozen walk, or one that does not exist yet',
    });
}

/** Returns whether a walk ended before it had frozen, placed in doubt or completed anything: there is nothing to continue. */
async function isEmptyLog(dir: string): Promise<boolean> {
  const sizes = await Promise.all(
    [WINDOWS_FILE, UNRESOLVED_FILE, COMPLETION_FILE].map((name) =>
      stat(join(dir, name)).then(
        ({ size }) => size,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return 0;
          throw error;
        },
      ),
    ),
  );
  return sizes.every((size) => size === 0);
}

function logOver<Row extends Identified>(
  dir: string,
  windows: FileHandle,
  rows: FileHandle,
  chain: FrozenChain,
): FrozenLog<Row> {
  const last = chain.lastRow === undefined ? undefined : (parseShownJson(chain.lastRow) as Row);
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
        // Rows first, so that a line never names rows that are not there.
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
      for await (const line of linesOf(rows, chain.rowsBytes, MAX_WINDOW_BYTES))
        yield parseShownJson(line.toString('utf8')) as Row;
    },
    async close() {
      await windows.close();
      await rows.close();
    },
  };
}
