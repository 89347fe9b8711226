// `arx explore` on the sample archive, with a terminal in memory: from the overview to a message and its files, and what it refuses.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { blobPath } from '../../src/service/store/files/blobs.ts';
import { arx } from '../support/command.ts';
import { startExplorer } from '../support/explorer-terminal.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(async () => {
  dir = tempFolder('explore');
  await sampleData(join(dir, 'data'));
  expect(await arx(dir, 'login --observer-tier internal')).toMatchObject({ exit: 0 });
});

const start = (line = '', options = {}) => startExplorer(dir, line, options);

test('from the overview to conversations, a thread, a message and its files', async () => {
  const explorer = start();
  const overview = await explorer.shows(/Files by type[^]*image\/png/);
  expect(overview).toMatch(/> Conversations +60 *\n/);
  expect(overview).toMatch(/ lisbon +4 files/);
  expect(overview).toMatch(/ \(none\) +18 files .* 6 withheld/);
  explorer.type('\r');
  await explorer.shows(/1 of 60 *\n/);
  explorer.type('/winter meteors\r');
  expect(await explorer.shows(/1 of \d+ rows? with "winter meteors"/)).toContain(
    'Timing of the winter meteors',
  );
  explorer.type('Y');
  await explorer.shows(/^ without the filter "winter meteors": arx conversations ls --all/m);
  explorer.type('\r');
  expect(await explorer.shows(/FROM/)).toMatch(/> 2019-03-05 21:26 +Tomás Rojas/);
  explorer.type('jj\r');
  expect(await explorer.shows(/From: Sigrid Dahl/)).toMatch(/Files: att_\d+ /);
  explorer.type('f');
  await explorer.shows(/files: msg_\d+[^]*STATE/);
  explorer.type('q\x03');
  expect(await explorer.ended).toBe(0);
  expect(explorer.isClosed()).toBe(true);
  expect(explorer.stderr()).toBe('');
});

