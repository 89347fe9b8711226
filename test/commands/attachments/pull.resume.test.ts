// `arx attachments pull` after an interruption: bad inputs D6 to D9, ranges, and which partial files are resumed.
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PullReport } from '../../../src/contract/reports/files.ts';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { partialKeyOf, partialFileName } from '../../../src/download/partial-names.ts';
import { serveCatalogue } from '../../support/catalogue-server.ts';
import { arx, type Ran } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { answer, type Misbehaving } from '../../support/misbehaving-server.ts';
import { ranged, type Ranges } from '../../support/ranges.ts';
import { NOON, type FakeWorldOptions } from '../../support/fake-world.ts';
import { sha256Of } from '../../support/digest.ts';

const CONTENT = 'The quick brown fox jumps over the lazy dog.';
const ETAG = '"v1"';
/** No process has it, as far as the test's world says. */
const DEAD = 4_000_000;

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('resume')));
beforeEach(() => {
  mkdirSync(join(dir, 'dl'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const serve = async (ranges: Partial<Ranges> = {}, row: Record<string, unknown> = {}): Promise<void> => {
  await server?.close();
  server = await serveCatalogue([{ content: CONTENT, row, script: ranged({ content: CONTENT, ...ranges }) }]);
};
const pull = (line = '', options: FakeWorldOptions = {}): Promise<Ran> =>
  arx(dir, `attachments pull att_1 --to dl --base-url ${server!.url} --json ${line}`, {
    env: { LANG: 'C.UTF-8', ARX_TOKEN: 'arx_0.a' },
    ...options,
  });
const fileOf = ({ stdout }: Ran) => PullReport.parse(JSON.parse(stdout)).files[0];
const asked = () => server!.requests.filter(({ head }) => head.includes('/files/')).map(({ head }) => head);
const parts = () => readdirSync(join(dir, 'dl')).filter((name) => name.endsWith('.part'));
const left = (
  bytes: string,
  { etag = ETAG, pid = DEAD, name = partialFileName(partialKeyOf(sha256Of(CONTENT)), pid, etag) } = {},
) => {
  const path = join(dir, 'dl', name);
  writeFileSync(path, bytes);
  utimesSync(path, NOON / 1000 - 60, NOON / 1000 - 60);
  return path;
};
const isWhole = () => {
  expect(readFileSync(join(dir, 'dl/file-1.txt'), 'utf8')).toBe(CONTENT);
  expect(readdirSync(join(dir, 'dl')).sort()).toEqual([MANIFEST_FILE, 'file-1.txt']);
};

describe('D6: a partial file is resumed', () => {
  test('in the same run, after the body was cut', async () => {
    await serve({ cutAfter: 10 });
    const ran = await pull();
    expect([ran.exit, fileOf(ran)]).toMatchObject([0, { verdict: 'match', attempts: 2, resumed_from: 10 }]);
    expect(asked()[1]).toMatch(/range: bytes=10-\r\nif-range: "v1"/);
    isWhole();
  });

  test('A3: in the next run, after the last try was cut', async () => {
    await serve({ cutAfter: 10 });
    const cut = await pull('--retries 0');
    expect([cut.exit, fileOf(cut)?.verdict]).toEqual([10, 'missing']);
    expect(parts()).toHaveLength(1);
    expect(existsSync(join(dir, 'dl/file-1.txt'))).toBe(false);
    const ran = await pull();
    expect([ran.exit, fileOf(ran)]).toMatchObject([0, { attempts: 1, resumed_from: 10 }]);
    isWhole();
  });

  test('after a kill', async () => {
    left(CONTENT.slice(0, 20));
    await serve();
    const ran = await pull();
    expect(fileOf(ran)).toMatchObject({
      verdict: 'match',
      attempts: 1,
      resumed_from: 20,
      bytes: CONTENT.length,
    });
    isWhole();
  });

  test.each([{}, { bytes: CONTENT.length }])(
    'a part that is all of it needs no request, row %j',
    async (row) => {
      left(CONTENT);
      await serve({}, row);
      expect(fileOf(await pull())).toMatchObject({ verdict: 'match', attempts: 0 });
      expect(asked()).toEqual([]);
      isWhole();
    },
  );
});

describe('it is begun anew', () => {
  test.each([
    ['the file has another ETag now', { etag: '"v2"' }, CONTENT.slice(0, 20)],
    ['D7: the part was tampered with', {}, 'The quick brown cat '],
    ['416: the part is longer than the file', {}, `${CONTENT} and more`],
    ['a 206 is of another ETag', { headers: { etag: '"v2"' } }, CONTENT.slice(0, 20)],
  ])('where %s', async (_, ranges, bytes) => {
    left(bytes);
    await serve(ranges);
    const ran = await pull();
    expect([ran.exit, fileOf(ran)]).toMatchObject([0, { verdict: 'match', resumed_from: 0 }]);
    isWhole();
  });

  test('D7: once, and a file that is wrong from its start too is a mismatch', async () => {
    left('The quick brown cat ');
    await serve({ content: CONTENT.toUpperCase() });
    const ran = await pull();
    expect([ran.exit, fileOf(ran)?.verdict]).toEqual([12, 'mismatch']);
    expect(asked()).toHaveLength(2);
    expect(readdirSync(join(dir, 'dl'))).toEqual([MANIFEST_FILE]);
  });

  test.each(['W/"v1"', '', `"${'x'.repeat(200)}"`])(
    'D9: where the ETag %j does not allow more',
    async (etag) => {
      await serve({ etag, cutAfter: 10 });
      const ran = await pull();
      expect(fileOf(ran)).toMatchObject({ verdict: 'match', attempts: 2, resumed_from: 0 });
      expect(asked()[1]).not.toMatch(/range/);
      isWhole();
    },
  );

  test('D9: of such a file no part stays', async () => {
    await serve({ etag: 'W/"v1"', cutAfter: 10 });
    expect((await pull('--retries 0')).exit).toBe(10);
    expect(parts()).toEqual([]);
  });
});

test.each([
  ['other bytes', 'bytes 0-43/44'],
  ['not to the end', 'bytes 20-30/44'],
  ['longer than the body', 'bytes 20-99/100'],
  ['beside the unit', 'lines 20-43/44'],
  ['another total', 'bytes 20-43/45'],
  ['none, as of several parts', ''],
])('D8 after a 206 with a wrong Content-Range (%s) the file is begun anew', async (_, range) => {
  left(CONTENT.slice(0, 20));
  const headers: Record<string, string> =
    range === '' ? { 'content-type': 'multipart/byteranges; boundary=x' } : { 'content-range': range };
  await serve({ only: answer(206, CONTENT.slice(20), { etag: ETAG, ...headers }).toString() });
  const ran = await pull();
  expect([ran.exit, fileOf(ran)]).toMatchObject([0, { verdict: 'match', resumed_from: 0 }]);
  expect(asked()).toHaveLength(2);
  isWhole();
});

test('D8 a server that sends a range for the whole file too is refused, and no part stays', async () => {
  left(CONTENT.slice(0, 20));
  const range = answer(206, CONTENT, { etag: ETAG, 'content-range': 'bytes 0-43/44' });
  server = await serveCatalogue([{ content: CONTENT, script: (socket) => void socket.write(range) }]);
  expect((await pull()).exit).toBe(11);
  expect(asked()).toHaveLength(2);
  expect(parts()).toEqual([]);
});

describe('whose part it is', () => {
  test('a living process keeps its own, and the file comes whole beside it', async () => {
    const path = left(CONTENT.slice(0, 20), { pid: 1 });
    await serve();
    // The process is there as far as this world knows.
    const ran = await pull('', { running: (pid) => pid === 1 });
    expect(fileOf(ran)).toMatchObject({ verdict: 'match', resumed_from: 0 });
    expect(readFileSync(path, 'utf8')).toBe(CONTENT.slice(0, 20));
  });

  test('another name of it is never written to', async () => {
    const path = left(CONTENT.slice(0, 20));
    linkSync(path, join(dir, 'victim'));
    await serve();
    expect(fileOf(await pull())).toMatchObject({ verdict: 'match', resumed_from: 0 });
    expect(readFileSync(join(dir, 'victim'), 'utf8')).toBe(CONTENT.slice(0, 20));
    isWhole();
  });

  test('partial files of dead processes are removed: without an ETag at once, others after two weeks', async () => {
    const day = 24 * 3600;
    const own = left('x', { name: partialFileName('0'.repeat(16), DEAD) });
    const old = left('x', { name: partialFileName('1'.repeat(16), DEAD, ETAG) });
    const young = left('x', { name: partialFileName('2'.repeat(16), DEAD, ETAG) });
    utimesSync(old, NOON / 1000 - 15 * day, NOON / 1000 - 15 * day);
    utimesSync(young, NOON / 1000 - 13 * day, NOON / 1000 - 13 * day);
    await serve();
    expect((await pull()).exit).toBe(0);
    expect([own, old, young].map((path) => existsSync(path))).toEqual([false, false, true]);
  });

  test('of several parts of a file the longest is resumed, and none stays', async () => {
    left(CONTENT.slice(0, 20));
    left(CONTENT.slice(0, 30), { pid: DEAD + 1 });
    left(CONTENT.slice(0, 10), { pid: DEAD + 2 });
    await serve();
    expect(fileOf(await pull())).toMatchObject({ verdict: 'match', resumed_from: 30 });
    isWhole();
  });

  test('none stays of a file that is there already', async () => {
    await serve();
    await pull();
    const [whole, begun] = [left(CONTENT), left(CONTENT.slice(0, 20), { etag: '"v2"', pid: DEAD + 1 })];
    const other = left('x', { name: partialFileName('2'.repeat(16), DEAD, ETAG) });
    expect(fileOf(await pull())).toMatchObject({ verdict: 'match', attempts: 0 });
    expect([whole, begun, other].map((path) => existsSync(path))).toEqual([false, false, true]);
  });

  test('none stays of a file that another pull names first', async () => {
    const script = ranged({ content: CONTENT, etag: ETAG });
    server = await serveCatalogue([
      {
        content: CONTENT,
        script: (...request) => {
          writeFileSync(join(dir, 'dl/file-1.txt'), CONTENT);
          script(...request);
        },
      },
    ]);
    expect((await pull()).exit).toBe(0);
    isWhole();
  });
});
