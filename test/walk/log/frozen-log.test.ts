// The frozen log: it resumes after a cut at any byte, and every change of it is detected.
import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { canonicalJson, sha256 } from '../../../src/contract/canonical-json.ts';
import { COMPLETION_FILE, readCompletions, recordCompletion } from '../../../src/walk/log/completion.ts';
import { readFrozenWalk } from '../../../src/walk/log/frozen-walk.ts';
import { verifyFrozen } from '../../../src/walk/log/hash-chain.ts';
import { openFrozenLog, ROWS_FILE, SUBJECT_FILE, WINDOWS_FILE } from '../../../src/walk/log/frozen-log.ts';
import { addUnresolvedRows, UNRESOLVED_FILE } from '../../../src/walk/log/unresolved-rows.ts';
import { FIRST_PREVIOUS, freezeWindow } from '../../../src/walk/log/window.ts';
import { walk } from '../../../src/walk/walk.ts';
import { arx } from '../../support/command.ts';
import { driftingSource, type Item } from '../../support/drifting-source.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const SUBJECT = { base_url: 'http://localhost:1', after: null, before: null };
const signal = new AbortController().signal;
const list = driftingSource({ size: 12 });
list.items[3]!.subject = 'line\u2028separator \ud800 \r\n';
const TRUTH = list.items.map((item) => item.id);

let dir: string;
beforeEach(() => void (dir = tempFolder('frozen')));

/** Walks into the log, at most so many windows, and returns the ids given out in this run. */
async function walkInto(options: { resume: boolean; windows?: number; limit?: number }): Promise<string[]> {
  const log = await openFrozenLog<Item>(dir, SUBJECT, options);
  const ids: string[] = [];
  for await (const row of log.rows()) ids.push(row.id);
  const steps = walk(list, {
    limit: options.limit ?? 3,
    crossCheck: 'boundary',
    signal,
    ...(log.state === undefined ? {} : { frozen: log.state }),
  });
  let left = options.windows ?? Infinity;
  for await (const window of steps) {
    await log.append(window);
    ids.push(...window.rows.map((row) => row.id));
    if (--left === 0) break;
  }
  await log.close();
  return ids;
}

test('a walk, its check and a resumed walk that finds nothing new', async () => {
  expect(await walkInto({ resume: false })).toEqual(TRUTH);
  const chain = await verifyFrozen(dir);
  expect(chain).toMatchObject({ ids: TRUTH, problems: [], torn: false });
  expect(await walkInto({ resume: true })).toEqual(TRUTH);
  expect((await verifyFrozen(dir)).head).toBe(chain.head);
});

test('a walk is continued at its tier alone, and one that records none at any', async () => {
  await (await openFrozenLog<Item>(dir, SUBJECT, { resume: true })).close();
  const internal = { ...SUBJECT, tier: 'internal' };
  await (await openFrozenLog<Item>(dir, internal, { resume: true })).close();
  const other = join(dir, 'other');
  await (await openFrozenLog<Item>(other, internal, { resume: true })).close();
  await (await openFrozenLog<Item>(other, internal, { resume: true })).close();
  for (const [subject, now] of [
    [{ ...SUBJECT, tier: 'external' }, 'tier external'],
    [SUBJECT, 'an unknown tier'],
  ] as const)
    await expect(openFrozenLog(other, subject, { resume: true })).rejects.toMatchObject({
      kind: 'usage',
      message: `${other} holds a walk at tier internal, and this one is at ${now}`,
    });
});

test('a walk that ended before it froze anything is begun again without resume', async () => {
  const other = { ...SUBJECT, base_url: 'http://localhost:2' };
  for (const subject of [other, SUBJECT])
    await (await openFrozenLog<Item>(dir, subject, { resume: false })).close();
  const empty = await arx(dir, `conversations verify ${dir} -o table`);
  expect([empty.exit, empty.stdout]).toEqual([3, expect.stringMatching(/^empty, 0 windows/)]);
  expect(await walkInto({ resume: false })).toEqual(TRUTH);
  await expect(openFrozenLog(dir, SUBJECT, { resume: false })).rejects.toMatchObject({ kind: 'unsafe' });
});

