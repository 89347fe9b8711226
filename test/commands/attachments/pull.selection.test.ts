// `arx attachments pull`: which files are selected (search, ids from a pipe), and the folders that they are sorted into.
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PullReport } from '../../../src/contract/reports/files.ts';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { isOwnFile } from '../../../src/download/own-files.ts';
import { openArchive } from '../../../src/service/index.ts';
import { serveCatalogue, type ForeignFile } from '../../support/catalogue-server.ts';
import { arx, recordsOf, type Ran } from '../../support/command.ts';
import { sha256Of } from '../../support/digest.ts';
import { NOON, type FakeWorldOptions } from '../../support/fake-world.ts';
import type { Misbehaving } from '../../support/misbehaving-server.ts';
import { sampleData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('pulled')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});
const pull = (line: string, options: FakeWorldOptions = {}): Promise<Ran> =>
  arx(dir, `attachments pull ${line}${server === undefined ? '' : ` --base-url ${server.url}`}`, {
    env: { LANG: 'C.UTF-8', ...(server && { ARX_TOKEN: 'arx_0123456789.abcdefghijklmnop' }) },
    ...options,
  });
const serve = async (files: readonly ForeignFile[]): Promise<void> => {
  server = await serveCatalogue(files);
};
const reportOf = ({ stdout }: Ran) => PullReport.parse(JSON.parse(stdout));
const idsOf = (ran: Ran): string[] => reportOf(ran).files.map(({ id }) => id!);
/** Every file below a folder, without the manifest and marks. */
const filesIn = (folder: string): string[] =>
  readdirSync(join(dir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !isOwnFile(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, folder).length + 1))
    .toSorted();

test('--all of an archive without files: says so, and proposes no list that would be empty', async () => {
  writeFileSync(join(dir, 'one.eml'), 'From: a@example.org\nSubject: one\n\nwords\n');
  expect(await arx(dir, 'import one.eml')).toMatchObject({ exit: 0 });
  const ran = await pull('--all --to got');
  expect(ran).toMatchObject({ exit: 0, stderr: 'arx: the catalogue has no attachments\n' });
  const strict = await pull('--all --to got --strict');
  expect(strict).toMatchObject({
    exit: 6,
    stderr: 'arx: the catalogue has no attachments [not_found, exit 6]\n',
  });
});

