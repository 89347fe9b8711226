// Reads a frozen log back and checks every link: each line against the line before, each window's rows against its line.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../faults.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { canonicalJson, sha256 } from '../../contract/canonical-json.ts';
import { COMPLETION_FILE, readCompletions, type Completion } from './completion.ts';
import { bytesOfWholeLines, linesOf } from './lines.ts';
import { openRegularFile } from './regular-file.ts';
import { FIRST_PREVIOUS, type WindowLine } from './window.ts';

/** `window` is the number of the line, counted from 1. */
export type ChainProblem = { window: number; what: string };

/** The whole and valid part of a log. `torn`: bytes after it, which a killed run leaves; they are no problem. */
export type FrozenChain = {
  windows: number;
  head: string;
  /** One a window, the last of them {@link FrozenChain.head}. */
  heads: Set<string>;
  /** All that were recorded, where the windows hold: a walk that went on has several. */
  completions: Completion[];
  ids: string[];
  windowsBytes: number;
  rowsBytes: number;
  lastRow: string | undefined;
  torn: boolean;
  problems: ChainProblem[];
};

/** Told of each window that holds, with its rows as they are stored; what it throws ends the reading. */
export type WindowVisitor = (line: WindowLine, rows: readonly string[]) => void;

/**
 * Checks the chain and the rows of a log, offline (`arx conversations verify DIR`). Problems are tampering or damage;
 * checking stops at the first. Throws Fault `not_found` where there is no log, `integrity` where the record of its end is
 * damaged, `disk` where it cannot be read.
 */
export async function verifyFrozen(dir: string, visit?: WindowVisitor): Promise<FrozenChain> {
  try {
    const windows = await openRegularFile(join(dir, 'windows.ndjson'), constants.O_RDONLY);
    try {
      const rows = await openRegularFile(join(dir, 'rows.ndjson'), constants.O_RDONLY);
      return await readChain(dir, windows, rows, visit).finally(() => rows.close());
    } finally {
      await windows.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Fault('not_found', `no frozen walk in ${dir}`);
    throw diskFault(error, `frozen log in ${dir}`);
  }
}

/**
 * Reads both files of `dir` from their start. The last line is torn when it has no newline, whatever it says; but what
 * the walk's end was recorded for was whole then.
 */
export async function readChain(
  dir: string,
  windows: FileHandle,
  rows: FileHandle,
  visit?: WindowVisitor,
): Promise<FrozenChain> {
  const chain: FrozenChain = {
    windows: 0,
    head: FIRST_PREVIOUS,
    heads: new Set(),
    completions: [],
    ids: [],
    windowsBytes: 0,
    rowsBytes: 0,
    lastRow: undefined,
    torn: false,
    problems: [],
  };
  const { size } = await windows.stat();
  const whole = await bytesOfWholeLines(windows, size);
  const seen = new Set<string>();
  for await (const bytes of linesOf(windows, whole)) {
    const problem = await link(chain, bytes.toString('utf8'), rows, seen, visit);
    if (problem !== undefined) return broken(chain, problem);
  }
  chain.completions = await readCompletions(dir);
  if (chain.completions.some(({ head }) => head !== null && !chain.heads.has(head)))
    broken(chain, `is missing: ${COMPLETION_FILE} names a head that is not in the chain`);
  chain.torn = size > chain.windowsBytes || (await rows.stat()).size > chain.rowsBytes;
  return chain;
}

function broken(chain: FrozenChain, problem: string): FrozenChain {
  const window = chain.windows + 1;
  chain.problems.push({ window, what: `window ${window} ${problem}` });
  return chain;
}

async function link(
  chain: FrozenChain,
  text: string,
  rows: FileHandle,
  seen: Set<string>,
  visit: WindowVisitor | undefined,
): Promise<string | undefined> {
  const line = parseLine(text);
  if (line === undefined) return 'is not a line of a frozen log';
  if (line.window !== chain.windows + 1) return `is numbered ${line.window}`;
  if (line.previous !== chain.head) return 'does not continue the chain';
  if (line.after !== null && chain.ids.length > 0 && line.after !== chain.ids.at(-1)) return 'leaves a gap';
  const content = Buffer.alloc(line.rows_bytes);
  const { bytesRead } = await rows.read(content, 0, line.rows_bytes, chain.rowsBytes);
  if (bytesRead < line.rows_bytes) return 'misses rows';
  if (createHash('sha256').update(content).digest('hex') !== line.rows_sha256)
    return 'has rows of another hash';
  const rowLines = content.toString('utf8').split('\n').slice(0, -1);
  const ids = rowLines.map(idOf);
  if (ids.length === 0 || !isText(ids) || canonicalJson(ids) !== canonicalJson(line.ids))
    return 'has rows of other ids';
  if (ids.some((id) => seen.has(id) || !seen.add(id))) return 'has a row twice';
  chain.windows++;
  chain.head = sha256(text);
  chain.heads.add(chain.head);
  for (const id of ids) chain.ids.push(id);
  chain.windowsBytes += Buffer.byteLength(text) + 1;
  chain.rowsBytes += line.rows_bytes;
  chain.lastRow = rowLines.at(-1);
  visit?.(line, rowLines);
  return undefined;
}

function idOf(row: string): unknown {
  try {
    return (JSON.parse(row) as { id?: unknown } | null)?.id;
  } catch {
    return undefined;
  }
}

function isText(values: readonly unknown[]): values is string[] {
  return values.every((value) => typeof value === 'string');
}

/** Only what the checks and the pictures rely on; a line must be the canonical spelling of what it says, or its hash means nothing. */
function parseLine(text: string): WindowLine | undefined {
  try {
    const line = JSON.parse(text) as Partial<WindowLine> | null;
    const sound =
      Array.isArray(line?.ids) &&
      Number.isSafeInteger(line.rows_bytes) &&
      line.rows_bytes! > 0 &&
      line.rows_bytes! <= MOST_WINDOW_BYTES &&
      isCount(line.reads) &&
      isCount(line.disagreements) &&
      (line.drift_ratio === null || typeof line.drift_ratio === 'number') &&
      canonicalJson(line) === text;
    return sound ? (line as WindowLine) : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Rows of one window come from a handful of answers of at most 16 MiB each. */
const MOST_WINDOW_BYTES = 256 * 1024 * 1024;
