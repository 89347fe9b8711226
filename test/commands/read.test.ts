// `arx read`: what a person sees of messages and threads, that nothing in them controls the terminal.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fc, test as property } from '@fast-check/vitest';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ReadMessage } from '../../src/contract/reports/reading.ts';
import { arx } from '../support/command.ts';
import { answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('read')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const ENV = { LANG: 'C.UTF-8', TZ: 'Europe/Berlin' };

async function imported(mails: Record<string, string | Buffer>): Promise<void> {
  mkdirSync(join(dir, 'mails'));
  for (const [name, mail] of Object.entries(mails)) writeFileSync(join(dir, 'mails', name), mail);
  expect(await arx(dir, 'import mails')).toMatchObject({ exit: 0 });
}

const QUOTED = `> one\n> two\n> three\n> four\n> five\n> six\n> seven\n\nmine\n-- \nB\n`;
const THREAD = {
  'a.eml':
    'From: A <a@x>\nTo: l@x\nDate: Fri, 1 Mar 2019 22:11:00 +0000\nSubject: S\nMessage-ID: <1@x>\n\nhello\n',
  'b.eml': `From: B <b@x>\nTo: l@x\nDate: Sat, 2 Mar 2019 02:00:00 +0000\nSubject: Re: S\nMessage-ID: <2@x>\nIn-Reply-To: <1@x>\n\n${QUOTED}`,
};

test('a message: header, local date, text', async () => {
  await imported(THREAD);
  expect((await arx(dir, 'read msg_1 --utc', { env: ENV })).stdout).toContain(
    'Date: Fri, 1 Mar 2019 22:11 +0000\n',
  );
  expect(await arx(dir, 'read msg_1', { env: ENV })).toEqual({
    exit: 0,
    stdout: 'msg_1\nFrom: A <a@x>\nTo: l@x\nDate: Fri, 1 Mar 2019 23:11 +0100\nSubject: S\n\nhello\n',
    stderr: '',
    bytes: expect.anything(),
  });
});

test('encoded words are decoded in every line of the header', async () => {
  const name = '=?iso-8859-1?Q?J=FCrgen?=';
  await imported({
    'a.eml': `From: ${name} <a@x>\nTo: ${name} <b@x>\nCc: ${name} <c@x>\nSubject: ${name}\n\nhello\n`,
  });
  const { stdout } = await arx(dir, 'read msg_1');
  expect(stdout).toContain('From: Jürgen <a@x>\nTo: Jürgen <b@x>\nCc: Jürgen <c@x>\n');
});

test('in a pipe nothing is folded; on a terminal a long quotation is, and --quotes shows it', async () => {
  await imported(THREAD);
  expect((await arx(dir, 'read msg_2')).stdout).toContain(QUOTED);
  const shown = await arx(dir, 'read msg_2 --no-color', { columns: 60 });
  expect(shown.stdout).toContain('> three\n> [4 more quoted lines; --quotes shows them]\n\nmine');
  expect((await arx(dir, 'read msg_2 --no-color --quotes', { columns: 60 })).stdout).toContain(QUOTED);
});

test('quotations have the colour of their depth, signatures are dim', async () => {
  await imported({ 'a.eml': 'From: a@x\nSubject: s\n\n>> deep\n> quoted\nown\n-- \nme\n' });
  const { stdout } = await arx(dir, 'read msg_1', { columns: 60, env: { ...ENV, TERM: 'xterm' } });
  expect(stdout).toContain(
    '\x1b[32m>> deep\x1b[39m\n\x1b[36m> quoted\x1b[39m\nown\n\x1b[2m-- \x1b[22m\n\x1b[2mme\x1b[22m',
  );
});

test('long lines are wrapped on a terminal, behind their sign of quotation', async () => {
  await imported({ 'a.eml': `From: a@x\nSubject: s\n\n> ${'word '.repeat(10)}\n` });
  const { stdout } = await arx(dir, 'read msg_1 --no-color', { columns: 24 });
  expect(stdout).toContain('> word word word word\n> word word word word\n> word word');
  expect((await arx(dir, 'read msg_1')).stdout).toContain(`> ${'word '.repeat(10)}\n`);
});

test('a conversation is a thread: the tree, and whom each message answers', async () => {
  await imported(THREAD);
  const { stdout, exit } = await arx(dir, 'read conv_1');
  expect(exit).toBe(0);
  expect(stdout).toMatch(/└─ msg_1 .*\n +└─ msg_2/);
  expect(stdout).toContain('msg_2  answers msg_1, A <a@x>\nFrom: B <b@x>');
  expect((await arx(dir, 'read msg_2 --thread')).stdout).toBe(stdout);
});

test('JSON has the same structure, one message a row, as its schema says', async () => {
  await imported(THREAD);
  const { stdout } = await arx(dir, 'read conv_1 --json');
  const { data, summary } = JSON.parse(stdout) as { data: unknown[]; summary: object };
  expect(summary).toEqual({ rows: 2, withheld: 0, absent: 0, complete: true });
  const messages = data.map((row) => ReadMessage.parse(row));
  expect(messages).toMatchObject([
    { id: 'msg_1', depth: 0, from: 'A <a@x>', to: 'l@x', parts: [{ kind: 'text', text: 'hello\n' }] },
    { id: 'msg_2', depth: 1, parent_id: 'msg_1' },
  ]);
});

test('a withheld file is said in the list and in the text, and its name stays', async () => {
  const parts = ['text/plain\n\nhello', 'image/png; name=secret.png\n\nx'].map(
    (part) => `--b\nContent-Type: ${part}\n`,
  );
  await imported({
    'a.eml': `From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n${parts.join('')}--b--\n`,
  });
  const before = await arx(dir, 'read msg_1');
  expect(before.stdout).toContain('Files: att_1 secret.png  image/png, 1 B  available');
  expect(before.stdout).toContain('hello\n\n[file att_1 secret.png');
  expect((await arx(dir, 'redact --yes att_1 --reason legal')).exit).toBe(0);
  const { stdout, exit } = await arx(dir, 'read msg_1');
  expect(exit).toBe(0);
  expect(stdout).toContain('hello');
  expect(stdout).toMatch(/Files: att_1 \S+ .*withheld \(legal\)/);
  expect(stdout).toMatch(/\[file att_1 .*withheld \(legal\)\]/);
  for (const [form, stdout] of [
    ['read msg_1 --json', { rows: 1, withheld: 1, absent: 0, complete: false }],
    ['content get msg_1 msg_1 --json', { rows: 2, withheld: 2, absent: 0, complete: false }],
    ['read msg_1 -o table', undefined],
    ['read conv_1 -o ndjson', undefined],
    ['content get msg_1', undefined],
  ] as const) {
    const ran = await arx(dir, form);
    expect([form, ran.exit]).toEqual([form, 0]);
    if (stdout !== undefined) expect((JSON.parse(ran.stdout) as { summary: object }).summary).toEqual(stdout);
    const strict = await arx(dir, `${form} --strict`);
    expect([form, strict.exit]).toEqual([form, 3]);
    expect(strict.stderr).toMatch(/(?:1 of 1 file is|2 of 2 files are) withheld \[partial, exit 3\]/);
  }
});

test('a stored mail with other bytes than its hash says, or a cut record, is not complete', async () => {
  const text = Buffer.from('Subject: s\n\nhello\n');
  const raw = {
    format: 'rfc822',
    sha256: '0'.repeat(64),
    raw_base64: text.toString('base64'),
    text: 'hello',
    truncated: ['text'],
  };
  server = await misbehave((socket, { head }) => {
    const reply = head.includes(' /api/content/')
      ? { view: 'raw', data: { id: 'm1', ...raw } }
      : { status: 'ok' };
    socket.write(answer(200, JSON.stringify(reply)));
  });
  const env = { ARX_BASE_URL: server.url, ARX_TOKEN: 'arx_0123456789.abcdefghijklmnop' };
  const shown = await arx(dir, 'read m1 --json', { env });
  expect([shown.exit, (JSON.parse(shown.stdout) as { summary: object }).summary]).toEqual([
    0,
    expect.objectContaining({ complete: false }),
  ]);
  expect(await arx(dir, 'read m1 --strict', { env })).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('parts of a message could not be read'),
  });
  const two = await arx(dir, 'content get m1 m1 --json --strict', { env });
  expect([two.exit, (JSON.parse(two.stdout) as { summary: object }).summary]).toEqual([
    3,
    expect.objectContaining({ complete: false }),
  ]);
  expect(two.stderr).toContain('2 records are cut');
});

