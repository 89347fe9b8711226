// `arx content diff`: two messages as a unified diff, the two views of one; nothing in them controls the terminal.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { MessageDiff, ViewDiff } from '../../../src/contract/reports/content-diff.ts';
import { arx } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('diff')));

async function imported(...mails: string[]): Promise<void> {
  mkdirSync(join(dir, 'mails'));
  for (const [index, mail] of mails.entries()) writeFileSync(join(dir, 'mails', `${index}.eml`), mail);
  expect(await arx(dir, 'import mails')).toMatchObject({ exit: 0 });
}

const mail = (subject: string, body: string, more = ''): string =>
  `From: a@x\nSubject: ${subject}\n${more}Date: Fri, 1 Mar 2019 22:11:00 +0000\n\n${body}`;

test('header and body are compared line by line', async () => {
  await imported(mail('first', 'one\ntwo\nthree\n'), mail('second', 'one\n2\nthree\nfour\n'));
  expect(await arx(dir, 'content diff msg_1 msg_2')).toMatchObject({
    exit: 0,
    stderr: '',
    stdout:
      '--- msg_1 header\n+++ msg_2 header\n@@ -1,3 +1,3 @@\n From: a@x\n Date: 2019-03-01T22:11:00.000Z\n-Subject: first\n+Subject: second\n' +
      '--- msg_1 body\n+++ msg_2 body\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n',
  });
  const { stdout } = await arx(dir, 'content diff msg_1 msg_2 --json');
  const report = MessageDiff.parse(JSON.parse(stdout));
  expect(report).toMatchObject({ equal: false, is_minimal: true, a: 'msg_1', b: 'msg_2' });
  expect(report.body[0]!.lines).toEqual([' one', '-two', '+2', ' three', '+four']);
});

test('exit 0 for a difference, as conversations diff, and 3 with --strict; equal ones say so', async () => {
  await imported(mail('s', 'one\n', 'X-A: 1\n'), mail('s', 'one\n', 'X-A: 2\n'));
  const same = await arx(dir, 'content diff msg_1 msg_2 --strict');
  expect(same).toMatchObject({ exit: 0, stdout: 'no difference between msg_1 and msg_2\n' });
  const all = await arx(dir, 'content diff msg_1 msg_2 --headers');
  expect([all.exit, all.stdout]).toEqual([0, expect.stringContaining('-X-A: 1\n+X-A: 2\n')]);
  const strict = await arx(dir, 'content diff msg_1 msg_2 --headers --strict');
  expect([strict.exit, strict.stderr]).toEqual([3, expect.stringContaining('msg_1 and msg_2 differ')]);
});

test('files are lines at their place, with their hashes', async () => {
  const part = (type: string, body: string): string => `--b\nContent-Type: ${type}\n\n${body}\n`;
  const multipart = 'Content-Type: multipart/mixed; boundary=b\n';
  const [x, y] = ['x', 'y'].map((data) =>
    mail('s', `${part('text/plain', 'hello')}${part('image/png; name=a.png', data)}--b--\n`, multipart),
  );
  await imported(x!, y!);
  const { stdout } = await arx(dir, 'content diff msg_1 msg_2');
  expect(stdout).toMatch(
    /^ hello\n-\[file a\.png: image\/png, 1 bytes, [\da-f]{64}, available\]\n\+\[file a\.png/m,
  );
});

test('colours on a terminal, and nothing of the text controls it', async () => {
  await imported(mail('s', 'a\x1b[2J\u202e\tb\n'), mail('s', 'c\x1b]0;x\x07\n'));
  const { stdout } = await arx(dir, 'content diff msg_1 msg_2', {
    columns: 80,
    env: { LANG: 'C.UTF-8', TERM: 'xterm' },
  });
  expect(stdout).toContain('\x1b[31m-a\\u{1b}[2J\\u{202e}');
  expect(stdout).toContain('\x1b[32m+c\\u{1b}]0;x\\u{7}\x1b[39m');
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  expect(stdout.replaceAll(/\x1b\[\d+m/g, '')).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
});

test('the views of one message: what both say, and what only one says, with its meaning', async () => {
  await imported(mail('s', 'hello\n'));
  const { stdout, exit } = await arx(dir, 'content diff msg_1');
  expect(exit).toBe(0);
  expect(stdout).toContain('msg_1  both views say the same of what both have');
  expect(stdout).toMatch(
    /the same in both\n(.*\n)* {2}entry \(lore: glyph_trigger\) +entry_1 +its number of arrival/,
  );
  expect(stdout).toMatch(/only in lore\n(.*\n)* {2}classification/);
  expect(stdout).toMatch(/only in raw\n(.*\n)* {2}subject +s +its subject/);
  const report = ViewDiff.parse(JSON.parse((await arx(dir, 'content diff msg_1 --json')).stdout));
  expect(report.equal).toBe(true);
  expect(report.fields.find(({ name }) => name === 'entry')).toMatchObject({
    alias: 'glyph_trigger',
    state: 'equal',
  });
  expect((await arx(dir, 'content diff msg_1 --headers')).exit).toBe(2);
});

test('a message that is not there, alone or as the second', async () => {
  await imported(mail('s', 'hello\n'));
  for (const line of ['msg_9', 'msg_1 msg_9', 'msg_9 msg_1'])
    expect(await arx(dir, `content diff ${line}`)).toMatchObject({ exit: 6, stdout: '' });
});
