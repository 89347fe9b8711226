// `arx conversations export`: a thread in one file. Mails come back byte for byte, and no text of a message becomes markup.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fc, test as property } from '@fast-check/vitest';
import { beforeEach, describe, expect, test } from 'vitest';
import { quoted } from '../../../src/commands/conversations/export-mbox.ts';
import { openArchive } from '../../../src/service/index.ts';
import { readMbox } from '../../../src/service/import/mbox.ts';
import { ThreadReport } from '../../../src/contract/reports/files.ts';
import { arx, recordsOf } from '../../support/command.ts';
import { NOON } from '../../support/fake-world.ts';
import { sha256Of } from '../../support/digest.ts';
import { isInstalled } from '../../support/installed.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { elementsOf } from '../../support/well-formed.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('thread')));

async function imported(mails: Record<string, string | Buffer>): Promise<void> {
  mkdirSync(join(dir, 'mails'));
  for (const [name, mail] of Object.entries(mails)) writeFileSync(join(dir, 'mails', name), mail);
  expect(await arx(dir, 'import mails')).toMatchObject({ exit: 0 });
}
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const HEAD = 'To: l@x\nDate: Fri, 1 Mar 2019 22:11:00 +0000\n';
const mixed = (parts: string[]): string =>
  `Content-Type: multipart/mixed; boundary=b\n\n${parts.map((part) => `--b\nContent-Type: ${part}\n`).join('')}--b--\n`;
const EVIL = '</script><script>alert(1)</script>';
const THREAD = {
  'a.eml': `From: A <a@x>\n${HEAD}Subject: S ${EVIL}\nMessage-ID: <1@x>\n\nhello\nFrom here on\n>From there\n>>From far\n\`\`\`\n${EVIL}\n\nFrom x@y Fri Mar  1 22:11:00 2019\nSubject: no mail\n\n`,
  'b.eml': `From: B <b@x>\n${HEAD}Subject: Re: S\nMessage-ID: <2@x>\nIn-Reply-To: <1@x>\n${mixed(['text/plain\n\nyes', `image/png; name="../../x.png"\nContent-Transfer-Encoding: base64\n\n${PNG}`])}`,
  'c.eml': `From: C <c@x>\r\n${HEAD}Message-ID: <3@x>\r\nIn-Reply-To: <1@x>\r\nSubject: Re: S\r\n\r\nFrom \r\n\u001b[2J\u202e \x00\r\n`,
};

