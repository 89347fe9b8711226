// Reads a JSON file of a chat export: its lists, of which one entry at a time is in memory.
import { isUtf8 } from 'node:buffer';
import { createTurns } from '../../concurrency/turns.ts';
import { parseExactJson } from '../../contract/exact-json.ts';
import { endOfJsonString, exceededLimit } from '../../contract/json-size.ts';
import { type FileSet, UnreadableError } from './file-set.ts';

/**
 * A JSON file whose entries are all valid. Each iteration parses them again. In place of an entry that is too large or nested
 * too deep stands the {@link UnreadableError} that says so.
 */
export type JsonFile = {
  /** Whether the file is valid UTF-8. */
  decodable: boolean;
  /** The entries of the list that the file is; undefined for anything else. */
  entries: Iterable<unknown> | undefined;
  /** The lists that are members of the object that the file is; none for anything else. */
  lists: ReadonlyMap<string, Iterable<unknown>>;
};

/** A larger file is refused. It is in memory as a whole. */
const MAX_FILE_BYTES = 128 * 1024 * 1024;
const MAX_ENTRIES = 2_000_000;
/** A larger entry of a list is refused. */
const MAX_ENTRY_BYTES = 8 * 1024 * 1024;
/** Each value of JSON takes up to a hundred bytes of memory when it is parsed, and two bytes of a file. */
const MAX_VALUES = 500_000;
/** More is in no export. JSON.parse takes gigabytes for millions of open brackets. */
const MAX_DEPTH = 512;

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns what a file of an export holds, or why it cannot be read, as a predicate. */
export async function readJsonFile(files: FileSet, name: string): Promise<JsonFile | string> {
  try {
    return await jsonFile(await files.read(name, MAX_FILE_BYTES));
  } catch (error) {
    if (error instanceof SyntaxError) return 'is not valid JSON';
    if (error instanceof UnreadableError) return error.message;
    throw error;
  }
}

/** Returns the value of bytes that are one JSON value. Throws SyntaxError, and {@link UnreadableError} for one of too many values. */
export function parseBounded(bytes: Uint8Array, maxValues: number = MAX_VALUES): unknown {
  const exceeded = exceededLimit(bytes, { maxDepth: MAX_DEPTH, maxValues });
  if (exceeded === 'depth') throw new UnreadableError('is nested too deep');
  if (exceeded === 'values') throw new UnreadableError(`has more than ${maxValues} values`);
  return parseExactJson(new TextDecoder().decode(bytes));
}

async function jsonFile(bytes: Uint8Array): Promise<JsonFile> {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const whole = trimmed(hasMark ? bytes.subarray(3) : bytes);
  const file: JsonFile = { decodable: isUtf8(bytes), entries: undefined, lists: new Map() };
  if (whole[0] === LIST) return { ...file, entries: await listOf(whole) };
  if (whole[0] !== OBJECT) {
    entryOf(whole);
    return file;
  }
  const lists = new Map<string, Iterable<unknown>>();
  for (const member of partsOf(whole)) {
    const [key, value] = memberOf(member);
    if (value[0] === LIST) lists.set(key, await listOf(value));
    else entryOf(value);
  }
  return { ...file, lists };
}

/** Returns the entries of a list. Throws SyntaxError if one is not valid. */
async function listOf(list: Uint8Array): Promise<Iterable<unknown>> {
  let count = 0;
  const turn = createTurns();
  for (const part of partsOf(list)) {
    entryOf(part);
    count += 1;
    if (count > MAX_ENTRIES) throw new UnreadableError(`has a list of more than ${MAX_ENTRIES} entries`);
    await turn();
  }
  return {
    *[Symbol.iterator]() {
      for (const part of partsOf(list)) yield entryOf(part);
    },
  };
}

/** Returns the value of an entry, or why it is not read. Throws SyntaxError. */
function entryOf(bytes: Uint8Array): unknown {
  try {
    if (bytes.length > MAX_ENTRY_BYTES) throw new UnreadableError(`is larger than ${MAX_ENTRY_BYTES} bytes`);
    return parseBounded(bytes);
  } catch (error) {
    if (error instanceof UnreadableError) return error;
    throw error;
  }
}

/** Returns the key of `"key": value`, and its value. */
function memberOf(member: Uint8Array): [key: string, value: Uint8Array] {
  const colon = member.indexOf(COLON, member[0] === QUOTE ? endOfJsonString(member, 0) : 0);
  const key = entryOf(trimmed(member.subarray(0, Math.max(colon, 0))));
  if (typeof key !== 'string') throw new SyntaxError('no key');
  return [key, trimmed(member.subarray(colon + 1))];
}

/**
 * Yields what stands between the commas of a list or object, without the white space around it. Throws SyntaxError where the
 * list does not end with the bytes; its parts may be no JSON.
 */
function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  const close = bytes[0] === LIST ? LIST_END : OBJECT_END;
  let depth = 0;
  let start = 1;
  for (let at = 1; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfJsonString(bytes, at);
    else if (byte === LIST || byte === OBJECT) {
      depth += 1;
    } else if (depth > 0) {
      if (byte === LIST_END || byte === OBJECT_END) depth -= 1;
    } else if (byte === COMMA || byte === LIST_END || byte === OBJECT_END) {
      const part = trimmed(bytes.subarray(start, at));
      const isEnd = byte !== COMMA;
      if (isEnd && (byte !== close || at !== bytes.length - 1)) break;
      if (!isEnd || part.length > 0 || start > 1) yield part;
      if (isEnd) return;
      start = at + 1;
    }
  }
  throw new SyntaxError('the list does not end');
}

/** Returns bytes without the white space of JSON at their ends. */
function trimmed(bytes: Uint8Array): Uint8Array {
  let start = 0;
  let end = bytes.length;
  while (start < end && isBlank(bytes[start]!)) start += 1;
  while (start < end && isBlank(bytes[end - 1]!)) end -= 1;
  return bytes.subarray(start, end);
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
