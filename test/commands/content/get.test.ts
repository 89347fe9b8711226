// `arx content get --raw` for messages too long for one response, and with hostile services.
import { writeFileSync } from 'node:fs';
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
  async function get(fields: (url: string) => object, stored: string | Uint8Array = STORED) {
    server = await misbehave((socket, { head }) => {
      const path = / (\S+) /.exec(head)?.[1] ?? '';
      if (path === '/stored') socket.write(answer(200, stored));
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
    ['says another hash', (url) => ({ ...at(url), sha256: 'ab'.repeat(32) }), 12, /stored bytes differ/],
    ['sends more than it says', (url) => ({ ...at(url), bytes: 5 }), 12, /more than the 5 expected/],
    ['says too many', (url) => ({ ...at(url), bytes: 1e12 }), 11, /claims 1000000000000 bytes/],
    ['names another host', () => ({ sha256, raw_url: 'http://127.0.0.1:9/stored' }), 13, /127\.0\.0\.1:9/],
    ['names a local file', () => ({ sha256, raw_url: 'file:///etc/passwd' }), 13, /./],
    [
      'names what is not there',
      (url) => ({ sha256, raw_url: `${url}/api/content/x` }),
      12,
      /stored bytes differ/,
    ],
  ])('that %s: nothing is written', async (_name, fields, exit, says) => {
    const ran = await get(fields);
    expect(ran).toMatchObject({ exit, stdout: '' });
    expect(ran.stderr).toMatch(says);
  });
});