test.each([false, true])('a folder with other files is refused (resume: %s)', async (resume) => {
  await writeFile(join(dir, 'photo.jpg'), 'x');
  await expect(openFrozenLog(dir, SUBJECT, { resume })).rejects.toMatchObject({
    kind: 'unsafe',
    message: `${dir}: it is not empty, and holds no frozen walk`,
  });
  expect(await readdir(dir)).toEqual(['photo.jpg']);
});

test.each(['photo.jpg', WINDOWS_FILE])(
  'a walk that is not begun again for its %s keeps its walk.json, and can be continued',
  async (name) => {
    await writeFile(join(dir, SUBJECT_FILE), `${canonicalJson({ version: 1, ...SUBJECT })}\n`);
    // A link to itself can be listed, and not be asked for its size.
    await symlink(name, join(dir, name));
    const other = { ...SUBJECT, base_url: 'http://localhost:2' };
    await expect(openFrozenLog(dir, other, { resume: false })).rejects.toMatchObject({ kind: 'unsafe' });
    expect((await readdir(dir)).toSorted()).toEqual([name, SUBJECT_FILE].toSorted());
    await rm(join(dir, name));
    expect(await walkInto({ resume: true })).toEqual(TRUTH);
  },
);

test('a walk that was killed before its first line of doubts or of completion is begun again', async () => {
  await (await openFrozenLog<Item>(dir, SUBJECT, { resume: false })).close();
  for (const name of [UNRESOLVED_FILE, COMPLETION_FILE]) await writeFile(join(dir, name), '');
  expect(await walkInto({ resume: false })).toEqual(TRUTH);
});

test.each([WINDOWS_FILE, UNRESOLVED_FILE])(
  'a %s with lines is never begun again, also without walk.json',
  async (name) => {
    await writeFile(join(dir, name), '{}\n');
    await expect(openFrozenLog(dir, SUBJECT, { resume: false })).rejects.toMatchObject({
      kind: 'unsafe',
      message: `${dir} holds a frozen walk already`,
    });
    expect(await readdir(dir)).toEqual([name]);
  },
);

test('resume continues after the last window, without a gap or a repeated row', async () => {
  const first = await walkInto({ resume: false, windows: 2 });
  const second = await walkInto({ resume: true, windows: 1 });
  expect(first).toEqual(TRUTH.slice(0, first.length));
  expect(second).toEqual(TRUTH.slice(0, second.length));
  expect(second.length).toBeGreaterThan(first.length);
  expect(await walkInto({ resume: true })).toEqual(TRUTH);
  expect((await verifyFrozen(dir)).ids).toEqual(TRUTH);
});

test('resume without a log starts one, and a new walk never overwrites an old log', async () => {
  expect(await walkInto({ resume: true })).toEqual(TRUTH);
  await expect(walkInto({ resume: false })).rejects.toMatchObject({ kind: 'unsafe' });
  await expect(
    openFrozenLog(dir, { ...SUBJECT, base_url: 'http://other' }, { resume: true }),
  ).rejects.toMatchObject({
    kind: 'usage',
  });
  await expect(verifyFrozen(join(dir, 'none'))).rejects.toMatchObject({ kind: 'not_found' });
});