describe('the sample archive', () => {
  beforeEach(() => sampleData(join(dir, 'data')));

  test.each([
    ['few messages', 'lisbon'],
    ['many', 'the'],
    ['a phrase', '"lisbon"'],
  ])('--matching: the files of the messages that a search finds, %s', async (_, query) => {
    const hits = recordsOf(await arx(dir, `search '${query}' --all -o ndjson`));
    const found = new Set(hits.map(({ id }) => id as string));
    const rows = recordsOf(await arx(dir, 'attachments ls --all -o ndjson'));
    const wanted = rows
      .filter(({ message_id }) => found.has(message_id as string))
      .map(({ id }) => id as string);
    expect(wanted.length).toBeGreaterThan(0);
    const ran = await pull(`--matching '${query}' --to got --json`);
    expect(idsOf(ran).toSorted()).toEqual(wanted.toSorted());
    expect(reportOf(ran)).toMatchObject({ fixity: 'ok' });
  });

  test('--matching goes with filters', async () => {
    const all = idsOf(await pull('--matching the --to a --json'));
    const lisbon = idsOf(await pull('--matching the --city lisbon --to b --json'));
    const rows = recordsOf(await arx(dir, 'attachments ls --city lisbon --all -o ndjson'));
    expect(lisbon.toSorted()).toEqual(
      rows
        .map(({ id }) => id as string)
        .filter((id) => all.includes(id))
        .toSorted(),
    );
    expect(lisbon.length).toBeGreaterThan(0);
  });

  test.each([
    "--name '*.TXT'",
    "--name 'lisbon-0[0-4]*'",
    "--name '*' --city lisbon",
    "--name '*log*' --matching the",
    "--type 'image/*'",
    "--type '*/PNG' --city lisbon",
  ])('%s: the same files as in the list', async (line) => {
    const [options = '', query] = line.split(' --matching ');
    const rows = recordsOf(await arx(dir, `attachments ls --all ${options} -o ndjson`));
    const found = idsOf(await pull(`${line} --to got --json`));
    const all = query === undefined ? undefined : idsOf(await pull(`--matching ${query} --to other --json`));
    const wanted = rows.map(({ id }) => id as string).filter((id) => all?.includes(id) !== false);
    expect(found.toSorted()).toEqual(wanted.toSorted());
    expect(found.length).toBeGreaterThan(0);
  });

  test.each([
    ["--name '*.nothing'", 'no attachment has name "*.nothing"; arx attachments ls --all lists them'],
    ['--city atlantis', 'no city "atlantis" in what you may read; arx attachments cities lists them'],
    [
      '--city lisbon --type none/such',
      'no type "none/such" in what you may read; arx attachments types lists them',
    ],
    [
      '--city lisbon --source nosuch',
      'no source "nosuch" in what you may read; arx attachments sources lists them',
    ],
    ['--city lisbon --on 1950', 'no attachment has city "lisbon" and a date on 1950'],
    ['--type none/such', 'no type "none/such" in what you may read; arx attachments types lists them'],
    ['--on 1950', 'no attachment has a date on 1950; arx attachments ls --all lists them'],
    ['--source nosuch', 'no source "nosuch" in what you may read; arx attachments sources lists them'],
    ['--from nobody', 'no attachment has from "nobody"; arx attachments senders lists them'],
    [
      '--matching subject:nosuchword',
      'there are no attachments of the messages that "subject:nosuchword" finds',
    ],
  ])('%s: says that nothing matches, and leaves nothing', async (line, words) => {
    const ran = await pull(`${line} --to got/below`);
    expect(ran).toMatchObject({ exit: 0, stdout: '' });
    expect(ran.stderr).toContain(words);
    // Once: a value that no row has says why there are none.
    const said = ran.stderr.match(/^arx: no (?:attachment|city|type|source) /gm) ?? [];
    expect(said.length).toBeLessThanOrEqual(1);
    expect(ran.stderr).not.toContain('is written lisbon');
    expect(existsSync(join(dir, 'got'))).toBe(false);
    const strict = await pull(`${line} --to got/below --strict`);
    // The sample has redacted files, which do not show these values.
    const exit = words.includes('in what you may read') ? 3 : 6;
    expect(strict).toMatchObject({ exit, stdout: '' });
    // The most severe failure: of a value that no row has, or of a search.
    expect(strict.stderr).toMatch(
      /^arx: (?:no (?:city|type|source) "[^"]+" in what you may read \[partial, exit 3\]|(?:no message matches|no attachment has .*|there are no .*) \[not_found, exit 6\])/,
    );
    expect(strict.stderr.match(/not_found/g) ?? []).toHaveLength(exit === 6 ? 1 : 0);
    const json = await pull(`${line} --to got/below --json`);
    expect(reportOf(json)).toMatchObject({ files: [], fixity: 'nothing_checked' });
    expect(existsSync(join(dir, 'got'))).toBe(false);
    expect(await pull(`${line} --to got --dry-run --strict`)).toMatchObject({ exit });
  });

  test('rows that do not show their size may match: under --strict that is not "nothing matches"', async () => {
    const ran = await pull('--min-bytes 9G --to got');
    expect([ran.exit, ran.stderr]).toEqual([
      0,
      expect.stringContaining('no attachment is known to have at least 9.0 GB'),
    ]);
    const strict = await pull('--min-bytes 9G --to got --strict');
    expect([strict.exit, strict.stderr]).toEqual([
      3,
      expect.stringContaining('6 rows have no bytes, or the'),
    ]);
    expect(strict.stderr).not.toContain('not_found');
    expect(existsSync(join(dir, 'got'))).toBe(false);
  });

  test('withheld rows may match: neither the folder nor its bag is called complete', async () => {
    const words = 'left out rows that do not show whether they match';
    const pulled = await pull('--city lisbon --to got --json');
    expect([pulled.exit, reportOf(pulled).completeness]).toEqual([0, 'unknown']);
    const verified = await arx(dir, 'attachments verify got --json');
    expect([verified.exit, verified.stderr]).toEqual([0, expect.stringContaining(words)]);
    expect(JSON.parse(verified.stdout)).toMatchObject({ completeness: 'unknown' });
    expect((await arx(dir, 'attachments verify got --strict')).exit).toBe(3);
    const bag = await arx(dir, 'attachments export got --to bag');
    expect([bag.exit, bag.stderr]).toEqual([0, expect.stringContaining(words)]);
    expect(readFileSync(join(dir, 'bag/bag-info.txt'), 'utf8')).toContain('Files-Complete: unknown');
    expect((await arx(dir, 'attachments verify bag')).stderr).toContain('the bag may lack files');
    // The pull of everything leaves no doubt.
    await pull('--all --to got');
    expect((await arx(dir, 'attachments verify got')).stderr).not.toContain(words);
  });

  test('a search by what withheld files may be, at the internal tier: nor is it', async () => {
    const pulled = await pull('--matching city:lisbon --to got --json');
    expect([pulled.exit, pulled.stderr]).toEqual([
      0,
      expect.stringContaining('6 files are withheld from you'),
    ]);
    expect(reportOf(pulled).completeness).toBe('unknown');
    expect((await arx(dir, 'attachments verify got --strict')).exit).toBe(3);
  });

  test.each([
    ['few', 'city:lisbon'],
    ['many', 'the'],
    ['no', 'nosuchword'],
  ])('a search of a part of the messages, with %s hits: nor is it', async (hits, query) => {
    expect((await arx(dir, 'login --observer-tier external --client-id t')).exit).toBe(0);
    const pulled = await pull(`--matching '${query}' --to got --json`);
    expect(pulled.stderr).toContain('of 192 messages are above your tier, not searched');
    const { completeness, verdicts } = reportOf(pulled);
    expect(completeness).toBe(verdicts.withheld > 0 ? 'incomplete' : 'unknown');
    if (hits === 'no') return;
    expect((await arx(dir, 'attachments verify got --strict')).exit).toBe(3);
    await arx(dir, 'attachments export got --to bag');
    const info = readFileSync(join(dir, 'bag/bag-info.txt'), 'utf8');
    expect(info).toContain('Files-Complete: unknown');
    expect(info).not.toContain('withheld by it: 0');
  });

  test('nothing matches: a folder that was there stays as it was', async () => {
    mkdirSync(join(dir, 'got'));
    expect(await pull('--from nobody --to got')).toMatchObject({ exit: 0 });
    expect(readdirSync(join(dir, 'got'))).toEqual([]);
  });

  test('--from: the files of messages with such a sender', async () => {
    const senders = new Map(
      recordsOf(await arx(dir, 'messages ls --all -o ndjson')).map(({ id, from }) => [id, String(from)]),
    );
    const rows = recordsOf(await arx(dir, 'attachments ls --all -o ndjson'));
    const word = /[A-Za-z]{4,}/.exec(senders.get(rows[0]!['message_id']) ?? '')![0];
    const wanted = rows
      .filter(({ message_id: id }) =>
        senders
          .get(id)
          ?.toLowerCase()
          .split(/[^a-z]+/)
          .includes(word.toLowerCase()),
      )
      .map(({ id }) => id as string);
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.length).toBeLessThan(rows.length);
    expect(idsOf(await pull(`--from ${word} --to got --json`)).toSorted()).toEqual(wanted.toSorted());
    const listed = recordsOf(await arx(dir, `attachments ls --from ${word} --all -o ndjson`));
    expect(listed.map(({ id }) => id)).toEqual(wanted);
    expect(listed.map(({ from }) => from)).toEqual(listed.map(({ message_id: id }) => senders.get(id)));
    expect(await arx(dir, `attachments ls --from ${word} --count`)).toMatchObject({
      stdout: `${wanted.length}\n`,
    });
    const selected = recordsOf(await arx(dir, 'attachments ls --all -o ndjson --fields id,from,date'));
    expect(selected.map(({ from }) => from)).toEqual(
      rows.map(({ message_id: id }) => senders.get(id) ?? null),
    );
  });

  test('attachments ls --matching: the files that pull --matching gets', async () => {
    const pulled = idsOf(await pull('--matching the --to got --json'));
    const listed = recordsOf(await arx(dir, 'attachments ls --matching the --all -o ndjson'));
    expect(listed.map(({ id }) => id as string).toSorted()).toEqual(pulled.toSorted());
    expect(await arx(dir, 'attachments ls --matching "("')).toMatchObject({ exit: 2, stdout: '' });
    expect(await arx(dir, 'attachments ls --from "!"')).toMatchObject({ exit: 2, stdout: '' });
  });

  test('--matching that finds nothing says so, and why', async () => {
    const ran = await pull('--matching nosuchword --to got');
    expect(ran.stderr).toContain('no message matches');
  });

  test('a wrong query is exit 2, and nothing is written', async () => {
    const ran = await pull("--matching 'glass (timing' --to got");
    expect(ran).toMatchObject({ exit: 2 });
    expect(ran.stderr).toContain('--matching, character 7');
    expect(existsSync(join(dir, 'got', MANIFEST_FILE))).toBe(false);
  });

  test.each([
    ['lines', 'att_1\n\natt_15\natt_1\n'],
    ['rows of attachments', '{"id":"att_1","filename":"x"}\n{"id":"att_15"}\n'],
    ['rows that name one', '{"id":"x","attachment_id":"att_1"}\n{"attachment_id":"att_15"}\n'],
  ])('ids from standard input as %s', async (_, stdin) => {
    const ran = await pull('--ids - --to got --json', { stdin });
    expect([ran.exit, idsOf(ran)]).toEqual([0, ['att_1', 'att_15']]);
    expect(idsOf(await pull('- --to got2 --json', { stdin }))).toEqual(['att_1', 'att_15']);
    writeFileSync(join(dir, 'ids'), stdin);
    expect(idsOf(await pull('--ids ids --to got3 --json'))).toEqual(['att_1', 'att_15']);
  });

  test('ids that are not there are errors, and the others come', async () => {
    const ran = await pull('--ids - --to got --json', { stdin: 'att_1\natt_9999\n../../x\n' });
    expect(ran.exit).toBe(6);
    expect(ran.stderr).toContain('no attachment att_9999');
    expect(filesIn('got')).toEqual(['lisbon-000.jpg']);
  });

  test.each([
    ['--ids - att_1', 'choose one of'],
    ['--ids - --city lisbon', 'choose one of'],
    ['--all --matching x', 'choose one of'],
    ['--all --flat --by city', 'does not go with --by'],
    ['--all --by author', "'author'"],
    ['--ids none.txt', 'cannot read none.txt'],
  ])('%s is exit 2', async (line, words) => {
    const ran = await pull(`${line} --to got`, { stdin: 'att_1\n' });
    expect(ran).toMatchObject({ exit: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
  });

  test.each(['city', 'type', 'conversation'] as const)(
    '--by %s: a folder of each; verify, a second pull, dry run and a bag work as in one folder',
    async (by) => {
      const ran = await pull(`--all --by ${by} --to got --json`);
      expect(ran.exit).toBe(3);
      const { files } = reportOf(ran);
      const rows = new Map(
        recordsOf(await arx(dir, 'attachments ls --all -o ndjson')).map((row) => [row['id'] as string, row]),
      );
      const messages = new Map(
        recordsOf(await arx(dir, 'messages ls --walk -o ndjson')).map((row) => [
          row['id'],
          row['conversation_id'],
        ]),
      );
      const wanted = {
        city: (row: Record<string, any>) => row['origin_city'] ?? 'no-city',
        type: (row: Record<string, any>) => row['content_type'].replace('/', '-'),
        conversation: (row: Record<string, any>) => messages.get(row['message_id']),
      }[by];
      const saved = files.filter(({ verdict }) => verdict === 'match');
      for (const { id, path } of saved) expect(path!.split('/')[0]).toBe(wanted(rows.get(id!)!));
      expect(filesIn('got')).toEqual(saved.map(({ path }) => path!).toSorted());
      for (const { path, actual } of saved)
        expect(sha256Of(readFileSync(join(dir, 'got', path!)))).toBe(actual);
      const verified = await arx(dir, 'attachments verify got --offline --json');
      expect(JSON.parse(verified.stdout)).toMatchObject({ fixity: 'ok' });
      expect(verified.exit).toBe(3);
      const again = await pull(`--all --by ${by} --to got --json`);
      expect(
        reportOf(again)
          .files.filter(({ verdict }) => verdict === 'match')
          .map(({ attempts }) => attempts),
      ).toEqual(saved.map(() => 0));
      const plan = await pull(`--all --by ${by} --to got --dry-run --json`);
      expect(JSON.parse(plan.stdout)).toMatchObject({ files: 0, here: saved.length });
      expect((await arx(dir, 'attachments export got --format bagit --to bag.zip --offline')).exit).toBe(3);
      expect((await arx(dir, 'attachments verify bag.zip')).exit).toBe(0);
    },
  );

  test('a file keeps the place that an earlier pull gave it, and a deleted one comes back there', async () => {
    await pull('att_1 --to got');
    await pull('att_1 att_15 --by city --to got');
    expect(filesIn('got')).toEqual(['lisbon-000.jpg', 'lisbon/lisbon-045-log.txt']);
    rmSync(join(dir, 'got/lisbon'), { recursive: true });
    expect((await pull('att_1 att_15 --to got')).exit).toBe(0);
    expect(filesIn('got')).toEqual(['lisbon-000.jpg', 'lisbon/lisbon-045-log.txt']);
  });

  test('--dry-run is exit 0 where files are withheld, and 3 under --strict', async () => {
    expect(await pull('--all --to got --dry-run')).toMatchObject({ exit: 0 });
    const strict = await pull('--all --to got --dry-run --strict');
    expect([strict.exit, strict.stderr]).toEqual([3, expect.stringMatching(/\d+ of \d+ files are withheld/)]);
  });

  test('--dry-run --by makes no folder', async () => {
    expect((await pull('--city lisbon --by city --to got --dry-run')).exit).toBe(0);
    expect(existsSync(join(dir, 'got'))).toBe(false);
    mkdirSync(join(dir, 'got'));
    expect((await pull('--city lisbon --by city --to got --dry-run')).exit).toBe(0);
    expect(readdirSync(join(dir, 'got'))).toEqual([]);
  });
});

const HOSTILE = [
  '../../x',
  '/etc',
  '..',
  'a/b/c',
  'a\\b',
  'nul\0x',
  'gpj.\u202eexe',
  'con',
  'COM1.txt',
  '-rf',
  '.ssh',
  MANIFEST_FILE,
  '.arx-0123456789abcdef-1.part',
  'x'.repeat(300),
  'trailing. ',
  '\u001b[2J',
  '~',
  'a:b',
  '%2e%2e',
];

describe('a value that no readable row has may be that of a withheld row', () => {
  beforeEach(async () => {
    await sampleData(join(dir, 'data'));
    const archive = await openArchive({ sleep, dir: join(dir, 'data'), now: () => NOON, randomBytes });
    for (const table of ['attachments', 'messages'])
      await archive.database.run(`UPDATE ${table} SET tier = 'mirror' WHERE n % 2 = 0`);
    await archive.close();
  });

  test.each([
    ['pull --to got --city atlantis', 'no city "atlantis" in what you may read; '],
    ['pull --to got --type x/y', 'no type "x/y" in what you may read; '],
    ['pull --to got --source zz', 'no source "zz" in what you may read; '],
    ['ls --city atlantis', 'no city "atlantis" in what you may read; '],
    ['ls --city atlantis --all', 'no city "atlantis" in what you may read; '],
    ['cities --city atlantis', 'no city "atlantis" in what you may read; '],
    ['pull --to got --name zz*', 'no attachment is known to have name "zz*"; '],
    ['pull --to got --city lisbon --on 1950', 'no attachment is known to have city "lisbon" and '],
  ])('%s', async (line, words) => {
    const ran = await arx(dir, `attachments ${line}`);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining(words)]);
    const strict = await arx(dir, `attachments ${line} --strict`);
    expect([strict.exit, strict.stderr]).toEqual([3, expect.not.stringContaining('not_found')]);
  });
});