test.each([
  ['', 'Europe/Berlin', 'DATE (UTC+1)', '2019-03-05 22:26'],
  ['--utc', 'Europe/Berlin', 'DATE (UTC)', '2019-03-05 21:26'],
  ['--relative', 'Europe/Berlin', 'DATE  ', 'years ago'],
])('dates with "%s" in %s', async (flags, timeZone, heading, date) => {
  const explorer = start(flags, { env: { TZ: timeZone } });
  await explorer.shows(/Conversations +60/);
  explorer.type('\r');
  await explorer.shows(/1 of 60/);
  explorer.type('/winter meteors\r');
  await explorer.shows(/1 of \d+ rows? with/);
  explorer.type('\r');
  const thread = await explorer.shows(/FROM/);
  expect(thread).toContain(heading);
  expect(thread).toMatch(new RegExp(`> .*${date}.* Tomás Rojas`));
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test('it begins at an id; back leads to the overview', async () => {
  const explorer = start('conv_1');
  await explorer.shows(/conv_1 Timing of the glass plate cabinet/);
  explorer.type('q');
  await explorer.shows(/> Conversations/);
  explorer.type('q');
  expect(await explorer.ended).toBe(0);
});

test('search finds words in messages', async () => {
  const explorer = start();
  await explorer.shows(/Conversations/);
  explorer.type('sharbour lights\r');
  expect(await explorer.shows(/search: harbour lights[^]*1 of \d+/)).toMatch(/harbour/);
  explorer.type('q');
  await explorer.shows(/> Conversations/);
  // A wrong query is mended where it was typed.
  explorer.type('s"winter meteors\r');
  await explorer.shows(/query, character 1: .*\[usage\][^]*\nsearch: "winter meteors\n/);
  explorer.type('"\r');
  await explorer.shows(/› search: "winter meteors"[^]*1 of \d+/);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test('a file is verified, downloaded, and the command for it copied', async () => {
  const explorer = start('--no-color --mouse');
  await explorer.shows(/Conversations/);
  explorer.type('f');
  await explorer.shows(/> available +lisbon-000\.jpg/);
  explorer.type('v');
  await explorer.shows(/> verified +lisbon-000\.jpg/);
  explorer.type('p\x15got\r');
  await explorer.shows(/done: arx attachments pull --to got att_1/);
  expect(readFileSync(join(dir, 'got/lisbon-000.jpg'))).toHaveLength(280);
  explorer.type('y');
  await explorer.shows(
    /^ arx --no-color attachments show att_1 {2}\(sent to the clipboard, if the terminal has one\)$/m,
  );
  // oxlint-disable-next-line no-control-regex
  const copied = /\u001b\]52;c;([^\u0007]*)\u0007/.exec(explorer.sent())?.[1] ?? '';
  expect(Buffer.from(copied, 'base64').toString()).toBe('arx --no-color attachments show att_1');
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test.each([
  [{ columns: 80, rows: 24 }, / 45 files of this pull are in got; 6 of 51 files are .*… ! shows all/],
  [{ columns: 40, rows: 12 }, / 45 files of this pull are.*… ! shows all/],
])('what became of a download is read in full, at any time: %j', async (size, line) => {
  const explorer = start('--color always', size);
  await explorer.shows(/Conversations/);
  explorer.type('f');
  await explorer.shows(/> available/);
  explorer.type('Pgot\r');
  const rows = await explorer.shows(line);
  expect(rows).toMatch(/^> verified +lisbon-000/m);
  expect(rows).not.toContain(' available ');
  explorer.type('j');
  await explorer.shows(/!: 1 result/);
  explorer.type('!');
  const result = await explorer.shows(/ended with exit 3/);
  expect(result).not.toContain('!: 1 result');
  let text = result;
  for (let page = 0; page < 5; page += 1) {
    const [, line, last] = /line (\d+) of (\d+)/.exec(text.slice(-80)) ?? [];
    if (line === last) break;
    explorer.type(' ');
    text += await explorer.shows(new RegExp(`line (?!${line} )\\d+ of`));
  }
  const all = text.replaceAll(/\s+/g, ' ');
  expect(all).toContain(dir.slice(0, 12));
  expect(all).toContain('fixity ok, 45 files checked');
  expect(all).toMatch(/att_5 +shows a/);
  expect(all).toMatch(/45 files of this pull are in got; check later/);
  expect(all).toContain('kept: 45 files');
  explorer.type('q\x03');
  expect(await explorer.ended).toBe(0);
});

test('P downloads what a filter leaves, after it said how much', async () => {
  const explorer = start();
  await explorer.shows(/Conversations/);
  explorer.type('f');
  await explorer.shows(/> available/);
  explorer.type('/kyoto\r');
  const [, rows] = /1 of (\d+) rows with "kyoto"/.exec(await explorer.shows(/1 of \d+ rows with/)) ?? [];
  explorer.type('P');
  await explorer.shows(new RegExp(`download ${rows} files \\([\\d.]+ k?B\\) into the folder \\[files\\]:`));
  explorer.type('got\r');
  await explorer.shows(/done: arx attachments pull --to got att_/);
  expect(readdirSync(join(dir, 'got')).filter((name) => name.startsWith('kyoto'))).toHaveLength(Number(rows));
  expect(readdirSync(join(dir, 'got')).filter((name) => name.startsWith('lisbon'))).toEqual([]);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test('a damaged file is not verified', async () => {
  mkdirSync(join(dir, 'papers'));
  writeFileSync(join(dir, 'papers/aaa-letter.bin'), Buffer.alloc(300, 7));
  expect(await arx(dir, 'import papers')).toMatchObject({ exit: 0 });
  const sha256 = createHash('sha256').update(Buffer.alloc(300, 7)).digest('hex');
  const path = blobPath(join(dir, 'data/blobs'), sha256);
  chmodSync(path, 0o600);
  writeFileSync(path, Buffer.alloc(300, 8));
  const explorer = start();
  await explorer.shows(/Conversations/);
  explorer.type('f/aaa-letter\r');
  await explorer.shows(/> available +aaa-letter/);
  explorer.type('v');
  await explorer.shows(/> FAILED +aaa-letter/);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test('the drift of a sequence, at any size of the terminal', async () => {
  const explorer = start();
  await explorer.shows(/Drift of/);
  explorer.type('jj\r');
  await explorer.shows(/arc_reconstruction: 192 positions/);
  explorer.resize({ columns: 30, rows: 6 });
  await explorer.shows(/^… sequence arc_recon/);
  explorer.resize({ columns: 120, rows: 40 });
  await explorer.shows(/^arx › sequence arc_reconstruction[^]*\? help/);
  explorer.type('\x03');
  expect(await explorer.ended).toBe(0);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s gives the terminal back', async (name) => {
  const explorer = start();
  await explorer.shows(/Conversations/);
  explorer.signal(name);
  expect(await explorer.ended).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[name]);
  expect(explorer.isClosed()).toBe(true);
});

test.each([
  [
    'nothing',
    /no message, conversation or attachment nothing in this archive.*exit 6.*\n.*hint: arx explore/,
  ],
  ['msg_99999', /no message msg_99999 in this archive.*exit 6.*\n.*\n.*hint: arx messages ls/],
  ['conv_99999', /no conversation conv_99999 in this archive.*exit 6/],
  ['att_99999', /no attachment att_99999 in this archive.*exit 6/],
])('%s is refused before the screen is taken', async (id, message) => {
  const explorer = start(id);
  expect(await explorer.ended).toBe(6);
  expect(explorer.stderr()).toMatch(message);
  expect(explorer.sent()).toBe('');
});

describe('refused', () => {
  test.each([
    ['explore', { columns: undefined }, /needs a terminal[^]*arx conversations ls/],
    ['explore', { columns: 80, env: { TERM: 'dumb' } }, /needs a terminal/],
    ['explore --json', { columns: 80 }, /prints nothing/],
    ['explore --record a.warc.gz', { columns: 80 }, /--record/],
  ])('%s %j', async (line, { columns, env = {} }: { columns: number | undefined; env?: object }, message) => {
    const ran = await arx(dir, line, {
      ...(columns === undefined ? {} : { columns }),
      env: { LANG: 'C.UTF-8', ...env },
    });
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toMatch(message);
    expect(existsSync(join(dir, 'a.warc.gz'))).toBe(false);
  });
});