describe('kill -9 (I1, M7)', () => {
  test('a cut at every byte of the windows resumes right', async () => {
    await walkInto({ resume: false });
    const whole = await readFile(join(dir, WINDOWS_FILE));
    const rows = await readFile(join(dir, ROWS_FILE));
    for (let at = 0; at < whole.length; at++) {
      await writeFile(join(dir, WINDOWS_FILE), whole.subarray(0, at));
      await writeFile(join(dir, ROWS_FILE), rows);
      const lines = whole.subarray(0, at).toString().split('\n').length - 1;
      expect((await verifyFrozen(dir)).windows).toBe(lines);
      // Each resumed walk costs a dozen fsyncs: at the ends of lines and here and there.
      if (at % 61 !== 0 && whole[at] !== 10 && whole[at - 1] !== 10) continue;
      expect(await walkInto({ resume: true, limit: 100 })).toEqual(TRUTH);
      expect((await verifyFrozen(dir)).problems).toEqual([]);
    }
  });

  test('rows without a line are removed, wherever they are cut', async () => {
    await walkInto({ resume: false, windows: 2 });
    const windows = await readFile(join(dir, WINDOWS_FILE));
    const { rowsBytes } = await verifyFrozen(dir);
    await walkInto({ resume: true, windows: 1 });
    const rows = await readFile(join(dir, ROWS_FILE));
    for (let at = rowsBytes; at <= rows.length; at++) {
      await writeFile(join(dir, WINDOWS_FILE), windows);
      await writeFile(join(dir, ROWS_FILE), rows.subarray(0, at));
      expect(await verifyFrozen(dir)).toMatchObject({ windows: 2, problems: [], torn: at > rowsBytes });
      const ids = await walkInto({ resume: true, windows: 1 });
      expect(ids).toEqual(TRUTH.slice(0, ids.length));
      expect(await verifyFrozen(dir)).toMatchObject({ ids, problems: [], torn: false });
    }
  });

  test('a subject file cut inside a character is completed', async () => {
    const subject = { ...SUBJECT, base_url: 'http://localhost:1/ü😀' };
    await openFrozenLog(dir, subject, { resume: false }).then((log) => log.close());
    const whole = await readFile(join(dir, SUBJECT_FILE));
    for (let bytes = 0; bytes < whole.length; bytes++) {
      await writeFile(join(dir, SUBJECT_FILE), whole.subarray(0, bytes));
      await openFrozenLog(dir, subject, { resume: true }).then((log) => log.close());
      expect(await readFile(join(dir, SUBJECT_FILE))).toEqual(whole);
    }
  });

  test('a cut subject file without a tier is completed without one, once it says that it has none', async () => {
    const whole = Buffer.from(`${canonicalJson({ version: 1, ...SUBJECT })}\n`);
    const tier = whole.indexOf('"version"') + 1;
    for (let bytes = tier + 1; bytes <= whole.length; bytes++) {
      await writeFile(join(dir, SUBJECT_FILE), whole.subarray(0, bytes));
      const log = await openFrozenLog(dir, { ...SUBJECT, tier: 'internal' }, { resume: true });
      await log.close();
      expect(await readFile(join(dir, SUBJECT_FILE))).toEqual(whole);
    }
  });

  test('a cut subject file is completed', async () => {
    await walkInto({ resume: false, windows: 1 });
    await truncate(join(dir, 'walk.json'), 10);
    expect(await walkInto({ resume: true })).toEqual(TRUTH);
  });
});

