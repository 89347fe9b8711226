// Verifies a frozen log: each line against the line before it, and each window's rows against its line.
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../faults.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { canonicalJson, sha256 } from '../../contract/canonical-json.ts';
import { exceededLimit } from '../../contract/json-size.ts';
import { isWithheld } from '../../contract/withheld.ts';
import type { FrozenWalkCompletion, FrozenWindowLine } from '../../contract/frozen-log.ts';
import { COMPLETION_FILE, readCompletions } from './completion.ts';
import { bytesOfWholeLines, linesOf } from '../../disk/lines.ts';
import { openRegularFile } from '../../disk/regular-file.ts';
import { FIRST_PREVIOUS } from './window.ts';

/** Rows of one window come from a few responses of at most 16 MiB each. */
export const MAX_WINDOW_BYTES = 256 * 1024 * 1024;
/** The line of a window has the ids of its rows. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;
/** JSON.parse takes gigabytes for millions of brackets. Responses have the same limits for one row. */
const MAX_LINE_JSON = { maxDepth: 16, maxValues: 4_000_000 };
const MAX_ROW_JSON = { maxDepth: 200, maxValues: 2_000_000 };
/** A shorter row cannot take much memory. */
const SMALL_ROW_BYTES = 64 * 1024;

/** What is wrong with a log. `window`: the number of the line, from 1. */
export type ChainProblem = { window: number; what: string };

/** The valid part of a log, up to the first problem. */
export type FrozenChain = {
  windows: number;
  /** SHA-256 of the last line; 64 zeros where there is none. */
  head: string;
  /** SHA-256 of every line. */
  heads: Set<string>;
  /** The recorded completions. A walk that was continued after its end has several. */
  completions: FrozenWalkCompletion[];
  /** Ids of all rows, in order. */
  ids: string[];
  /** Bytes of the valid parts of both files. */
  windowsBytes: number;
  rowsBytes: number;
  /** The last row as it is stored. */
  lastRow: string | undefined;
  /** Whether bytes follow the valid part, as a killed run leaves them. That is no problem. */
  torn: boolean;
  /** Whether these bytes begin with a line that is not whole. Otherwise they are rows whose line is missing. */
  hasTornLine: boolean;
  problems: ChainProblem[];
};

/** A row of a frozen log. `text`: as it is stored, without the newline. `isWithheld`: from the reader who walked. */
export type FrozenRow = { id: string; text: string; isWithheld: boolean };

/** Called with each valid window and its rows. What it throws ends the verification. */
export type WindowVisitor = (line: FrozenWindowLine, rows: readonly FrozenRow[]) => void;

/** Returns the Fault for a folder without a frozen walk. `reason` follows its name. */
export function noFrozenWalk(dir: string, reason = ''): Fault {
  return new Fault('not_found', `no frozen walk in ${dir}${reason}`, {
    hint: ({ arx }) => `${arx} conversations walk --freeze DIR makes one`,
  });
}

/**
 * Verifies the log in a folder, offline (`arx conversations verify DIR`). Stops at the first problem, which is damage or
 * tampering. Throws Fault `not_found` when there is no log, `integrity` when the file of completions is damaged, `unsafe`
 * when a file is not a regular one, `disk` when a file cannot be read.
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
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw noFrozenWalk(dir);
    if (code === 'ENOTDIR') throw new Fault('unsafe', `${dir}: not a folder`, noFrozenWalk(dir).detail);
    throw diskFault(error, `frozen log in ${dir}`);
  }
}

/**
 * Verifies both files of `dir` as {@link readWindows}, and the completions. A completion for a head that the chain lacks is a
 * problem: that line was whole when the completion was recorded.
 */
export async function readChain(
  dir: string,
  windows: FileHandle,
  rows: FileHandle,
  visit?: WindowVisitor,
): Promise<FrozenChain> {
  const chain = await readWindows(windows, rows, visit);
  if (chain.problems.length > 0) return chain;
  chain.completions = await readCompletions(dir);
  if (chain.completions.some(({ head }) => head !== null && !chain.heads.has(head)))
    withProblem(chain, `is missing: ${COMPLETION_FILE} names a head that is not in the chain`);
  return chain;
}

/** The part of a file handle that verifying needs. */
export type LogFile = Pick<FileHandle, 'read' | 'stat'>;

