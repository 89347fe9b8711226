// A reader whose tier is too low for every row is told so, not only that there are rows.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { isWithheld } from '../../../src/commands/lists/withheld-rows.ts';
import { arx } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';

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
  const { stdout } = await arx(dir, `${line} --json`);
  expect(stdout).toMatch(/"summary":\{"rows":(\d),[^}]*"withheld":\1[,}]/);
});

test.each([
  ['conversations walk', 'walk'],
  ['messages ls --walk', 'walk-of-messages'],
])('a frozen walk by %s and its report say how many rows are withheld', async (words, folder) => {
  const walk = `${words} --freeze ${folder} --report ${folder}.json`;
  expect((await arx(dir, walk)).exit).toBe(0);
  expect(JSON.parse(readFileSync(join(dir, `${folder}.json`), 'utf8'))).toMatchObject({
    conversations: 2,
    withheld: 2,
  });
  expect((await arx(dir, `${walk} --resume --strict -o table`)).exit).toBe(3);
  const verified = await arx(dir, `conversations verify ${folder}`);
  expect([verified.exit, verified.stdout]).toEqual([0, expect.stringContaining(', 2 withheld, head ')]);
  const strict = await arx(dir, `conversations verify ${folder} --json --strict`);
  expect([strict.exit, JSON.parse(strict.stdout)]).toMatchObject([
    3,
    { verdict: 'valid', conversations: 2, withheld: 2 },
  ]);
});

test('a sequence with withheld entries, and a page that is not all of it, is 3 under --strict', async () => {
  const own = tempFolder('withheld-entries');
  writeFileSync(join(own, 'in.mbox'), mail(1) + mail(2));
  expect((await arx(own, 'import in.mbox --tier mirror')).exit).toBe(0);
  expect((await arx(own, 'login --client-id b --observer-tier internal')).exit).toBe(0);
  const shown = await arx(own, 'sequence show arc_reconstruction --json');
  expect(JSON.parse(shown.stdout)).toMatchObject({ summary: { rows: 2, withheld: 2 } });
  for (const [options, reason] of [
    ['', '2 of 2 rows are withheld'],
    ['--all', '2 of 2 rows are withheld'],
    ['--limit 1', 'the page is not the whole list'],
  ]) {
    const line = `sequence show arc_reconstruction ${options}`;
    expect([options, (await arx(own, line)).exit]).toEqual([options, 0]);
    const ran = await arx(own, `${line} --strict`);
    expect([options, ran.exit, ran.stderr]).toEqual([options, 3, expect.stringContaining(reason!)]);
  }
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