describe('tampering', () => {
  test('a change of any byte of a line or a row is detected', async () => {
    await walkInto({ resume: false });
    const { head } = await verifyFrozen(dir);
    for (const file of [WINDOWS_FILE, ROWS_FILE]) {
      const whole = await readFile(join(dir, file));
      for (let at = 0; at < whole.length; at += 5) {
        const changed = Buffer.from(whole);
        changed[at]! ^= 1;
        await writeFile(join(dir, file), changed);
        const chain = await verifyFrozen(dir);
        expect(chain.problems.length > 0 || chain.head !== head).toBe(true);
      }
      await writeFile(join(dir, file), whole);
    }
  });

  test.each([
    ['a line left out', (lines: string[]) => lines.filter((_, n) => n !== 1), 'is numbered 3'],
    ['two lines swapped', ([a, b, ...rest]: string[]) => [b!, a!, ...rest], 'is numbered 2'],
    ['a line twice', ([a, ...rest]: string[]) => [a!, a!, ...rest], 'is numbered 1'],
    ['another spelling', ([a, ...rest]: string[]) => [a!.replace('{', '{ '), ...rest], 'is not a line'],
    ['prose', (lines: string[]) => ['hello', ...lines], 'is not a line'],
  ])('%s is named', async (_, change, what) => {
    await walkInto({ resume: false });
    const lines = (await readFile(join(dir, WINDOWS_FILE), 'utf8')).trimEnd().split('\n');
    await writeFile(
      join(dir, WINDOWS_FILE),
      change(lines).map((line) => `${line}\n`),
    );
    expect((await verifyFrozen(dir)).problems[0]?.what).toContain(what);
    await expect(walkInto({ resume: true })).rejects.toMatchObject({ kind: 'integrity' });
  });

  test.each([
    ['rows that are not JSON', 'prose\n', 'has rows of other ids'],
    ['a row that is nothing', 'null\n', 'has rows of other ids'],
    ['an id that is no text', '{"id":7}\n', 'has rows of other ids'],
    ['bytes after the last row', '{"id":"a"}\n{"id":"b"}', 'has a row without an end'],
  ])('%s are named, though every hash is right', async (_, rowsText, what) => {
    const line = canonicalJson({
      window: 1,
      after: null,
      ids: [7],
      rows_bytes: rowsText.length,
      rows_sha256: sha256(rowsText),
      reads: 1,
      disagreements: 0,
      drift_ratio: null,
      previous: '0'.repeat(64),
    });
    await writeFile(join(dir, WINDOWS_FILE), `${line}\n`);
    await writeFile(join(dir, ROWS_FILE), rowsText);
    expect((await verifyFrozen(dir)).problems[0]?.what).toBe(`window 1 ${what}`);
  });

  test.each([
    ['reads', -1],
    ['disagreements', '<b>'],
    ['drift_ratio', 'high'],
  ])('%s that are no figure are named', async (field, value) => {
    await walkInto({ resume: false, limit: 100 });
    const path = join(dir, WINDOWS_FILE);
    const [first, ...others] = (await readFile(path, 'utf8')).split('\n');
    const line = JSON.parse(first!) as object;
    await writeFile(path, [canonicalJson({ ...line, [field]: value }), ...others].join('\n'));
    expect((await verifyFrozen(dir)).problems[0]?.what).toContain('is not a line');
  });

  test('a later line that starts anywhere but after the last row is named', async () => {
    await walkInto({ resume: false });
    const path = join(dir, WINDOWS_FILE);
    const [first, second, ...rest] = (await readFile(path, 'utf8')).trimEnd().split('\n');
    for (const after of [null, 'conv_1']) {
      const changed = canonicalJson({ ...(JSON.parse(second!) as object), after });
      await writeFile(
        path,
        [first!, changed, ...rest].map((line) => `${line}\n`),
      );
      expect((await verifyFrozen(dir)).problems[0]?.what).toBe('window 2 leaves a gap');
    }
  });

  test('missing rows are named', async () => {
    await walkInto({ resume: false });
    await truncate(join(dir, ROWS_FILE), 20);
    expect((await verifyFrozen(dir)).problems[0]?.what).toContain('misses rows');
  });
});

