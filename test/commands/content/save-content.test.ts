// `arx content get MSG --save DIR`: which files are saved, under which names, and what is never replaced.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PullReport } from '../../../src/contract/reports/files.ts';
import { arx, exitRecordOf, type Ran } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { answer, misbehave, type Misbehaving } from '../../support/misbehaving-server.ts';
import { sampleData } from '../../support/sample.ts';
import { sha256Of } from '../../support/digest.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('save')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const saved = (name: string): Buffer => readFileSync(join(dir, 'kept', name));
const names = (): string[] => readdirSync(join(dir, 'kept')).sort();
const reportOf = ({ stdout }: Ran) => PullReport.parse(JSON.parse(stdout));

describe('the sample archive', () => {
  beforeEach(() => sampleData(join(dir, 'data')));

  test('the record as received, the stored bytes, and the files it names, each checked; a second time nothing is written', async () => {
    const first = await arx(dir, 'content get msg_1 --save kept --json');
    expect([first.exit, first.stderr]).toEqual([0, 'arx: the record is in msg_1.raw.json\n']);
    expect(names()).toEqual(['lisbon-000.jpg', 'msg_1.eml', 'msg_1.raw.json']);
    const raw = (await arx(dir, 'content get msg_1 --raw')).bytes;
    expect(saved('msg_1.eml').equals(raw)).toBe(true);
    const { data } = JSON.parse(saved('msg_1.raw.json').toString()) as { data: Record<string, string> };
    expect([data['id'], data['sha256']]).toEqual(['msg_1', sha256Of(raw)]);
    const { files, fixity, completeness } = reportOf(first);
    expect([fixity, completeness]).toEqual(['ok', 'complete']);
    expect(files.map(({ path, id, verdict }) => [path, id, verdict])).toEqual([
      ['msg_1.eml', 'msg_1', 'match'],
      ['lisbon-000.jpg', 'att_1', 'match'],
    ]);
    for (const { path, actual } of files) expect(sha256Of(saved(path!))).toBe(actual);
    const again = await arx(dir, 'content get msg_1 --save kept --json');
    expect([again.exit, reportOf(again).files[1]]).toMatchObject([0, { verdict: 'match', attempts: 0 }]);
  });

  test('the lore view with its assets, beside the raw one', async () => {
    expect((await arx(dir, 'content get msg_1 --save kept')).exit).toBe(0);
    expect((await arx(dir, 'content get msg_1 --view lore --pipeline --save kept')).exit).toBe(0);
    expect(names()).toEqual(['lisbon-000.jpg', 'msg_1.eml', 'msg_1.lore.json', 'msg_1.raw.json']);
    expect(JSON.parse(saved('msg_1.lore.json').toString())).toMatchObject({
      view: 'lore',
      data: { id: 'msg_1' },
    });
  });

  test('what is withheld is named: exit 3, and the rest is there', async () => {
    const ran = await arx(dir, 'content get msg_14 --save kept --json');
    expect(ran.exit).toBe(3);
    expect(reportOf(ran).files.map(({ id, verdict, path }) => [id, verdict, path])).toEqual([
      ['msg_14', 'withheld', null],
      ['att_5', 'withheld', null],
    ]);
    expect(names()).toEqual(['msg_14.raw.json']);
    expect(exitRecordOf(ran)).toMatchObject({
      message: 'the bytes of msg_14 hold withheld files: att_5',
      kept: 'the record, in msg_14.raw.json',
      others: [{ message: '1 of 1 file is withheld' }],
    });
  });

  test.each(['msg_1.eml', 'lisbon-000.jpg'])(
    'other content under %s stays: exit 13, the rest comes; --force replaces it',
    async (name) => {
      mkdirSync(join(dir, 'kept'));
      writeFileSync(join(dir, 'kept', name), 'mine');
      const ran = await arx(dir, 'content get msg_1 --save kept');
      expect([ran.exit, saved(name).toString()]).toEqual([13, 'mine']);
      expect(names()).toHaveLength(3);
      expect((await arx(dir, 'content get msg_1 --save kept --force')).exit).toBe(0);
      expect(saved(name).toString()).not.toBe('mine');
    },
  );

  test.each([
    ['--save kept --raw', 2],
    ['--force', 2],
  ])('%s: refused', async (flags, code) => {
    expect((await arx(dir, `content get msg_1 ${flags}`)).exit).toBe(code);
  });

  test('a file in the place of the folder is refused; a link there is followed, below it none', async () => {
    writeFileSync(join(dir, 'kept'), '');
    expect((await arx(dir, 'content get msg_1 --save kept')).exit).toBe(13);
    mkdirSync(join(dir, 'real'));
    symlinkSync('real', join(dir, 'link'));
    symlinkSync('/etc/passwd', join(dir, 'real/msg_1.eml'));
    expect((await arx(dir, 'content get msg_1 --save link')).exit).toBe(13);
    expect(readdirSync(join(dir, 'real')).sort()).toEqual(['lisbon-000.jpg', 'msg_1.eml', 'msg_1.raw.json']);
  });
});

