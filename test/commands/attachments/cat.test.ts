// `arx attachments cat`: exact bytes, verified before they leave, and an error that a pipe sees where a long file turns out wrong.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_HELD_BYTES } from '../../../src/download/held-stream.ts';
import { serveCatalogue, type ForeignFile } from '../../support/catalogue-server.ts';
import { arx, type Ran } from '../../support/command.ts';
import { sha256Of } from '../../support/digest.ts';
import type { FakeWorldOptions } from '../../support/fake-world.ts';
import { answer, type Misbehaving } from '../../support/misbehaving-server.ts';
import { numberedText } from '../../support/numbered-text.ts';
import { ranged } from '../../support/ranges.ts';
import { sampleData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('cat')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const cat = (line: string, options: FakeWorldOptions = {}): Promise<Ran> =>
  arx(dir, `attachments cat ${line}${server === undefined ? '' : ` --base-url ${server.url}`}`, {
    env: { LANG: 'C.UTF-8', ...(server && { ARX_TOKEN: 'arx_0123456789.abcdefghijklmnop' }) },
    ...options,
  });
const serve = async (files: readonly ForeignFile[]): Promise<void> => {
  server = await serveCatalogue(files);
};

describe('the sample archive', () => {
  beforeEach(() => sampleData(`${dir}/data`));

  test('the bytes of files, one after the other, as their hashes say', async () => {
    const shown = JSON.parse((await arx(dir, 'attachments show att_1 --json')).stdout) as { sha256: string };
    const one = await cat('att_1');
    expect(one).toMatchObject({ exit: 0, stderr: '' });
    expect(sha256Of(one.bytes)).toBe(shown.sha256);
    const twice = await cat('att_1 att_1');
    expect(twice.bytes.equals(Buffer.concat([one.bytes, one.bytes]))).toBe(true);
  });

  test('ids from standard input, as lines or as rows', async () => {
    const one = await cat('att_1');
    expect((await cat('-', { stdin: 'att_1\n\n' })).bytes.equals(one.bytes)).toBe(true);
    const rows = (await arx(dir, 'attachments ls --limit 1 -o ndjson')).stdout;
    expect((await cat('-', { stdin: rows })).bytes.equals(one.bytes)).toBe(true);
  });

  test('what has no bytes is a failure; the other files come', async () => {
    const one = await cat('att_1');
    const ran = await cat('att_5 att_1 att_99999');
    expect(ran.exit).toBe(6);
    expect(ran.bytes.equals(one.bytes)).toBe(true);
    expect(ran.stderr).toMatch(/att_5 is withheld.*it has no bytes to write \[partial\]/);
    expect(ran.stderr).toMatch(/no attachment att_99999/);
    expect(await cat('att_5')).toMatchObject({ exit: 3, stdout: '' });
  });

  test('a picture is refused on a terminal', async () => {
    const ran = await cat('att_1', { columns: 80 });
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toContain('--allow-escape-sequences');
    const allowed = await cat('att_1 --allow-escape-sequences', { columns: 80 });
    expect(allowed.bytes.equals((await cat('att_1')).bytes)).toBe(true);
  });

  test.each(['att_1 --json', 'att_1 -o tsv'])('%s is no form of bytes', async (line) => {
    expect(await cat(line)).toMatchObject({ exit: 2, stdout: '' });
  });
});

const LONG = numberedText(MAX_HELD_BYTES * 2 + 1000);

describe('services that send other bytes', () => {
  test('a short file with another hash: not one byte', async () => {
    await serve([{ content: 'right', script: (socket) => socket.write(answer(200, 'wrong')) }]);
    const ran = await cat('att_1');
    expect(ran).toMatchObject({ exit: 12, stdout: '' });
    expect(ran.stderr).toMatch(/att_1: expected sha256 [0-9a-f]{64}, got/);
    expect(ran.stderr).toContain('nothing was written');
  });

  test('a long file with another hash is cut at least 8.4 MB before its end, and nothing follows it', async () => {
    await serve([
      { content: LONG, script: (socket) => socket.write(answer(200, `${LONG.slice(0, -1)}y`)) },
      { content: 'next' },
    ]);
    const ran = await cat('att_1 att_2');
    expect(ran.exit).toBe(12);
    expect(ran.bytes.length).toBe(MAX_HELD_BYTES);
    expect(ran.stderr).toContain(`only the first bytes were written: ${MAX_HELD_BYTES}`);
  });

  test('a file that is longer than its row says', async () => {
    await serve([{ content: 'right', row: { bytes: 3 } }]);
    expect(await cat('att_1')).toMatchObject({ exit: 12, stdout: '' });
  });

  test('no hash: nothing can be verified', async () => {
    await serve([{ content: 'a', row: { sha256: undefined } }]);
    const ran = await cat('att_1');
    expect(ran).toMatchObject({ exit: 3, stdout: '' });
    expect(ran.stderr).toContain('gives no SHA-256');
  });

  test('an address of another host is not followed', async () => {
    await serve([{ content: 'a', row: { file_url: 'http://169.254.169.254/x' } }]);
    expect(await cat('att_1')).toMatchObject({ exit: 13, stdout: '' });
  });
});

describe('a download that breaks off', () => {
  test.each([
    ['short', 'hello world', 5],
    ['long', LONG, MAX_HELD_BYTES * 2 + 10],
  ])('is continued, %s', async (_, content, cutAfter) => {
    await serve([{ content, script: ranged({ content, cutAfter }) }]);
    const ran = await cat('att_1');
    expect(ran).toMatchObject({ exit: 0, stderr: '' });
    expect(ran.stdout === content).toBe(true);
  });

  test('is repeated where the server has no ranges; the first bytes are compared', async () => {
    const cut = ranged({ content: LONG, cutAfter: MAX_HELD_BYTES * 2 + 10, etag: '' });
    await serve([{ content: LONG, script: cut }]);
    const ran = await cat('att_1');
    expect(ran).toMatchObject({ exit: 0, stderr: '' });
    expect(ran.stdout === LONG).toBe(true);
  });

  test('is given up where the server has another file by then', async () => {
    const other = `y${LONG.slice(1)}`;
    const cut = ranged({ content: other, cutAfter: MAX_HELD_BYTES * 2 + 10, etag: '' });
    await serve([
      {
        content: LONG,
        script: (socket, count, head) =>
          (count === 0 ? cut : ranged({ content: LONG, etag: '' }))(socket, count, head),
      },
    ]);
    const ran = await cat('att_1');
    expect(ran.exit).toBe(12);
    expect(ran.stderr).toContain('other bytes than before');
    expect(ran.bytes.length).toBe(MAX_HELD_BYTES);
  });
});

test('a long text is refused on a terminal as a whole', async () => {
  await serve([{ content: LONG }]);
  const ran = await cat('att_1', { columns: 80 });
  expect(ran).toMatchObject({ exit: 2, stdout: '' });
  expect(ran.stderr).toContain('larger than 8.4 MB');
  expect(ran.stderr).not.toContain('first bytes');
});