test('a value that no row has is exit 6 under --strict where every row shows its value', async () => {
  await sampleData(join(dir, 'data'));
  const archive = await openArchive({ sleep, dir: join(dir, 'data'), now: () => NOON, randomBytes });
  await archive.database.run('UPDATE attachments SET redacted = 0');
  await archive.close();
  for (const command of ['pull --to got', 'ls', 'cities']) {
    const { exit, stderr } = await arx(dir, `attachments ${command} --source nosuch --strict`);
    expect([exit, stderr]).toEqual([6, expect.stringMatching(/^arx: no source "nosuch" \[not_found/)]);
  }
});

test.each([
  ['--city lisbon', 'city'],
  ['--type image/png', 'type'],
  ['--city lisbon --type image/png', 'city and type'],
])('%s, and every row is withheld: what cannot be told is no success', async (line, columns) => {
  await sampleData(join(dir, 'data'));
  const archive = await openArchive({ sleep, dir: join(dir, 'data'), now: () => NOON, randomBytes });
  for (const table of ['attachments', 'messages', 'conversations'])
    await archive.database.run(`UPDATE ${table} SET tier = 'mirror'`);
  await archive.close();
  const words = `no row shows ${columns}, so none can be selected by it`;
  for (const command of [
    `pull ${line} --to got`,
    `pull ${line} --to got --dry-run`,
    `ls ${line}`,
    `ls ${line} --count`,
  ])
    for (const strict of ['', ' --strict']) {
      const { exit, stderr } = await arx(dir, `attachments ${command}${strict}`);
      expect({ exit, stderr }, command).toMatchObject({ exit: 3, stderr: expect.stringContaining(words) });
      expect(stderr).not.toMatch(/no attachment has|no city|no type/);
    }
  expect(existsSync(join(dir, 'got'))).toBe(false);
});

describe('names of folders that mean harm', () => {
  test.each([
    ['city', 'origin_city'],
    ['conversation', 'conversation_id'],
  ])('--by %s: every folder is inside the target folder, and safe', async (by, field) => {
    await serve(HOSTILE.map((name, at) => ({ content: `${at}`, row: { [field]: name, filename: name } })));
    mkdirSync(join(dir, 'in'));
    const ran = await pull(`--all --by ${by} --to in/got --json`);
    const { files } = reportOf(ran);
    expect(files.map(({ verdict }) => verdict)).toEqual(HOSTILE.map(() => 'match'));
    expect(readdirSync(join(dir, 'in'))).toEqual(['got']);
    for (const folder of readdirSync(join(dir, 'in/got'))) {
      if (folder === MANIFEST_FILE) continue;
      expect(folder).toMatch(/^[^.~\-/\\\p{C}][^/\\:\p{C}]*$/u);
      expect(Buffer.byteLength(folder)).toBeLessThanOrEqual(200);
    }
    expect(filesIn('in/got')).toHaveLength(HOSTILE.length);
    expect((await arx(dir, 'attachments verify in/got --offline')).exit).toBe(0);
    const again = await pull(`--all --by ${by} --to in/got --json`);
    expect(reportOf(again).files.map(({ attempts }) => attempts)).toEqual(HOSTILE.map(() => 0));
    const exact = await pull(`--all --by ${by} --to exact --exact-names`);
    expect(exact.exit).toBe(13);
  });

  test('two files of one name in one folder, also by letter case', async () => {
    const files = ['A.txt', 'a.txt', 'A.txt'].map((filename, at) => ({
      filename,
      content: `${at}`,
      row: { origin_city: 'x' },
    }));
    await serve([...files, { filename: 'A.txt', content: 'y', row: { origin_city: 'y' } }]);
    expect((await pull('--all --by city --to got')).exit).toBe(0);
    expect(filesIn('got')).toEqual(['x/A.txt', 'x/att_2-a.txt', 'x/att_3-A.txt', 'y/A.txt']);
  });

  test.each([
    ['a link to a folder', (path: string) => symlinkSync('../outside', path)],
    ['a file', (path: string) => writeFileSync(path, 'mine')],
  ])('%s has the name of the folder: exit 13, nothing is written through it', async (_, make) => {
    mkdirSync(join(dir, 'outside'));
    mkdirSync(join(dir, 'got'));
    make(join(dir, 'got/x'));
    await serve([
      { content: 'a', row: { origin_city: 'x' } },
      { content: 'b', row: { origin_city: 'y' } },
    ]);
    const ran = await pull('--all --by city --to got');
    expect(ran.exit).toBe(13);
    expect(ran.stderr).toContain('x exists and is not a folder');
    expect(readdirSync(join(dir, 'outside'))).toEqual([]);
    expect(lstatSync(join(dir, 'got/x')).isDirectory()).toBe(false);
    expect(readFileSync(join(dir, 'got/y/file-2.txt'), 'utf8')).toBe('b');
  });

  test('other content in the folder stays; --force replaces it', async () => {
    mkdirSync(join(dir, 'got/x'), { recursive: true });
    writeFileSync(join(dir, 'got/x/file-1.txt'), 'mine');
    await serve([{ content: 'a', row: { origin_city: 'x' } }]);
    expect((await pull('--all --by city --to got')).exit).toBe(13);
    expect(readFileSync(join(dir, 'got/x/file-1.txt'), 'utf8')).toBe('mine');
    expect((await pull('--all --by city --to got --force')).exit).toBe(0);
    expect(readFileSync(join(dir, 'got/x/file-1.txt'), 'utf8')).toBe('a');
  });
});

test('--matching at a service without search is exit 6 with a hint, and no folder of files', async () => {
  await serve([{ content: 'a' }]);
  const ran = await pull('--matching a --to got');
  expect(ran).toMatchObject({ exit: 6, stdout: '' });
  expect(ran.stderr).toContain('this service has no search');
  expect(ran.stderr).toContain('hint: ');
});