test('a withheld file keeps its place between texts, and so do the files beside it', async () => {
  const image = (name: string, data: string): string =>
    `image/png; name=${name}\nContent-Disposition: attachment\n\n${data}`;
  const patch = 'text/x-patch; name=a.diff\nContent-Disposition: inline\n\n+the patch';
  const bodies = [
    'text/plain\n\nfirst',
    image('a.png', 'one'),
    'text/plain\n\nsecond',
    image('b.png', 'two'),
    'text/html\n\n<p>third <a href="http://x/">link</a>',
    patch,
    image('c.png', 'one'),
  ];
  const parts = bodies.map((part) => `--b\nContent-Type: ${part}\n`);
  await imported({
    'a.eml': `From: a@x\nContent-Type: multipart/mixed; boundary=b\n\n${parts.join('')}--b--\n`,
  });
  const places = async (options = ''): Promise<string[]> =>
    (await arx(dir, `read msg_1${options}`)).stdout.split('\n').flatMap((line) => {
      const [shown] =
        /^\[file att_\d|^first|^second|^third|^\+the patch|^\[1\] \S+|place .* not known/.exec(line) ?? [];
      return shown === undefined ? [] : [shown.replace('[file ', '')];
    });
  const whole = [
    'first',
    'att_1',
    'second',
    'att_2',
    'third',
    '[1] http://x/',
    'att_3',
    '+the patch',
    'att_4',
  ];
  expect(await places()).toEqual(whole);
  for (const [id, gone] of [
    ['att_2', []],
    ['att_3', ['+the patch']],
    ['att_1', ['+the patch']],
  ] as const) {
    expect((await arx(dir, `redact --yes ${id} --reason legal`)).exit).toBe(0);
    expect([id, await places()]).toEqual([
      id,
      whole.filter((place) => !(gone as readonly string[]).includes(place)),
    ]);
  }
});

test('a mail without usual header fields, which an import stores as a file, is read as a mail', async () => {
  const part = (type: string, body: string): string => `--b\nContent-Type: ${type}\n\n${body}\n`;
  await imported({
    'a.txt': `Content-Type: multipart/mixed; boundary=b\n\n${part('text/plain', 'hello')}${part('image/png; name=a.png', 'x')}--b--\n`,
    'b.eml': 'Comments: none\n\nthe body\n',
    'c.txt': 'Comments: none\n\nno mail\n',
    'd.eml': 'Subject: =?utf-8?Q?caf=C3=A9?=\n\nwith a subject\n',
  });
  const read = async (id: string): Promise<string> => (await arx(dir, `read ${id}`)).stdout;
  expect(await read('msg_1')).toBe(
    'msg_1\nDate: (the message has no date)\nSubject: a.txt\nFiles: a.png  image/png, 1 B  not in the catalogue\n' +
      '       att_1 a.txt  text/plain, 128 B  available\n\nhello\n\n[file a.png  image/png, 1 B  not in the catalogue]\n\n' +
      '[file att_1 a.txt  text/plain, 128 B  available]\n',
  );
  expect(await read('msg_2')).toContain('\n\nthe body\n\n[file att_2 b.eml');
  expect(await read('msg_3')).toContain('{"bytes":');
  expect(await read('msg_4')).toContain('Subject: café\n');
  expect((await arx(dir, 'redact --yes att_2')).exit).toBe(0);
  expect(await read('msg_2')).not.toContain('the body');
});

test.each([
  ['no date', '', '(the message has no date)'],
  [
    'an impossible date',
    'Date: Tue, 31 Feb 2003 10:00:00 +0000\n',
    '(no such date: Tue, 31 Feb 2003 10:00:00 +0000)',
  ],
  [
    'a date in the future',
    'Date: Tue, 2 Mar 2094 10:00:00 +0000\n',
    'Tue, 2 Mar 2094 11:00 +0100 (in the future)',
  ],
])('%s is said in the line of the date', async (_, field, shown) => {
  await imported({ 'a.eml': `From: a@x\n${field}Subject: s\n\nhello\n` });
  expect((await arx(dir, 'read msg_1', { env: ENV })).stdout).toContain(`Date: ${shown}\n`);
});

test('an answer to a message that the archive lacks says so', async () => {
  await imported({ 'a.eml': 'From: a@x\nMessage-ID: <1@x>\nIn-Reply-To: <gone@x>\n\nhello\n' });
  expect((await arx(dir, 'read msg_1')).stdout).toContain(
    '! it answers a message that this archive does not have',
  );
});

test('a header that was folded with a tab shows a blank', async () => {
  await imported({
    'a.eml': 'From: a@x\nSubject: one\n\ttwo\nReferences: <1@x>\n\t<2@x>\n\nText\n',
  });
  const { stdout } = await arx(dir, 'read msg_1 --headers');
  expect(stdout).toContain('Subject: one two\nReferences: <1@x> <2@x>\n');
});

test('--headers shows every field, --lore explains the record, --raw is the message', async () => {
  await imported({ 'a.eml': 'Received: from b\nFrom: a@x\nSubject: s\u200bt\n\nhello\n' });
  expect((await arx(dir, 'read msg_1 --headers')).stdout).toContain('Received: from b\nFrom: a@x\n');
  const { stdout } = await arx(dir, 'read msg_1 --lore');
  expect(stdout).toContain('arrived as entry_1 (its glyph), from the source external');
  expect(stdout).toContain('hidden data (stego): 1 character without width in the subject');
  expect((await arx(dir, 'read msg_1 --raw')).stdout).toBe(
    'Received: from b\nFrom: a@x\nSubject: s\u200bt\n\nhello\n',
  );
});

test('what cannot be read beside others is a line and the exit code; alone it is the error', async () => {
  await imported(THREAD);
  const both = await arx(dir, 'read msg_9 msg_1');
  expect(both.exit).toBe(6);
  expect(both.stdout).toContain('withheld or unreadable: no message msg_9 in this archive [not_found]');
  expect(both.stdout).toContain('hello');
  for (const line of ['read conv_9 msg_1', 'read msg_1 conv_9']) {
    const beside = await arx(dir, line);
    expect(beside.exit).toBe(6);
    expect(beside.stdout).toContain(
      'withheld or unreadable: no conversation conv_9 in this archive [not_found]',
    );
    expect(beside.stdout).toContain('hello');
  }
  expect(await arx(dir, 'read conv_9')).toMatchObject({ exit: 6, stdout: '' });
  expect(await arx(dir, 'read msg_9')).toMatchObject({ exit: 6, stdout: '' });
  expect(await arx(dir, 'read att_1')).toMatchObject({ exit: 2, stdout: '' });
});

/** What a terminal would do something else with than show it. The colours are ours. */
const CONTROL = /(?!\n)\p{Cc}|[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

const hostile = fc.array(
  fc.constantFrom(
    '\x1b[2J',
    '\x1b]0;t\x07',
    '\u009b2J',
    '\r',
    '\u202e',
    '\u200b',
    '\t',
    '> ',
    '\n',
    'a',
    '日',
    '&#27;[2J',
    '<b>',
    '\x7f',
    ' \n',
    '-- \n',
    '\x00',
  ),
  { maxLength: 40 },
);

property.prop([hostile, hostile, fc.constantFrom('plain; format=flowed', 'html', 'x-patch; name=a.diff')], {
  numRuns: 20,
})('no control sequence leaves, whatever header and body hold', async (subject, body, type) => {
  dir = tempFolder('read');
  const head = subject.join('').replaceAll(/[\r\n]/g, '');
  const word = `=?utf-8?B?${Buffer.from(subject.join('')).toString('base64')}?=`;
  const mail = `From: ${word} <a@x>\nTo: ${head}\nSubject: ${word}\nContent-Type: text/${type}; charset=utf-8\n\n${body.join('')}`;
  await imported({ 'a.eml': mail });
  for (const options of ['', ' --headers --lore'])
    for (const terminal of [{}, { columns: 20 }]) {
      const { stdout, exit } = await arx(dir, `read conv_1 --no-color${options}`, terminal);
      expect(exit).toBe(0);
      expect(stdout).not.toMatch(CONTROL);
    }
});

test('ids from a pipe: rows of a list, as it prints them there or in ndjson', async () => {
  await imported(THREAD);
  const text = (await arx(dir, 'read msg_1 msg_2', { env: ENV })).stdout;
  for (const line of ['search subject:S --sort oldest', 'messages ls -o ndjson', 'messages ls --fields id']) {
    const { stdout } = await arx(dir, line);
    expect(stdout).toContain('msg_2');
    expect(await arx(dir, 'read -', { env: ENV, stdin: stdout })).toMatchObject({ exit: 0, stdout: text });
  }
  const raw = await arx(dir, 'read --raw -', { stdin: 'msg_1\n' });
  expect([raw.exit, raw.stdout]).toEqual([0, THREAD['a.eml']]);
  const none = await arx(dir, 'read -', { stdin: '' });
  expect([none.exit, none.stderr]).toEqual([3, expect.stringContaining('no ids were given')]);
  expect((await arx(dir, 'read -', { stdin: 'some words\n' })).exit).toBe(2);
});