describe('mbox', () => {
  test('the mails as they are stored, which an import and Python read back', async () => {
    await imported(THREAD);
    expect(await arx(dir, 'conversations export conv_1 --to out.mbox')).toMatchObject({
      exit: 0,
      stderr: '',
    });
    // One picture, which is inside its mail.
    await arx(dir, 'conversations export conv_1 --to folder/');
    expect(readdirSync(join(dir, 'folder'))).toEqual(['conv_1.mbox']);
    const report = await arx(dir, 'conversations export conv_1 --to again.mbox --json');
    expect(JSON.parse(report.stdout)).toMatchObject({ files: 1, files_left_out: 0 });
    const back: string[] = [];
    for await (const item of readMbox(join(dir, 'out.mbox'))) if (item.kind === 'raw') back.push(item.sha256);
    expect(back.toSorted()).toEqual(Object.values(THREAD).map(sha256Of).toSorted());
    expect(readFileSync(join(dir, 'out.mbox'), 'latin1')).toMatch(
      /^From mboxrd@z Fri Mar {2}1 22:11:00 2019\n/,
    );
    if (!isInstalled('python3')) return;
    const code = 'import mailbox,sys; print("|".join(m["message-id"] for m in mailbox.mbox(sys.argv[1])))';
    const python = spawnSync('python3', ['-c', code, join(dir, 'out.mbox')], { encoding: 'utf8' });
    expect(python.stdout.trim().split('|').toSorted()).toEqual(['<1@x>', '<2@x>', '<3@x>']);
  });

  test('to standard output without --to; on a terminal control characters are refused', async () => {
    await imported(THREAD);
    await arx(dir, 'conversations export conv_1 --to out.mbox');
    const { bytes } = await arx(dir, 'conversations export conv_1');
    expect(bytes.equals(readFileSync(join(dir, 'out.mbox')))).toBe(true);
    expect((await arx(dir, 'conversations export conv_1', { columns: 80 })).exit).toBe(2);
    expect((await arx(dir, 'conversations export conv_1 --json')).exit).toBe(2);
  });

  property.prop([fc.array(fc.constantFrom('From ', '>', '\n', '\r\n', 'x', 'From: a\n'), { maxLength: 40 })])(
    'any mail with a line end comes back',
    async (pieces) => {
      const mail = Buffer.from(`Subject: s\n\n${pieces.join('')}\n`);
      const path = join(tempFolder('mbox'), 'a.mbox');
      const separator = Buffer.from('From mboxrd@z Thu Jan  1 00:00:00 1970\n');
      const entry = Buffer.concat([separator, quoted(mail), Buffer.from('\n')]);
      writeFileSync(path, Buffer.concat([entry, entry]));
      const back: string[] = [];
      for await (const item of readMbox(path)) if (item.kind === 'raw') back.push(item.raw.toString());
      expect(back).toEqual([mail.toString(), mail.toString()]);
    },
  );

  test('a mail without a line end gets one, which is said', async () => {
    await imported({ 'a.eml': 'From: a@x\nSubject: s\n\nno end' });
    const { exit, stderr } = await arx(dir, 'conversations export conv_1 --to out.mbox');
    expect([exit, stderr]).toEqual([
      0,
      'arx: 1 mail without a line end at the end got one, so the hash differs\n',
    ]);
  });

  test('a message whose bytes hold a withheld file is made into a mail that says so: exit 3', async () => {
    await imported(THREAD);
    expect((await arx(dir, 'redact --yes att_1 --reason legal')).exit).toBe(0);
    const ran = await arx(dir, 'conversations export conv_1 --to out.mbox -o ndjson');
    expect(ran.exit).toBe(3);
    expect(recordsOf(ran)).toMatchObject([
      { messages: 3, made: 1, unreadable: 1, unavailable: 1, complete: false },
    ]);
    const text = readFileSync(join(dir, 'out.mbox'), 'latin1');
    expect(text).not.toContain(PNG);
    expect(text).toContain('X-Arx-Made-From: msg_2: the bytes of msg_2 hold withheld files: att_1');
    const other = tempFolder('reimported');
    writeFileSync(join(other, 'out.mbox'), text, 'latin1');
    expect((await arx(other, 'import out.mbox')).exit).toBe(0);
    const read = await arx(other, 'read msg_2');
    expect(read.stdout).toContain(
      'This mail was made of msg_2: the bytes of msg_2 hold withheld files: att_1.',
    );
    expect(read.stdout).toMatch(/withheld \(legal\)/);
    expect(read.stdout).toContain('yes');
  });

  test('chat messages become mails with their files, whatever their text holds', async () => {
    const said = (ts: string, user: string, text: string, more: object = {}) => ({
      type: 'message',
      user,
      ts,
      text,
      ...more,
    });
    mkdirSync(join(dir, 'slack/general'), { recursive: true });
    writeFileSync(join(dir, 'slack/channels.json'), JSON.stringify([{ id: 'CH1', name: 'general' }]));
    const evil = 'eve\nBcc: victim@x\n\nFrom mboxrd@z Thu Jan  1 00:00:00 1970';
    writeFileSync(
      join(dir, 'slack/users.json'),
      JSON.stringify([
        { id: 'U1', name: 'ada' },
        { id: 'U2', name: 'eve', real_name: evil, profile: { real_name: evil, display_name: evil } },
      ]),
    );
    const rows = [
      said('1704180000.000100', 'U1', 'first\nFrom here', { thread_ts: '1704180000.000100' }),
      said('1704180001.000100', 'U2', `answer ${'é'.repeat(300)}\n${EVIL}`, {
        thread_ts: '1704180000.000100',
      }),
    ];
    writeFileSync(join(dir, 'slack/general/2024-01-02.json'), JSON.stringify(rows));
    expect((await arx(dir, 'import slack')).exit).toBe(0);
    const ran = await arx(dir, 'conversations export conv_1 --to out.mbox -o ndjson');
    expect(ran.exit).toBe(0);
    expect(recordsOf(ran)).toMatchObject([{ messages: 2, made: 2, unreadable: 0 }]);
    expect(ran.stderr).toContain('2 mails made of messages that are no stored mails');
    const bytes = readFileSync(join(dir, 'out.mbox'), 'latin1');
    expect(bytes).toMatch(/^[\n -~]*$/);
    expect(bytes.match(/^From /gm)).toHaveLength(2);
    expect(bytes).not.toMatch(/^Bcc:/m);
    for (const line of bytes.split('\n')) expect(line.length).toBeLessThan(998);
    const other = tempFolder('reimported');
    writeFileSync(join(other, 'out.mbox'), bytes);
    expect((await arx(other, 'import out.mbox')).exit).toBe(0);
    const { stdout } = await arx(other, 'read conv_1');
    expect(stdout).toContain('it is stored as slack');
    expect(stdout).toContain('first\nFrom here');
    expect(stdout).toContain('é'.repeat(300));
    expect(stdout).toContain('msg_2  answers msg_1');
  });
});