/** Verifies windows and rows from their start. A last line without a newline is torn, whatever it holds. */
export async function readWindows(
  windows: LogFile,
  rows: LogFile,
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
    hasTornLine: false,
    problems: [],
  };
  const { size } = await windows.stat();
  const whole = await bytesOfWholeLines(windows, size, MAX_LINE_BYTES);
  const seen = new Set<string>();
  for await (const bytes of linesOf(windows, whole, MAX_LINE_BYTES)) {
    const problem = await addLine(chain, bytes, rows, seen, visit);
    if (problem !== undefined) return withProblem(chain, problem);
  }
  chain.hasTornLine = size > chain.windowsBytes;
  chain.torn = chain.hasTornLine || (await rows.stat()).size > chain.rowsBytes;
  return chain;
}

function withProblem(chain: FrozenChain, problem: string): FrozenChain {
  const window = chain.windows + 1;
  chain.problems.push({ window, what: `window ${window} ${problem}` });
  return chain;
}

/** Adds the next line to the chain. Returns what is wrong with it, if anything. */
async function addLine(
  chain: FrozenChain,
  bytes: Buffer,
  rows: LogFile,
  seen: Set<string>,
  visit: WindowVisitor | undefined,
): Promise<string | undefined> {
  const line = parseLine(bytes);
  if (line === undefined) return 'is not a line of a frozen log';
  if (line.window !== chain.windows + 1) return `is numbered ${line.window}`;
  if (line.previous !== chain.head) return 'does not continue the chain';
  if (chain.ids.length > 0 && line.after !== chain.ids.at(-1)) return 'leaves a gap';
  const content = Buffer.alloc(line.rows_bytes);
  const { bytesRead } = await rows.read(content, 0, line.rows_bytes, chain.rowsBytes);
  if (bytesRead < line.rows_bytes) return 'misses rows';
  if (sha256(content) !== line.rows_sha256) return 'has rows of another hash';
  // Decoding replaces bytes that are not UTF-8, and would so accept other ids than were written.
  if (!isUtf8(content)) return 'has rows that are not UTF-8';
  if (content.at(-1) !== NEWLINE) return 'has a row without an end';
  const rowsOfLine = rowsIn(content, line.ids);
  if (rowsOfLine === undefined) return 'has rows of other ids';
  if (rowsOfLine.some(({ id }) => seen.has(id) || !seen.add(id))) return 'has a row twice';
  chain.windows++;
  chain.head = sha256(bytes);
  chain.heads.add(chain.head);
  for (const { id } of rowsOfLine) chain.ids.push(id);
  chain.windowsBytes += bytes.length + 1;
  chain.rowsBytes += line.rows_bytes;
  chain.lastRow = rowsOfLine.at(-1)?.text;
  visit?.(line, rowsOfLine);
  return undefined;
}

const NEWLINE = 10;

/** Returns the rows of a window; undefined for rows of other ids, and for a row that would take too much memory. */
function rowsIn(content: Buffer, ids: readonly unknown[]): FrozenRow[] | undefined {
  const rows: FrozenRow[] = [];
  for (let start = 0; start < content.length;) {
    const end = content.indexOf(NEWLINE, start);
    const bytes = content.subarray(start, end);
    if (bytes.length > SMALL_ROW_BYTES && exceededLimit(bytes, MAX_ROW_JSON)) return undefined;
    const row = parseRow(bytes.toString());
    if (row === undefined || row.id !== ids[rows.length]) return undefined;
    rows.push(row);
    start = end + 1;
  }
  return rows.length === ids.length ? rows : undefined;
}

function parseRow(text: string): FrozenRow | undefined {
  try {
    const row = JSON.parse(text) as { id?: unknown; row?: unknown } | null;
    if (typeof row?.id !== 'string') return undefined;
    // Lists other than conversations have the row as it was received in `row`.
    const isWithheldInside = typeof row.row === 'object' && row.row !== null && isWithheld(row.row);
    return { id: row.id, text, isWithheld: isWithheld(row) || isWithheldInside };
  } catch {
    return undefined;
  }
}

/**
 * Returns the line if it has the fields that its readers use. Its bytes must be canonical JSON in UTF-8: else two spellings
 * of one line would have two hashes.
 */
function parseLine(bytes: Buffer): FrozenWindowLine | undefined {
  if (bytes.length > MAX_LINE_BYTES || exceededLimit(bytes, MAX_LINE_JSON) || !isUtf8(bytes))
    return undefined;
  const text = bytes.toString();
  try {
    const line = JSON.parse(text) as Partial<FrozenWindowLine> | null;
    const isValid =
      Array.isArray(line?.ids) &&
      Number.isSafeInteger(line.rows_bytes) &&
      line.rows_bytes! > 0 &&
      line.rows_bytes! <= MAX_WINDOW_BYTES &&
      isCount(line.reads) &&
      isCount(line.disagreements) &&
      (line.drift_ratio === null || typeof line.drift_ratio === 'number') &&
      canonicalJson(line) === text;
    return isValid ? (line as FrozenWindowLine) : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
