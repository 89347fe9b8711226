// A reader whose tier is too low for every row is told so, not only that there are rows.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { isWithheld } from '../../src/commands/withheld-rows.ts';
import { arx } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';

const dir = tempFolder('withheld-rows');
const mail = (n: number): string =>
  [
    'From a@b Thu Jan  1 00:00:00 2026',
    `Message-ID: <${n}@x>`,
    'From: a@b',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain; name=a.txt',
    'Content-Disposition: attachment; filename=a.txt',
    '',
    `file ${n}`,
    '--b--',
    '',
  ].join('\n');

beforeAll(async () => {
  writeFileSync(join(dir, 'in.mbox'), mail(1) + mail(2));
  writeFileSync(join(dir, 'open.mbox'), mail(3));
  expect((await arx(dir, 'import in.mbox')).exit).toBe(0);
});

const NOTICE = /arx: every row shown is withheld: redacted, or above the tier of your token; .*arx whoami/;

test.each(['attachments', 'messages', 'conversations'])('%s ls', async (name) => {
  expect((await arx(dir, `${name} ls --profile owner`)).stderr).not.toMatch(NOTICE);
  const login = 'login --client-id b --observer-tier external';
  expect((await arx(dir, login)).exit).toBe(0);
  for (const options of ['', '--all', '--limit 1'])
    expect((await arx(dir, `${name} ls ${options}`)).stderr).toMatch(NOTICE);
  expect((await arx(dir, `${name} ls --json`)).stderr).not.toMatch(NOTICE);
});

test.each([
  'attachments ls',
  'messages ls --all',
  'messages ls --walk',
  'conversations ls',
  'conversations walk',
  'conversations show conv_1',
])('%s is 3 under --strict', async (line) => {
  expect((await arx(dir, line)).exit).toBe(0);
  const ran = await arx(dir, `${line} --strict`);
  expect([ran.exit, ran.stderr]).toEqual([
    3,
    expect.stringMatching(/^arx: \d of \d rows? (is|are) withheld /m),
  ]);
});

test.each([
  [{ status: 'withheld' }, true],
  [{ redacted: true }, true],
  [{ withheld: true }, true],
  [{ status: 'stable', redacted: false, withheld: false }, false],
  [{ withheld: null }, false],
])('a row with %j is withheld: %s', (fields, expected) => {
  expect(isWithheld({ id: 'msg_1', ...fields })).toBe(expected);
});

test('a message above the tier', async () => {
  const ran = await arx(dir, 'read msg_1');
  expect([ran.exit, ran.stderr]).toEqual([
    5,
    expect.stringContaining('hint: arx login --observer-tier internal'),
  ]);
});

test('where a row can be read, nothing is said', async () => {
  expect((await arx(dir, 'import open.mbox --tier external')).exit).toBe(0);
  for (const name of ['attachments', 'messages', 'conversations'])
    expect((await arx(dir, `${name} ls`)).stderr).not.toMatch(NOTICE);
});