describe('bytes that are not UTF-8 are damage, also where they decode to the same text', () => {
  const REPLACEMENT = Buffer.from('\uFFFD');
  const REPLACED_SUBJECT = { ...SUBJECT, base_url: 'http://localhost:1/\uFFFD' };

  /** Writes a complete log whose row has an id and a subject that hold U+FFFD. */
  async function writeLog(): Promise<void> {
    const log = await openFrozenLog<Item>(dir, REPLACED_SUBJECT, { resume: false });
    const row: Item = { id: 'a\uFFFD', subject: '\uFFFD' };
    const window = freezeWindow(
      1,
      null,
      [row],
      { reads: 1, disagreements: 0, drift_ratio: null },
      FIRST_PREVIOUS,
    );
    await log.append(window);
    await log.close();
    await recordCompletion(dir, { head: window.head, finished_at: 'now', late: ['b\uFFFD'] });
    await addUnresolvedRows(dir, { unplaced: ['c\uFFFD'], late: [] });
  }

  /** Replaces the first U+FFFD of a file by one byte that is not UTF-8. */
  async function damage(name: string): Promise<void> {
    const whole = await readFile(join(dir, name));
    const at = whole.indexOf(REPLACEMENT);
    expect(at).toBeGreaterThan(0);
    const rest = whole.subarray(at + REPLACEMENT.length);
    await writeFile(join(dir, name), Buffer.concat([whole.subarray(0, at), Buffer.of(0xff), rest]));
  }

  test('a line', async () => {
    await writeLog();
    expect((await verifyFrozen(dir)).problems).toEqual([]);
    await damage(WINDOWS_FILE);
    expect((await verifyFrozen(dir)).problems[0]?.what).toBe('window 1 is not a line of a frozen log');
    await expect(openFrozenLog(dir, REPLACED_SUBJECT, { resume: true })).rejects.toMatchObject({
      kind: 'integrity',
    });
  });

  test('a row, though its hash is right', async () => {
    await writeLog();
    await damage(ROWS_FILE);
    expect((await verifyFrozen(dir)).problems[0]?.what).toBe('window 1 misses rows');
    const rows = await readFile(join(dir, ROWS_FILE));
    const line = JSON.parse(await readFile(join(dir, WINDOWS_FILE), 'utf8')) as object;
    const forged = { ...line, rows_bytes: rows.length, rows_sha256: sha256(rows) };
    await writeFile(join(dir, WINDOWS_FILE), `${canonicalJson(forged)}\n`);
    expect((await verifyFrozen(dir)).problems[0]?.what).toBe('window 1 has rows that are not UTF-8');
  });

  test.each([SUBJECT_FILE, COMPLETION_FILE, UNRESOLVED_FILE])('%s', async (name) => {
    await writeLog();
    await expect(readFrozenWalk('dir', dir, () => {})).resolves.toBeDefined();
    await damage(name);
    await expect(readFrozenWalk('dir', dir, () => {})).rejects.toMatchObject({ kind: 'integrity' });
  });

  test('resume of a walk of which walk.json is damaged', async () => {
    await writeLog();
    await damage(SUBJECT_FILE);
    await expect(openFrozenLog(dir, REPLACED_SUBJECT, { resume: true })).rejects.toMatchObject({
      kind: 'usage',
    });
  });

  test('a torn completion is removed to the byte', async () => {
    await recordCompletion(dir, { head: null, finished_at: 'ü', late: [] });
    const path = join(dir, COMPLETION_FILE);
    const whole = await readFile(path);
    await writeFile(path, Buffer.concat([whole, Buffer.from('{"head":"\uFFFD').subarray(0, -1)]));
    await recordCompletion(dir, { head: null, finished_at: 'now', late: [] });
    expect(await readCompletions(dir)).toHaveLength(2);
    expect((await readFile(path)).subarray(0, whole.length)).toEqual(whole);
  });
});

describe('names taken by others', () => {
  test.each([WINDOWS_FILE, ROWS_FILE, SUBJECT_FILE])('a link named %s is not followed', async (name) => {
    const victim = join(dir, 'victim');
    await writeFile(victim, 'precious');
    await mkdir(join(dir, 'log'));
    await symlink(victim, join(dir, 'log', name));
    await expect(openFrozenLog(join(dir, 'log'), SUBJECT, { resume: true })).rejects.toMatchObject({
      kind: 'unsafe',
    });
    expect(await readFile(victim, 'utf8')).toBe('precious');
  });

  test.each([WINDOWS_FILE, ROWS_FILE, SUBJECT_FILE])('a FIFO named %s never makes it wait', async (name) => {
    execFileSync('mkfifo', [join(dir, name)]);
    await expect(openFrozenLog(dir, SUBJECT, { resume: true })).rejects.toMatchObject({ kind: 'unsafe' });
  });

  test('a FIFO never makes a check wait', async () => {
    execFileSync('mkfifo', [join(dir, WINDOWS_FILE)]);
    await expect(verifyFrozen(dir)).rejects.toMatchObject({ kind: 'unsafe' });
  });
});
