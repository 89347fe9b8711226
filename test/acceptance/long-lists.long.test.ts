// Mails with more parts of one kind than a call takes as arguments: every command that reads them ends as usual.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';

const MANY = 130_000;
const HEAD = 'From: a@x\nDate: Fri, 1 Mar 2019 22:11:00 +0000\nMessage-ID: <1@x>\nSubject: many\n';
const listOf = (item: (index: number) => string, separator: string): string =>
  Array.from({ length: MANY }, (_, index) => item(index)).join(separator);

const MAILS: Record<string, () => string> = {
  ancestors: () => `${HEAD}References: ${listOf((index) => `<${index}@y>`, '\n ')}\n\nhello\n`,
  recipients: () => `${HEAD}To: ${listOf((index) => `${index}@y`, ',\n ')}\n\nhello\n`,
  'header fields': () => `${HEAD}${listOf((index) => `X-${index}: y`, '\n')}\n\nhello\n`,
  'inline code': () => `${HEAD}\n${listOf(() => '`a`', ' ')}\n`,
  quotations: () => `${HEAD}\n${listOf((index) => `${index % 2 === 0 ? '> ' : ''}a`, '\n')}\n`,
  links: () =>
    `${HEAD}Content-Type: text/html\n\n${listOf((index) => `<a href="https://y/${index}">y</a>`, '\n')}\n`,
  'MIME parts': () =>
    `${HEAD}Content-Type: multipart/mixed; boundary=b\n\n${listOf((index) => `--b\nContent-Type: text/plain; name=${index}\n\na\n`, '')}--b--\n`,
};
const COMMANDS = [
  'read msg_1',
  'content get msg_1',
  'conversations export conv_1 --format md',
  'conversations export conv_1 --format html',
  'fsck',
];

test.each(Object.entries(MAILS))('%s', async (_, mailOf) => {
  const dir = tempFolder('many');
  writeFileSync(join(dir, 'mail.eml'), mailOf());
  expect((await arx(dir, 'import mail.eml')).stderr).not.toContain('[internal');
  const ended: Record<string, number | string> = {};
  for (const command of COMMANDS) {
    const { exit, stderr } = await arx(dir, command);
    ended[command] = stderr.includes('[internal') ? stderr.slice(0, 200) : exit;
  }
  expect(ended).toEqual(Object.fromEntries(COMMANDS.map((command) => [command, expect.any(Number)])));
});