describe('Markdown and HTML', () => {
  beforeEach(() => imported(THREAD));

  test('the page is well-formed, runs nothing and loads nothing; a small picture is in it', async () => {
    const ran = await arx(dir, 'conversations export conv_1 --to out.html --json');
    expect(ran).toMatchObject({ exit: 0, stderr: '' });
    const page = readFileSync(join(dir, 'out.html'), 'utf8');
    const report = JSON.parse(ran.stdout) as { sha256: string };
    expect(report).toMatchObject({ format: 'html', path: 'out.html', messages: 3, complete: true });
    expect(report.sha256).toBe(sha256Of(page));
    const elements = elementsOf(page);
    const names = new Set(elements.map(({ name }) => name));
    for (const name of ['script', 'iframe', 'object', 'link', 'a']) expect(names.has(name)).toBe(false);
    expect(elements.find(({ name }) => name === 'img')?.attributes['src']).toBe(
      `data:image/png;base64,${PNG}`,
    );
    expect(page).toContain('default-src &#39;none&#39;');
    expect(page).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    expect(elements.some(({ text }) => text.split('\n').includes(EVIL))).toBe(true);
    expect(
      elements.filter(({ name }) => name === 'article').map(({ attributes }) => attributes['class']),
    ).toEqual(['mail d0', 'mail d1', 'mail d1']);
  });

  test.each([
    ['--to out.md', { files: 0, files_named: 1 }],
    ['--to out.html', { files: 1, files_named: 0 }],
    ['--to out/ --format md', { files: 1, files_named: 0 }],
  ])('%s: files that were not asked for are counted, and said', async (options, counts) => {
    const ran = await arx(dir, `conversations export conv_1 ${options} --json --strict`);
    const report = ThreadReport.parse(JSON.parse(ran.stdout));
    expect([ran.exit, report]).toMatchObject([0, { ...counts, files_left_out: 0, complete: true }]);
    const said = '1 file named and not saved, as one file was asked for: --to DIR/ saves it';
    expect(ran.stderr.includes(said)).toBe(counts.files_named > 0);
  });

  test('Markdown: text stays in its block, and no line of it is markup', async () => {
    const { stdout, exit } = await arx(dir, 'conversations export conv_1 --format md');
    expect(exit).toBe(0);
    const [, block = ''] = /^(`{4,}text\n[^]*?\n````)$/m.exec(stdout) ?? [];
    expect(block).toContain(`hello\nFrom here on\n>From there\n>>From far\n\`\`\`\n${EVIL}\n`);
    expect(stdout.replaceAll(/^(`{3,})text\n[^]*?\n\1$/gm, '')).not.toMatch(
      /(?<!\\)[<[]script|^\s*<|(?!\n)\p{Cc}|\u202e/mu,
    );
    expect(stdout).toMatch(
      /^- File \.\.\/\.\.\/x\.png: att\\_1, image\/png, 70 B, \*\*available\*\*, sha256 [0-9a-f]{64}$/m,
    );
  });

  test.each(['md', 'html'])(
    'a folder gets the verified files beside the %s, and nothing outside',
    async (format) => {
      const ran = await arx(dir, `conversations export conv_1 --format ${format} --to out/`);
      expect(ran.exit).toBe(0);
      expect(readdirSync(join(dir, 'out')).toSorted()).toEqual([`conv_1.${format}`, 'files']);
      expect(readdirSync(join(dir, 'out/files')).toSorted()).toEqual(['.arx-manifest.ndjson', 'att_1-x.png']);
      expect(readFileSync(join(dir, `out/conv_1.${format}`), 'utf8')).toContain('files/att_1-x.png');
      expect(await arx(dir, 'attachments verify out/files --offline')).toMatchObject({ exit: 0 });
      expect(await arx(dir, `conversations export conv_1 --format ${format} --to out`)).toMatchObject({
        exit: 0,
      });
    },
  );

  test('other content stays: exit 13; --force replaces it; a link is not written through', async () => {
    writeFileSync(join(dir, 'out.md'), 'mine');
    expect((await arx(dir, 'conversations export conv_1 --to out.md')).exit).toBe(13);
    expect(readFileSync(join(dir, 'out.md'), 'utf8')).toBe('mine');
    expect(readdirSync(dir).filter((name) => name.startsWith('.arx'))).toEqual([]);
    expect((await arx(dir, 'conversations export conv_1 --to out.md --force')).exit).toBe(0);
    expect(readFileSync(join(dir, 'out.md'), 'utf8')).toContain('# S ');
    symlinkSync('elsewhere', join(dir, 'link.md'));
    expect((await arx(dir, 'conversations export conv_1 --to link.md --force')).exit).toBe(13);
    expect(existsSync(join(dir, 'elsewhere'))).toBe(false);
  });

  test('a withheld file is said at its place, exit 3, and its bytes are nowhere', async () => {
    expect((await arx(dir, 'redact --yes att_1 --reason legal')).exit).toBe(0);
    for (const format of ['md', 'html']) {
      const ran = await arx(dir, `conversations export conv_1 --format ${format} --to ${format}/`);
      expect(ran.exit).toBe(3);
      expect(ran.stderr).toContain('1 file could not be written');
      const text = readFileSync(join(dir, format, `conv_1.${format}`), 'utf8');
      expect(text).toMatch(/withheld.*legal/);
      expect(text).not.toContain(PNG.slice(0, 40));
      expect(readdirSync(join(dir, format))).toEqual([`conv_1.${format}`]);
    }
  });

  test('a damaged message is said at its place, and the others are whole', async () => {
    const archive = await openArchive({ sleep, dir: join(dir, 'data'), now: () => NOON, randomBytes });
    const changed = Buffer.from(THREAD['b.eml'].replace('yes', 'no!'));
    await archive.database.run('UPDATE raws SET content = $1 WHERE n = 2', [changed]);
    await archive.close();
    const ran = await arx(dir, 'conversations export conv_1 --format md');
    expect(ran.exit).toBe(12);
    expect(ran.stdout).toContain('**Note:** withheld or unreadable');
    expect(ran.stdout).toContain('Re: S');
  });
});

test.each(['md', 'html', 'mbox'])('the report of %s is not complete without a file', async (format) => {
  await imported(THREAD);
  const report = async () => {
    const to = `conv_1 --to out.${format} --force`;
    return recordsOf(await arx(dir, `conversations export ${to} -o ndjson`))[0];
  };
  expect(await report()).toMatchObject({ complete: true });
  await arx(dir, 'redact --yes att_1 --reason legal');
  expect(await report()).toMatchObject({ complete: false });
});

test.each([
  ['conv_9', 6, 'no conversation conv_9'],
  ['conv_1 --format pdf', 2, 'pdf'],
  ['conv_1 --to thread.txt', 2, 'hint: as text: arx read conv_1 > thread.txt'],
  ['conv_1 --to thread.pdf', 2, 'hint: --format chooses one'],
  ['conv_1 --to thread.pdf', 2, 'ends in .pdf is none of the formats mbox, md, html'],
  ['conv_1 --to mail.eml', 2, 'hint: --format chooses one'],
  ['conv_1 --force', 2, '--force goes with --to'],
])('%s is exit %i', async (line, exit, words) => {
  await imported(THREAD);
  const ran = await arx(dir, `conversations export ${line}`);
  expect(ran).toMatchObject({ exit, stdout: '' });
  expect(ran.stderr).toContain(words);
});
