// `arx report`: the figures are those of the lists, and what could not be read or proven is said.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ArchiveReport } from '../../src/contract/reports/whole-archive.ts';
import { arx, recordsOf, type Ran } from '../support/command.ts';
import { answer } from '../support/misbehaving-server.ts';
import { sampleData } from '../support/sample.ts';
import { serve } from '../support/served.ts';
import { requestsFor, serveStranger, type StrangerOptions } from '../support/stranger.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { elementsOf } from '../support/well-formed.ts';

const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };
let dir: string;
beforeAll(async () => {
  dir = tempFolder('report');
  await sampleData(join(dir, 'data'));
});

const reportOf = ({ stdout }: Ran) => ArchiveReport.parse(JSON.parse(stdout));

test('the figures are those of the lists', async () => {
  const ran = await arx(dir, 'report --json');
  expect(ran).toMatchObject({ exit: 0, stderr: '' });
  const report = reportOf(ran);
  const listed = async (line: string) => recordsOf(await arx(dir, `${line} -o ndjson`));
  const [files, conversations, messages, entries] = [
    await listed('attachments ls --all'),
    await listed('conversations ls --all'),
    await listed('messages ls --all'),
    await listed('sequence show arc_reconstruction --all'),
  ];
  expect(report.complete).toBe(true);
  expect(report.lists.map(({ rows }) => rows)).toEqual(
    [files, conversations, messages, entries].map(({ length }) => length),
  );
  const withheld = files.filter((row) => row['redacted'] === true).length;
  expect(report.attachments).toMatchObject({
    total: files.length,
    available: files.length - withheld,
    withheld,
  });
  for (const [field, key] of [
    ['origin_city', 'cities'],
    ['content_type', 'types'],
    ['source', 'sources'],
  ] as const)
    for (const { value, files: count } of report.attachments[key].values)
      expect(count).toBe(files.filter((row) => (row[field] ?? null) === value).length);
  const months = messages.map((row) => String(row['date']).slice(0, 7));
  for (const { month, messages: count } of report.messages.by_month)
    expect(count).toBe(months.filter((each) => each === month).length);
  expect(report.messages.by_month.reduce((sum, { messages: count }) => sum + count, 0)).toBe(messages.length);
  expect(report.sequence?.displaced).toBe(entries.filter((row) => row['offset'] !== 0).length);
  expect(report.reader).toMatchObject({ tier: 'internal', client_id: 'arx' });
});

describe('the page', () => {
  test('is written to a file beside the summary, and to standard output alone', async () => {
    const ran = await arx(dir, 'report --html page.html -o table');
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toMatch(/^complete, local:.* at tier internal\n/);
    const page = readFileSync(join(dir, 'page.html'), 'utf8');
    elementsOf(page);
    const alone = await arx(dir, 'report --html -');
    expect(alone).toMatchObject({ exit: 0, stderr: '' });
    expect(alone.stdout).toBe(page);
  });

  test('never replaces a file without --force, and says so before anything is read', async () => {
    writeFileSync(join(dir, 'mine.html'), 'mine');
    const server = await serveStranger({ lists: {} });
    try {
      const line = `report --html mine.html --base-url ${server.url}`;
      const ran = await arx(dir, line, { env });
      expect(ran.exit).toBe(13);
      expect(ran.stderr).toContain('mine.html exists');
      expect(server.requests).toHaveLength(0);
      expect(readFileSync(join(dir, 'mine.html'), 'utf8')).toBe('mine');
    } finally {
      await server.close();
    }
    expect((await arx(dir, 'report --html mine.html --force')).exit).toBe(0);
    expect(statSync(join(dir, 'mine.html')).size).toBeGreaterThan(10_000);
  });

  test.each([
    ['report --html - --json', 'does not go with an output form'],
    ['report --force', '--force goes with --html FILE'],
    ['report --html - --force', '--force goes with --html FILE'],
  ])('%s is a usage error', async (line, text) => {
    const ran = await arx(dir, line);
    expect(ran.exit).toBe(2);
    expect(ran.stderr).toContain(text);
  });
});

test('--verify names each file that does not match, on the page and in JSON, and decides the exit code', async () => {
  expect((await arx(dir, 'attachments pull att_1 att_2 att_3 --to files')).exit).toBe(0);
  const names = recordsOf(await arx(dir, 'attachments verify files -o ndjson')).map(({ path }) =>
    String(path),
  );
  expect((await arx(dir, 'report --verify files')).exit).toBe(0);
  writeFileSync(join(dir, 'files', names[1]!), 'changed');
  const ran = await arx(dir, 'report --verify files --html verified.html --json');
  expect(ran.exit).toBe(12);
  const { verification } = reportOf(ran);
  expect(verification).toMatchObject({ dir: 'files', fixity: 'failed', checked: 3 });
  expect(verification?.differing.map(({ path }) => path)).toEqual([names[1]]);
  expect(readFileSync(join(dir, 'verified.html'), 'utf8')).toContain(names[1]);
});

test('--verify counts withheld and extra files apart from those that are not as expected', async () => {
  await arx(dir, 'attachments pull --all --to whole -q');
  writeFileSync(join(dir, 'whole/own.txt'), 'own');
  const ran = await arx(dir, 'report --verify whole --html apart.html -o table');
  expect([ran.exit, ran.stdout]).toEqual([
    3,
    expect.stringMatching(/whole: fixity ok, \d+ files checked, 0 not as expected, 6 withheld, 1 extra\n/),
  ]);
  const page = readFileSync(join(dir, 'apart.html'), 'utf8');
  expect(page).toContain('Every file that was checked is as expected.');
  expect(page).not.toContain('Files that are not as expected');
  expect(page).toContain('Other files');
});

