// `arx content get --raw` for messages too long for one response, and with hostile services.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { answer, misbehave, type Misbehaving } from '../../support/misbehaving-server.ts';
import { sha256Of } from '../../support/digest.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('content')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

test('a mail of 12 MB comes back byte for byte, and is shown', async () => {
  const line = 'a line of a letter that is much too long to be read at once\n';
  const mail = `Subject: long\nFrom: a@b\n\n${line.repeat(200_000)}`;
  writeFileSync(join(dir, 'long.eml'), mail);
  expect((await arx(dir, 'import long.eml')).exit).toBe(0);
  const raw = await arx(dir, 'content get msg_1 --raw');
  expect(raw).toMatchObject({ exit: 0, stderr: '' });
  expect(raw.bytes.equals(Buffer.from(mail))).toBe(true);
  const shown = await arx(dir, 'content get msg_1 --json');
  expect(shown.exit).toBe(0);
  const { data } = JSON.parse(shown.stdout) as { data: Record<string, unknown> };
  expect(data).toMatchObject({ subject: 'long', bytes: mail.length, truncated: ['text'] });
  expect(data['raw_url']).toMatch(/^http:\/\/127\.0\.0\.1:4748\/messages\/msg_1\/internal\//);
  expect((await arx(dir, 'content get msg_1 -o table')).stdout).toMatch(/truncated .*text/);
});

test('--raw and the lore view are two things; --raw and the raw view are one', async () => {
  writeFileSync(join(dir, 'a.eml'), 'Subject: a\nFrom: a@b\n\na\n');
  expect((await arx(dir, 'import a.eml')).exit).toBe(0);
  const both = await arx(dir, 'content get msg_1 --view lore --raw');
  expect(both).toMatchObject({ exit: 2, stdout: '' });
  expect(both.stderr).toContain('choose one');
  const raw = await arx(dir, 'content get msg_1 --raw');
  expect(await arx(dir, 'content get msg_1 --view raw --raw')).toEqual({ ...raw, exit: 0 });
});

test.each([
  ['C1', 'a\u009b2Jb'],
  ['C1 in 8 bits', Buffer.from('a\x9b2Jb', 'latin1')],
  ['DEL', 'a\x7fb'],
  ['a lone CR', 'harmless\rhidden'],
  ['a direction mark', 'gpj.\u202eexe'],
  ['an isolate', '\u2066a'],
  ['an escape sequence', '\x1b[2J'],
])('F4, F8 %s in stored bytes is refused on a terminal, and exact in a pipe', async (_, text) => {
  const mail = Buffer.concat([Buffer.from('Subject: a\nFrom: a@b\n\n'), Buffer.from(text)]);
  writeFileSync(join(dir, 'a.eml'), mail);
  expect((await arx(dir, 'import a.eml')).exit).toBe(0);
  const shown = await arx(dir, 'content get msg_1 --raw', { columns: 80 });
  expect(shown).toMatchObject({ exit: 2, stdout: '' });
  const allowed = await arx(dir, 'content get msg_1 --raw --allow-escape-sequences', { columns: 80 });
  expect(allowed.bytes.equals(mail)).toBe(true);
  expect((await arx(dir, 'content get msg_1 --raw')).bytes.equals(mail)).toBe(true);
});

test('letters, tabs and line ends of stored bytes are shown on a terminal', async () => {
  const mail = Buffer.from('Subject: a\r\nFrom: a@b\r\n\r\nGrüße\t漢字 👍\r\nend\n');
  writeFileSync(join(dir, 'a.eml'), mail);
  expect((await arx(dir, 'import a.eml')).exit).toBe(0);
  const shown = await arx(dir, 'content get msg_1 --raw', { columns: 80 });
  expect(shown).toMatchObject({ exit: 0 });
  expect(shown.bytes.equals(mail)).toBe(true);
});

describe('a foreign service', () => {
  const STORED = 'Subject: x\n\nstored\n';
  const sha256 = sha256Of(STORED);

  /** The raw record has these fields besides its id; the bytes are under /stored. */
  async function get(fields: (url: string) => object, first: string | Uint8Array = answer(200, STORED)) {
    let reads = 0;
    server = await misbehave((socket, { head }) => {
      const path = / (\S+) /.exec(head)?.[1] ?? '';
      if (path === '/stored')
        socket[first === CUT && reads === 0 ? 'end' : 'write'](reads++ === 0 ? first : answer(200, STORED));
      else if (path.startsWith('/api/content/')) {
        const data = { id: 'msg_1', ...fields(server!.url) };
        socket.write(answer(200, JSON.stringify({ view: 'raw', data })));
      } else socket.write(answer(200, '{"status":"ok"}'));
    });
    const ran = await arx(dir, `content get msg_1 --raw --base-url ${server.url}`, {
      env: { LANG: 'C.UTF-8', ARX_TOKEN: 'arx_0123456789.abcdefghijklmnop' },
    });
    return { ...ran, asked: server.requests.map(({ head }) => head) };
  }
  const at = (url: string) => ({ raw_url: `${url}/stored`, sha256 });

  /** A body that breaks off. */
  const CUT = answer(200, STORED).toString().slice(0, -3);
  test.each([
    ['gives other bytes once', answer(200, STORED.replace('x', 'y'))],
    ['breaks off once', CUT],
  ])('that %s is asked once more', async (_, first) => {
    const { exit, stdout, asked } = await get(at, first);
    expect([exit, stdout]).toEqual([0, STORED]);
    expect(asked.filter((head) => head.includes('/stored'))).toHaveLength(2);
  });

  test('gives them by their address, to which no token goes', async () => {
    const { exit, stdout, asked } = await get((url) => ({ ...at(url), bytes: STORED.length }));
    expect([exit, stdout]).toEqual([0, STORED]);
    const fetched = asked.find((head) => head.includes('/stored'));
    expect(fetched).not.toMatch(/authorization/i);
  });

  test('is asked nothing more where they are within', async () => {
    const { exit, stdout, asked } = await get((url) => ({
      ...at(url),
      raw_base64: Buffer.from(STORED).toString('base64'),
    }));
    expect([exit, stdout, asked.length]).toEqual([0, STORED, 1]);
  });

  test.each<[name: string, fields: (url: string) => object, exit: number, says: RegExp]>([
    ['sends none', () => ({ sha256 }), 3, /the bytes of msg_1 are not given/],
    ['sends null', () => ({ sha256, raw_url: null }), 3, /are not given/],
    ['withholds files', () => ({ sha256, withheld: ['att_7'] }), 3, /withheld files: att_7/],
    ['says no hash', (url) => ({ raw_url: `${url}/stored` }), 11, /sha256/],
    ['says another hash', (url) => ({ ...at(url), sha256: 'ab'.repeat(32) }), 12, /expected sha256 abab/],
    ['sends more than it says', (url) => ({ ...at(url), bytes: 5 }), 12, /longer than the 5 bytes/],
    ['says too many', (url) => ({ ...at(url), bytes: 1e12 }), 11, /claims 1000000000000 bytes/],
    ['names another host', () => ({ sha256, raw_url: 'http://127.0.0.1:9/stored' }), 13, /127\.0\.0\.1:9/],
    ['names a local file', () => ({ sha256, raw_url: 'file:///etc/passwd' }), 13, /./],
    [
      'names what is not there',
      (url) => ({ sha256, raw_url: `${url}/api/content/x` }),
      12,
      /expected sha256/,
    ],
  ])('that %s: nothing is written', async (_name, fields, exit, says) => {
    const ran = await get(fields);
    expect(ran).toMatchObject({ exit, stdout: '' });
    expect(ran.stderr).toMatch(says);
  });
});

describe('several messages', () => {
  const mailOf = (name: string): string => `From: ${name}@x\nSubject: ${name}\n\ntext of ${name}\n`;
  beforeEach(async () => {
    for (const name of ['a', 'b']) writeFileSync(join(dir, `${name}.eml`), mailOf(name));
    expect((await arx(dir, 'import a.eml b.eml')).exit).toBe(0);
  });

  test('are a list in JSON, one below the other for people, each as it is alone', async () => {
    const [a, b] = [await arx(dir, 'content get msg_1 --json'), await arx(dir, 'content get msg_2 --json')];
    const both = await arx(dir, 'content get msg_1 msg_2 --json');
    expect(both).toMatchObject({ exit: 0, stderr: '' });
    expect(JSON.parse(both.stdout)).toEqual({
      data: [JSON.parse(a.stdout), JSON.parse(b.stdout)],
      summary: { rows: 2, withheld: 0, absent: 0, complete: true },
    });
    const table = await arx(dir, 'content get msg_1 msg_2 -o table');
    expect(table.stdout).toBe(
      `${(await arx(dir, 'content get msg_1 -o table')).stdout}\n\n${(await arx(dir, 'content get msg_2 -o table')).stdout}`,
    );
    expect((await arx(dir, 'content get msg_1 msg_2 -o tsv')).stdout.split('\n')).toHaveLength(3);
    expect((await arx(dir, 'content get msg_1 msg_2 -o ndjson')).stdout.split('\n')).toHaveLength(3);
  });

  test('one that is missing is an error, and the others come', async () => {
    const ran = await arx(dir, 'content get msg_1 msg_77 msg_2 --json');
    expect(ran.exit).toBe(6);
    const { data, summary } = JSON.parse(ran.stdout) as { data: { data: { id: string } }[]; summary: object };
    expect(data.map((row) => row.data.id)).toEqual(['msg_1', 'msg_2']);
    expect(summary).toMatchObject({ rows: 2, complete: false });
    expect(ran.stderr).toContain('no message msg_77 in this archive');
  });

  test('--raw writes the stored bytes of each', async () => {
    expect((await arx(dir, 'content get msg_1 msg_2 --raw')).stdout).toBe(mailOf('a') + mailOf('b'));
    const ran = await arx(dir, 'content get msg_77 msg_2 --raw');
    expect(ran).toMatchObject({ exit: 6, stdout: mailOf('b') });
  });

  test.each([
    ['lines', 'msg_2\n\n  msg_1\r\nmsg_2\n'],
    ['rows of ndjson', '{"id":"msg_2","subject":"x"}\n{"id":"msg_1"}'],
  ])('ids from standard input: %s', async (_, stdin) => {
    const { stdout } = await arx(dir, 'content get - --json', { stdin });
    const { data } = JSON.parse(stdout) as { data: { data: { id: string } }[] };
    expect(data.map((row) => row.data.id)).toEqual(['msg_2', 'msg_1']);
  });

  test.each([
    ['a row without an id', '{"x":1}\n', /line 1 is no id, and no row with id/],
    ['a row that is cut', 'msg_1\n{"id":"msg_', /line 2 is no id/],
    ['a line of text', 'msg_1 and more\n', /line 1 is no id/],
    ['CSV', 'subject,id\r\nx,msg_1\r\n', /standard input is CSV/],
    ['an escape sequence', 'msg_1\u001b[2J\n', /line 1 is no id/],
    ['bytes without end of line', new Uint8Array(3), /line 1 is no id/],
  ])('standard input with %s: exit 2, before any request', async (_, stdin, words) => {
    const ran = await arx(dir, 'content get -', { stdin });
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toMatch(words);
  });

  test('standard input without ids is exit 3; twice, or as a terminal, exit 2', async () => {
    expect((await arx(dir, 'content get -')).exit).toBe(3);
    expect((await arx(dir, 'content get - -')).exit).toBe(2);
    expect((await arx(dir, 'content get -', { columns: 80 })).exit).toBe(2);
  });

  test('--save keeps all of them in one folder, with one report', async () => {
    const ran = await arx(dir, 'content get msg_1 msg_77 msg_2 --save kept --json');
    expect(ran.exit).toBe(6);
    const { files } = JSON.parse(ran.stdout) as { files: { path: string; verdict: string }[] };
    expect(files.map(({ path, verdict }) => [path, verdict])).toEqual([
      ['msg_1.eml', 'match'],
      ['msg_2.eml', 'match'],
    ]);
    expect(readdirSync(join(dir, 'kept')).toSorted()).toEqual([
      'msg_1.eml',
      'msg_1.raw.json',
      'msg_2.eml',
      'msg_2.raw.json',
    ]);
  });

  test('a file of one message does not get the name of the record of another', async () => {
    const part = 'Content-Type: text/plain; name="msg_4.raw.json"\nContent-Disposition: attachment\n\nx\n';
    const mail = `From: a@x\nSubject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n${part}--b--\n`;
    writeFileSync(join(dir, 'c.eml'), mail);
    writeFileSync(join(dir, 'd.eml'), mailOf('d'));
    expect((await arx(dir, 'import c.eml d.eml')).exit).toBe(0);
    const ran = await arx(dir, 'content get msg_3 msg_4 --save kept');
    expect([ran.exit, readdirSync(join(dir, 'kept')).toSorted()]).toEqual([
      0,
      ['att_1-msg_4.raw.json', 'msg_3.eml', 'msg_3.raw.json', 'msg_4.eml', 'msg_4.raw.json'],
    ]);
  });
});