test('the stored bytes of a file of a folder are JSON, and named so', async () => {
  mkdirSync(join(dir, 'folder'));
  writeFileSync(join(dir, 'folder', 'notes.txt'), 'notes\n');
  expect((await arx(dir, 'import folder')).exit).toBe(0);
  expect((await arx(dir, 'content get msg_1 --save kept')).exit).toBe(0);
  expect(names()).toEqual(['msg_1.json', 'msg_1.raw.json', 'notes.txt']);
  expect(JSON.parse(saved('msg_1.json').toString())).toMatchObject({ path: 'notes.txt', bytes: 6 });
});

describe('a foreign service', () => {
  const STORED = 'stored';
  /** Answers for the message, and for the attachments by their ids. */
  async function get(
    message: string,
    data: object,
    rows: (url: string) => Record<string, object> = () => ({}),
    flags = '',
  ): Promise<Ran> {
    server = await misbehave((socket, { head }) => {
      const path = decodeURIComponent(/ ([^ ?]+)/.exec(head)?.[1] ?? '');
      const row = rows(server!.url)[path.replace('/v1/attachments/', '')];
      if (path.startsWith('/api/content/')) socket.write(answer(200, JSON.stringify({ view: 'raw', data })));
      else if (path.startsWith('/files/')) socket.write(answer(200, path.slice(7)));
      else if (row !== undefined)
        socket.write(
          answer(
            200,
            JSON.stringify({ redacted: false, decorative_layer: false, first_visible: true, ...row }),
          ),
        );
      else if (path === '/api/health') socket.write(answer(200, '{"status":"ok"}'));
      else if (path === '/v1/attachments') socket.write(answer(200, '{"data":[],"has_more":false}'));
      else socket.write(answer(404, '{"error":{"code":"not_found","message":"no"}}'));
    });
    const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'arx_0123456789.abcdefghijklmnop' };
    return arx(dir, `content get ${message} --save kept --json --base-url ${server.url} ${flags}`, { env });
  }
  const bytes = { raw_base64: Buffer.from(STORED).toString('base64'), sha256: sha256Of(STORED) };

  test('names that lead out of the folder, meet each other or that of the record stay in it', async () => {
    const ids = ['a', 'b', 'c'];
    const ran = await get('../../m', { id: '../../m', ...bytes, attachments: ids }, (url) => ({
      a: { id: 'a', filename: '../up', file_url: `${url}/files/one`, sha256: sha256Of('one') },
      b: { id: 'b', filename: 'same.txt', file_url: `${url}/files/two`, sha256: sha256Of('two') },
      c: { id: 'c', filename: 'SAME.txt', file_url: `${url}/files/three`, sha256: sha256Of('three') },
    }));
    expect(ran.exit).toBe(0);
    expect(reportOf(ran).files.every(({ verdict }) => verdict === 'match')).toBe(true);
    expect(names()).toHaveLength(5);
    expect(readdirSync(dir)).not.toContain('up');
    expect(
      names()
        .map((name) => saved(name).toString())
        .sort(),
    ).toEqual(expect.arrayContaining(['one', 'stored', 'three', 'two']));
  });

  test.each(['unknown', 'constructor'])('stored bytes of the format %s are saved as .bin', async (format) => {
    const ran = await get('msg_1', { id: 'msg_1', format, ...bytes });
    expect([ran.exit, names()]).toEqual([0, ['msg_1.bin', 'msg_1.raw.json']]);
  });

  test('a file that would take the name of the record gets another', async () => {
    const ran = await get('msg_1', { id: 'msg_1', ...bytes, attachments: ['a'] }, (url) => ({
      a: { id: 'a', filename: 'msg_1.raw.json', file_url: `${url}/files/one`, sha256: sha256Of('one') },
    }));
    expect([ran.exit, names()]).toEqual([0, ['a-msg_1.raw.json', 'msg_1.bin', 'msg_1.raw.json']]);
  });

  test.each<[string, object, number, string[]]>([
    ['other bytes than their hash', { ...bytes, sha256: 'ab'.repeat(32) }, 12, ['msg_1.raw.json']],
    ['bytes without a hash', { raw_base64: bytes.raw_base64 }, 11, ['msg_1.raw.json']],
    ['a file of another hash', { ...bytes, attachments: ['a'] }, 12, ['msg_1.bin', 'msg_1.raw.json']],
    [
      'an asset that the catalogue does not have',
      { ...bytes, attachments: ['gone'] },
      0,
      ['msg_1.bin', 'msg_1.raw.json'],
    ],
  ])('%s', async (_, data, exit, kept) => {
    const ran = await get('msg_1', { id: 'msg_1', ...data }, (url) => ({
      a: { id: 'a', filename: 'a.txt', file_url: `${url}/files/other`, sha256: sha256Of('one') },
    }));
    expect([ran.exit, names()]).toEqual([exit, kept]);
  });
});
