// What `arx attachments ls` says where a person would take its answer for another one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const dir = tempFolder('names');
const MAIL =
  'From: a@x\nMessage-ID: <1@x>\nSubject: QNX6.6\nContent-Type: multipart/mixed; boundary=b\n\n' +
  ['a', 'b', 'c'].map((name) => `--b\nContent-Type: text/x-${name}; name=${name}.log\n\n${name}\n`).join('') +
  '--b--\n';
beforeAll(async () => {
  writeFileSync(join(dir, 'mail.eml'), MAIL);
  writeFileSync(join(dir, 'plain.eml'), 'From: a@x\nMessage-ID: <2@x>\nSubject: none\n\nhello\n');
  expect(await arx(dir, 'import mail.eml plain.eml')).toMatchObject({ exit: 0 });
});

test.each(['', ' --count'])('--name without a star%s', async (count) => {
  const { exit, stderr } = await arx(dir, `attachments ls --name .log${count}`);
  expect([exit, stderr]).toEqual([
    0,
    "arx: no file was found with exactly the name .log; a part of a name: --name '*.log*'\n",
  ]);
  expect((await arx(dir, `attachments ls --name a.log${count}`)).stderr).toBe('');
  const none = (await arx(dir, `attachments ls --name '*.txt'${count}`)).stderr;
  expect(none).toBe('arx: no file was found with a name like *.txt\n');
});

test('a program of --jq does not see that more rows follow, so standard error says it', async () => {
  const next = 'arx: more rows follow; next page: arx attachments ls --limit 2 --json';
  expect((await arx(dir, 'attachments ls --limit 2 --json --jq .data[].id')).stderr).toContain(next);
  expect((await arx(dir, 'attachments ls --limit 2 --json')).stderr).toBe('');
});

test('--fields beside --count', async () => {
  expect((await arx(dir, 'attachments ls --fields bytes --count')).stderr).toMatch(
    /^arx: --fields bytes does not go with --count, which prints no rows \[usage, exit 2\]/,
  );
});

test('a word that finds nothing, and words that begin with it', async () => {
  expect((await arx(dir, 'search QNX')).stderr).toBe('arx: no message matches; QNX*: 1\n');
  expect((await arx(dir, 'search subject:qnx')).stderr).toBe('arx: no message matches; subject:qnx*: 1\n');
  expect((await arx(dir, 'search nowhere')).stderr).toBe('arx: no message matches\n');
});

test('a facet of files counts the messages without such a file', async () => {
  const { stdout } = await arx(dir, 'search --facet type -o csv');
  expect(stdout.split(/\r?\n/)).toContain('1,text/x-a');
  expect(stdout).toMatch(/^1,$/m);
});

test.each([
  ['mail.eml.gz', gzipSync(MAIL), 'it is compressed: gunzip -c FILE | arx import -'],
  ['mail.xz', Buffer.from('fd377a585a0000', 'hex'), 'it is compressed: xz -dc FILE | arx import -'],
  ['mails.tar.gz', gzipSync(Buffer.alloc(1024)), 'tar -xf unpacks it into a folder, which can be imported'],
])('%s says how it is read', async (name, bytes, hint) => {
  writeFileSync(join(dir, name), bytes);
  const { exit, stderr } = await arx(dir, `import ${name}`);
  expect([exit, stderr.split('\n')[1]]).toEqual([2, `  hint: ${hint}`]);
});

test.each([
  ["--template '{{filename}} {{state}}'", ['a.log available', 'b.log available', 'c.log available']],
  ["--template '{{filename}} {{from}}'", ['a.log a@x', 'b.log a@x', 'c.log a@x']],
  ['-o ndjson --jq .state', ['available', 'available', 'available']],
  ["-o ndjson --jq '{state} | .[]'", ['available', 'available', 'available']],
  ['--jq \'.data[] | select(.state == "available") | .filename\'', ['a.log', 'b.log', 'c.log']],
  [
    '-o csv --fields filename,state',
    ['filename,state', 'a.log,available', 'b.log,available', 'c.log,available'],
  ],
])('state and sender, which JSON lacks unless they are named: %s', async (options, lines) => {
  const { exit, stdout } = await arx(dir, `attachments ls ${options}`);
  expect([exit, stdout.trimEnd().split(/\r?\n/)]).toEqual([0, lines]);
});

test.each(['--fields id,state', "--template '{{id}}\\t{{state}}'"])(
  'attachments show has the state, too: %s',
  async (options) => {
    const { exit, stdout } = await arx(dir, `attachments show att_1 ${options}`);
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/att_1\n?.*\tavailable\n/)]);
  },
);
