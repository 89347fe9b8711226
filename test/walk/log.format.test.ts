// The format of the frozen log as src/walk/README.md describes it: a second verifier, written from that text and without src/.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { FrozenWalkCompletion, FrozenWalkSubject, FrozenWindowLine } from '../../src/contract/frozen-log.ts';
import { recordCompletion } from '../../src/walk/log/completion.ts';
import { openFrozenLog } from '../../src/walk/log/frozen-log.ts';
import { verifyFrozen } from '../../src/walk/log/hash-chain.ts';
import { walk } from '../../src/walk/walk.ts';
import { driftingSource, type Item } from '../support/drifting-source.ts';
import { tempFolder } from '../support/temp-folder.ts';

type Verdict = { windows: number; ids: string[]; head: string | null; complete: boolean; torn: boolean };

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const linesIn = (bytes: Buffer): Buffer[] => {
  const lines: Buffer[] = [];
  for (let start = 0, end = bytes.indexOf(10); end !== -1; start = end + 1, end = bytes.indexOf(10, start))
    lines.push(bytes.subarray(start, end));
  return lines;
};
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = value as Record<string, unknown>;
  const keys = Object.keys(members).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(members[key])}`).join(',')}}`;
};

/** Verifies a log by the numbered steps of "Verification" in the README. Throws with the number of the window. */
async function verify(dir: string): Promise<Verdict> {
  const windows = await readFile(join(dir, 'windows.ndjson'));
  const rows = await readFile(join(dir, 'rows.ndjson'));
  const completions = await readFile(join(dir, 'complete.ndjson')).catch(() => Buffer.alloc(0));
  const heads: string[] = [];
  const ids: string[] = [];
  let rowsBytes = 0;
  let windowsBytes = 0;
  for (const bytes of linesIn(windows)) {
    const number = heads.length + 1;
    const check = (isRight: boolean, what: string) => {
      if (!isRight) throw new Error(`window ${number}: ${what}`);
    };
    check(isUtf8(bytes), 'UTF-8');
    const line = JSON.parse(bytes.toString()) as FrozenWindowLine;
    check(canonical(line) === bytes.toString(), 'canonical');
    check(line.window === number, 'number');
    check(line.previous === (heads.at(-1) ?? '0'.repeat(64)), 'previous');
    check(number === 1 || line.after === ids.at(-1), 'after');
    const content = rows.subarray(rowsBytes, rowsBytes + line.rows_bytes);
    check(content.length === line.rows_bytes && line.rows_bytes > 0, 'rows_bytes');
    check(sha256(content) === line.rows_sha256, 'rows_sha256');
    check(isUtf8(content) && content.at(-1) === 10, 'lines');
    const found = linesIn(content).map((row) => (JSON.parse(row.toString()) as { id: string }).id);
    check(found.length > 0 && canonical(found) === canonical(line.ids), 'ids');
    check(new Set([...ids, ...found]).size === ids.length + found.length, 'an id twice');
    ids.push(...found);
    heads.push(sha256(bytes));
    rowsBytes += line.rows_bytes;
    windowsBytes += bytes.length + 1;
  }
  const head = heads.at(-1) ?? null;
  const recorded = linesIn(completions).map((line) => (JSON.parse(line.toString()) as { head: string }).head);
  if (recorded.some((one) => one !== null && !heads.includes(one))) throw new Error('windows are missing');
  const torn = windows.length > windowsBytes || rows.length > rowsBytes;
  return { windows: heads.length, ids, head, complete: recorded.includes(head as string), torn };
}

let dir: string;
beforeEach(() => void (dir = tempFolder('format')));

/** Walks a drifting list into the log and returns its ids. `write`: changes of the list during the walk. */
async function walkInto(size: number, drift: number, limit = 8): Promise<string[]> {
  const list = driftingSource({ size, drift, seed: 5 });
  if (size > 5) list.items[3]!.subject = 'line\u2028separator \ud800 \r\n\u007f "\\ ü 😀';
  if (size > 5) list.items[5]!.id = 'id\ud800\u2028é"\n😀';
  const log = await openFrozenLog<Item>(
    dir,
    { base_url: 'http://localhost:1', after: null, before: null },
    { resume: false },
  );
  const signal = new AbortController().signal;
  const steps = walk(list, { limit, crossCheck: 'off', signal });
  let step = await steps.next();
  for (; step.done !== true; step = await steps.next()) await log.append(step.value);
  await log.close();
  const { head } = step.value.report.frozen;
  await recordCompletion(dir, { head, finished_at: '2026-01-02T03:04:05.678Z', late: [] });
  return list.items.map(({ id }) => id);
}