test('--verify of a folder that is not there fails before anything is read', async () => {
  const server = await serveStranger({ lists: {} });
  try {
    const ran = await arx(dir, `report --verify nowhere --base-url ${server.url}`, { env });
    expect(ran.exit).toBe(6);
    expect(server.requests).toHaveLength(0);
  } finally {
    await server.close();
  }
});

test('a lower tier: withheld files count as withheld, and the page says for whom', async () => {
  const lower = tempFolder('report-lower');
  await sampleData(join(lower, 'data'));
  await arx(lower, 'login --observer-tier external');
  const ran = await arx(lower, 'report --json');
  expect(reportOf(ran).reader.tier).toBe('external');
  const page = (await arx(lower, 'report --html -')).stdout;
  for (const noun of ['files', 'messages', 'conversations'])
    expect(page).toMatch(new RegExp(`\\d ${noun} withheld from the tier external`));
  const messages = recordsOf(await arx(lower, 'messages ls --all -o ndjson'));
  const withheld = messages.filter(({ status }) => status === 'withheld').length;
  expect(reportOf(await arx(lower, 'report --json')).messages).toMatchObject({ withheld });
  expect((await arx(lower, 'report -o table')).stdout).toContain(
    `messages ${messages.length}, ${withheld} withheld`,
  );
  const strict = await arx(lower, 'report --strict');
  expect([strict.exit, strict.stderr]).toEqual([3, expect.stringMatching(/\d rows are withheld/)]);
});

test('a remote archive: the cost is said first, and lists that this tier may not read are said', async () => {
  const served = await serve(dir);
  try {
    const home = tempFolder('report-remote');
    const base = `--base-url ${served.base_url}`;
    await arx(home, `login ${base} --client-id me --observer-tier external --requested-tier external`);
    const ran = await arx(home, `report ${base} --json`);
    // The tier external has no scope for the sequence.
    expect(ran.exit).toBe(3);
    expect(ran.stderr).toMatch(
      /^arx: needs the whole archive \(51 attachments, 60 conversations, 192 messages\): about 60 requests\n/,
    );
    const report = reportOf(ran);
    expect(report.lists.map(({ rows, complete }) => [rows, complete])).toEqual([
      [51, true],
      [60, true],
      [192, true],
      [0, false],
    ]);
    expect(report).toMatchObject({ complete: false, sequence: null });
    expect(report.archive).toContain(new URL(served.base_url).host);
  } finally {
    await served.close();
  }
});

describe('another service', () => {
  const rows = (name: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `${name}_${at}`, source: 'elsewhere', integrity: 0.5 }));
  const LISTS = {
    '/v1/attachments': rows('att', 7),
    '/v1/conversations': rows('conv', 5),
    '/messages': rows('msg', 9),
    '/api/sequence/arc_reconstruction': rows('entry', 3),
  };

  async function about(options: StrangerOptions, line = 'report --json') {
    const server = await serveStranger(options);
    try {
      return { server, ...(await arx(dir, `${line} --retries 0 --base-url ${server.url}`, { env })) };
    } finally {
      await server.close();
    }
  }

  test('is read to its end, and who reads is not known from a token alone', async () => {
    const ran = await about({ lists: LISTS });
    expect(ran.exit).toBe(0);
    const report = reportOf(ran);
    expect(report.lists.map(({ rows: count }) => count)).toEqual([7, 5, 9, 3]);
    expect(report.reader).toEqual({ client_id: null, tier: null, scope: null });
    expect(report.messages.undated).toBe(9);
    expect(ran.stderr).toContain('needs the whole list of messages');
  });

  test('without /messages: the rest is counted, the gap is said at the top, and the exit code is 3', async () => {
    const { '/messages': _, ...lists } = LISTS;
    const ran = await about({ lists });
    expect([ran.exit, ran.stderr]).toEqual([
      3,
      expect.stringMatching(
        /^arx: messages not read: .*\n  hint: the report is of the other lists; arx --base-url \S+ doctor tells what this service has/m,
      ),
    ]);
    const report = reportOf(ran);
    expect(report.complete).toBe(false);
    expect(report.lists.map(({ list, complete }) => [list, complete])).toEqual([
      ['attachments', true],
      ['conversations', true],
      ['messages', false],
      ['sequence', true],
    ]);
    const { stdout: page, exit } = await about({ lists }, 'report --html -');
    expect(exit).toBe(3);
    expect(page.indexOf('The list of messages was not read')).toBeLessThan(page.indexOf('>Counts</h2>'));
    expect(page).toContain('not read</');
    const { stdout: text } = await about({ lists }, 'report');
    expect(text).not.toMatch(/messages 0/);
    expect(text).toContain('conversations 5');
    // No row states its size.
    expect(text).toMatch(/ 0 absent$/m);
  });

  test('that goes away in the middle: what was read is counted, and nothing more is asked', async () => {
    const ran = await about({
      lists: LISTS,
      respond: (path) => (path === '/v1/conversations' ? answer(503, '{}') : undefined),
    });
    expect(ran.exit).toBe(9);
    const report = reportOf(ran);
    expect(report.lists.map(({ rows: count, complete }) => [count, complete])).toEqual([
      [7, true],
      [0, false],
      [0, false],
      [0, false],
    ]);
    expect(requestsFor(ran.server, '/messages')).toEqual([]);
  });

  test('that gives nothing at all: no report and no page', async () => {
    const ran = await about({ lists: {}, respond: () => answer(503, '{}') }, 'report --html none.html');
    expect(ran).toMatchObject({ exit: 9, stdout: '' });
    expect(existsSync(join(dir, 'none.html'))).toBe(false);
  });
});