describe('a verifier written from the README', () => {
  test.each([
    [0, 0],
    [1, 0],
    [60, 0],
    [120, 0.21],
  ])('accepts the log of %i rows at drift %d', async (size, drift) => {
    const ids = await walkInto(size, drift);
    const { windows, head } = await verifyFrozen(dir);
    expect(await verify(dir)).toEqual({
      windows,
      ids,
      head: size === 0 ? null : head,
      complete: true,
      torn: false,
    });
  });

  test('accepts a torn line and rows without a line, as a killed run leaves them', async () => {
    const ids = await walkInto(60, 0);
    await appendFile(join(dir, 'windows.ndjson'), '{"after":');
    await appendFile(join(dir, 'rows.ndjson'), '{"id":"x"}\n');
    expect(await verify(dir)).toMatchObject({ ids, torn: true });
    expect(await verifyFrozen(dir)).toMatchObject({ ids, torn: true, problems: [] });
  });

  const tampered: [what: string, file: string, change: (text: string) => string][] = [
    ['a row', 'rows.ndjson', (text) => text.replace('thread 7', 'thread 9')],
    ['the order of two rows', 'rows.ndjson', (text) => text.replace(/^(.*\n)(.*\n)/, '$2$1')],
    ['an id', 'windows.ndjson', (text) => text.replace('"conv_9"', '"conv_0"')],
    ['a count', 'windows.ndjson', (text) => text.replace(/"reads":\d+/, '"reads":999')],
    ['white space', 'windows.ndjson', (text) => text.replace('"ids":', '"ids": ')],
    [
      'a later `after` to null',
      'windows.ndjson',
      (text) => text.replace(/\n\{"after":"[^"]*"/, '\n{"after":null'),
    ],
    ['the first line', 'windows.ndjson', (text) => text.slice(text.indexOf('\n') + 1)],
    ['the last line', 'windows.ndjson', (text) => text.replace(/.*\n$/, '')],
    ['the recorded head', 'complete.ndjson', (text) => text.replace(/[0-9a-f]{64}/, 'f'.repeat(64))],
  ];
  test.each(tampered)(
    'rejects a log in which %s was changed, as verifyFrozen does',
    async (_, file, change) => {
      await walkInto(60, 0);
      const path = join(dir, file);
      const text = await readFile(path, 'utf8');
      expect(change(text)).not.toBe(text);
      await writeFile(path, change(text));
      await expect(verify(dir)).rejects.toThrow();
      expect((await verifyFrozen(dir)).problems).toHaveLength(1);
    },
  );

  test('rejects a line that is not UTF-8 and decodes to the same text, as verifyFrozen does', async () => {
    await walkInto(60, 0);
    const path = join(dir, 'windows.ndjson');
    const whole = await readFile(path);
    const [first] = linesIn(whole);
    const line = canonical({ ...(JSON.parse(first!.toString()) as object), ids: ['\uFFFD'] });
    const [head, tail] = line.split('\uFFFD');
    await writeFile(path, Buffer.concat([Buffer.from(head!), Buffer.of(0xff), Buffer.from(`${tail!}\n`)]));
    await expect(verify(dir)).rejects.toThrow('window 1: UTF-8');
    expect((await verifyFrozen(dir)).problems).toHaveLength(1);
  });

  test('rejects rows that are cut', async () => {
    await walkInto(60, 0);
    await truncate(join(dir, 'rows.ndjson'), 100);
    await expect(verify(dir)).rejects.toThrow('window 1');
    expect((await verifyFrozen(dir)).problems).toHaveLength(1);
  });
});

test('the lines have the shapes of the schemas', async () => {
  await walkInto(60, 0.21);
  const lines = async (file: string) =>
    linesIn(await readFile(join(dir, file))).map((line) => JSON.parse(line.toString()) as unknown);
  for (const line of await lines('windows.ndjson')) expect(FrozenWindowLine.parse(line)).toEqual(line);
  for (const line of await lines('complete.ndjson')) expect(FrozenWalkCompletion.parse(line)).toEqual(line);
  for (const line of await lines('walk.json')) expect(FrozenWalkSubject.parse(line)).toEqual(line);
});
