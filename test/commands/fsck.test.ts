// `arx fsck` as its user meets it: exit codes, the report by its schema, an archive left as it was.
import {
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
  closeSync,
  readdirSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, expect, test } from 'vitest';
import { FsckReport } from '../../src/contract/reports/archive.ts';
import { arx } from '../support/command.ts';
import { emptyData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { withClient, freshUrl, noPostgres } from '../support/postgres.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('fsck')));
beforeEach(() => {
  const mail = (n: number) =>
    `From a@b Thu Jan  1 00:00:00 2026\nMessage-ID: <m${n}@b>\nFrom: a@b\nSubject: ${n}\n\n${'text\n'.repeat(400)}\n`;
  writeFileSync(join(dir, 'list.mbox'), Array.from({ length: 50 }, (_, n) => mail(n)).join(''));
  mkdirSync(join(dir, 'notes'));
  writeFileSync(join(dir, 'notes/note.txt'), 'a note\n');
});

const database = () => join(dir, 'data/archive.db');

test('no archive is not found, an empty one is nothing checked', async () => {
  expect(await arx(dir, 'fsck')).toMatchObject({ exit: 6, stdout: '' });
  expect(readdirSync(dir)).not.toContain('data');
  await emptyData(join(dir, 'data'));
  const ran = await arx(dir, 'fsck --json');
  expect(ran.exit).toBe(3);
  expect(FsckReport.parse(JSON.parse(ran.stdout))).toMatchObject({ verdict: 'nothing_checked' });
});

test('a sound archive is said to be, and is not changed', async () => {
  expect(await arx(dir, 'import list.mbox notes')).toMatchObject({ exit: 0 });
  const before = readFileSync(database());
  const ran = await arx(dir, 'fsck --json');
  expect(ran).toMatchObject({ exit: 0, stderr: '' });
  expect(FsckReport.parse(JSON.parse(ran.stdout))).toMatchObject({ verdict: 'ok', findings: [] });
  expect(readFileSync(database()).equals(before)).toBe(true);
});

test('pages of the database overwritten are found, and the check goes on to its end', async () => {
  expect(await arx(dir, 'import list.mbox notes')).toMatchObject({ exit: 0 });
  // What was written last is still in the log beside it.
  const handle = new DatabaseSync(database());
  handle.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  handle.close();
  const { size } = statSync(database());
  const file = openSync(database(), 'r+');
  for (let at = 4096 * Math.floor(size / 8192); at + 4096 < size; at += 4096 * 9)
    writeSync(file, Buffer.alloc(2048, 0x5a), 0, 2048, at);
  closeSync(file);
  const ran = await arx(dir, 'fsck --json');
  expect(ran.exit).toBe(12);
  const report = FsckReport.parse(JSON.parse(ran.stdout));
  expect(report.verdict).toBe('damaged');
  expect(report.findings.map(({ check }) => check)).toContain('engine');
  expect(report.checks.map(({ name }) => name)).toContain('files');
  expect(JSON.parse(ran.stderr.split('\n').at(-2)!)).toMatchObject({ exit: 12, class: 'integrity' });
});

test('half of a database is damage, and so are files without one, which no empty archive takes the place of', async () => {
  expect(await arx(dir, 'import list.mbox notes')).toMatchObject({ exit: 0 });
  const remove = (...ends: string[]) => {
    for (const end of ends) rmSync(`${database()}${end}`, { force: true });
  };
  // Closed, it needs no log beside it.
  remove('-wal', '-shm');
  expect(await arx(dir, 'fsck')).toMatchObject({ exit: 0 });
  remove('-wal', '-shm');
  const { size } = statSync(database());
  for (const left of [Math.floor(size / 8192) * 4096, 4096, 0]) {
    truncateSync(database(), left);
    expect(await arx(dir, 'fsck --json')).toMatchObject({ exit: 12 });
    expect(statSync(database()).size).toBe(left);
  }
  expect(await arx(dir, 'attachments ls --json')).toMatchObject({ exit: 15, stdout: '' });
  expect(statSync(database()).size).toBe(0);
  remove('', '-wal', '-shm');
  const empty = new DatabaseSync(database());
  empty.exec('PRAGMA journal_mode = WAL');
  empty.close();
  expect(await arx(dir, 'conversations ls --json')).toMatchObject({ exit: 15, stdout: '' });
  remove('', '-wal', '-shm');
  expect(await arx(dir, 'fsck')).toMatchObject({
    exit: 12,
    // Said once.
    stderr: expect.stringMatching(
      /^arx: .*missing, empty or the database of something else.*\n  hint: put a backup .*\n$/,
    ),
  });
  expect(await arx(dir, 'import list.mbox')).toMatchObject({ exit: 15 });
  expect(readdirSync(join(dir, 'data'))).toEqual(['blobs']);
});

test.skipIf(noPostgres).each([
  ['DELETE FROM meta', ['file_key', 'files']],
  [`UPDATE meta SET value = 'x'`, ['file_key', 'files']],
  [`UPDATE meta SET value = 'x' WHERE key = 'files'`, ['files']],
])('on PostgreSQL %s is damage and no wrong option', async (sql, subjects) => {
  const url = await freshUrl();
  const at = (line: string) => arx(dir, `${line} --database ${url}`);
  expect(await at('import list.mbox notes')).toMatchObject({ exit: 0 });
  await withClient((client) => client.query(sql), url);
  const ran = await at('fsck --json');
  expect(ran.exit).toBe(12);
  // Two servers, and a secret beside the password.
  const others = url.replace(/@[^/]*/, (place) => `${place},127.0.0.2:1`);
  const again = await arx(dir, `fsck --database ${others}&sslpassword=hidden`);
  expect([again.exit, again.stderr]).toEqual([12, expect.not.stringContaining('hidden')]);
  const { checks, findings } = FsckReport.parse(JSON.parse(ran.stdout));
  expect(findings.map(({ check, subjects: named }) => [check, named])).toEqual(
    subjects.map((subject) => ['engine', [subject]]),
  );
  expect(checks).toContainEqual({ name: 'files', looked: 1 });
  expect(await at('import list.mbox')).toMatchObject({
    exit: 15,
    stderr: expect.stringContaining('where it keeps its files is not known'),
  });
});

test('a file of the archive changed', async () => {
  expect(await arx(dir, 'import list.mbox notes')).toMatchObject({ exit: 0 });
  const [folder] = readdirSync(join(dir, 'data/blobs'));
  const [name] = readdirSync(join(dir, 'data/blobs', folder!));
  writeFileSync(join(dir, 'data/blobs', folder!, name!), 'b note\n');
  const { exit, stdout, stderr } = await arx(dir, 'fsck -o table');
  expect(exit).toBe(12);
  expect(stdout.replace(`${folder}${name}`, 'HASH').replace(dir, 'DIR')).toMatchInlineSnapshot(`
    "damaged, 102.3 kB hashed, sqlite, files in the folder DIR/data/blobs
    ├─ database
    ├─ messages 51
    ├─ conversations 51
    ├─ message keys, each with its conversation 52
    ├─ attachments 1
    ├─ stored messages 51
    ├─ search 51
    └─ different files, each hashed 1
       └─ * bytes have another hash 1
          └─ HASH
             └─ att_1 note.txt
    "
  `);
  expect(stderr).toBe(
    `arx: the archive ${dir}/data is damaged: 1 finding [integrity, exit 12]\n` +
      '  hint: arx help maintenance says how to restore a backup\n',
  );
});

test('a state file: of this check only, and gone when it is complete', async () => {
  expect(await arx(dir, 'import list.mbox notes')).toMatchObject({ exit: 0 });
  expect(await arx(dir, 'fsck --state state')).toMatchObject({ exit: 0 });
  expect(readdirSync(dir)).not.toContain('state');
  writeFileSync(join(dir, 'state'), 'mine');
  expect(await arx(dir, 'fsck --state state')).toMatchObject({ exit: 13 });
  expect(readFileSync(join(dir, 'state'), 'utf8')).toBe('mine');
  const findings = { checks: [], findings: [], unchecked: [], has_wrong_values: false, bytes: 0 };
  const state = { began_at: '2026-01-01T00:00:00Z', since: null, step: 'search', after: 0, findings };
  const file = { arx_fsck_state: 1, of: `sqlite:${join(dir, 'data')}`, state };
  writeFileSync(join(dir, 'state'), JSON.stringify(file));
  const other = await arx(dir, 'fsck --state state --since yesterday');
  expect([other.exit, other.stderr]).toEqual([
    2,
    expect.stringMatching(
      /is the state of another check: of sqlite:\S+ as a whole; this is one of sqlite:\S+ --since yesterday/,
    ),
  ]);
  const ran = await arx(dir, 'fsck --state state --json');
  expect(ran.exit).toBe(0);
  const report = FsckReport.parse(JSON.parse(ran.stdout));
  expect(report).toMatchObject({ verdict: 'ok', began_at: '2026-01-01T00:00:00Z' });
  expect(report.checks.map(({ name }) => name)).toEqual(['engine', 'search', 'files']);
  expect(await arx(dir, 'fsck --state no/state')).toMatchObject({ exit: 14, stdout: '' });
});

test('a date in the future is said to be one', async () => {
  expect(await arx(dir, 'import list.mbox notes')).toMatchObject({ exit: 0 });
  const ran = await arx(dir, 'fsck --since 2062-01-01 --json');
  expect(ran.exit).toBe(0);
  expect(ran.stderr).toBe('arx: --since 2062-01-01 lies in the future (UTC), so nothing was checked\n');
  expect((await arx(dir, 'fsck --since 2020-01-01 --json')).stderr).toBe('');
});

test('a damaged file is named with the attachments that have it', async () => {
  for (const n of [1, 2, 3, 4, 5, 6]) writeFileSync(join(dir, `notes/copy-${n}.txt`), 'a note\n');
  expect(await arx(dir, 'import notes')).toMatchObject({ exit: 0 });
  const blobs = join(dir, 'data/blobs');
  const path = readdirSync(blobs, { recursive: true, withFileTypes: true }).find((entry) => entry.isFile());
  writeFileSync(join(path!.parentPath, path!.name), 'b note\n');
  const { exit, stdout } = await arx(dir, 'fsck --json');
  expect(exit).toBe(12);
  const { findings } = FsckReport.parse(JSON.parse(stdout));
  const finding = findings.find(({ check }) => check === 'files');
  const sha256 = finding!.subjects[0]!;
  expect(finding!.attachments).toHaveLength(1);
  expect(finding!.attachments![0]).toMatchObject({ sha256, count: 7 });
  expect(finding!.attachments![0]!.named).toHaveLength(3);
  const [first] = finding!.attachments![0]!.named;
  const row = JSON.parse((await arx(dir, `attachments show ${first!.id} --json`)).stdout) as Record<
    string,
    unknown
  >;
  expect(row).toMatchObject({ sha256, filename: first!.filename });
  const shown = (await arx(dir, 'fsck -o table')).stdout;
  expect(shown).toContain(`${first!.id} ${first!.filename}`);
  expect(shown).toContain('and 4 more attachments');
});

test('a check of what is new says what it does not say', async () => {
  expect(await arx(dir, 'import list.mbox notes')).toMatchObject({ exit: 0 });
  expect(await arx(dir, 'fsck --since 2100')).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(
      /^nothing new, .*\nonly what came since .*\nnot checked: older rows and files/,
    ),
  });
  expect(await arx(dir, 'fsck --since 1999')).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/^ok since, .*\nonly what came since .*: above msg_0, att_0, event 0/),
  });
  expect(await arx(dir, 'fsck --since never')).toMatchObject({ exit: 2, stdout: '' });
});

test('what waits to be indexed after a redaction is said until a search indexes it', async () => {
  await arx(dir, 'import list.mbox notes');
  const said = /not indexed yet: 1; the next search does it/;
  expect((await arx(dir, 'fsck')).stdout).not.toMatch(said);
  await arx(dir, 'redact att_1 --yes');
  expect(await arx(dir, 'fsck')).toMatchObject({ exit: 0, stderr: '', stdout: expect.stringMatching(said) });
  const report = FsckReport.parse(JSON.parse((await arx(dir, 'fsck --json')).stdout));
  expect(report).toMatchObject({ verdict: 'ok', not_indexed: 1 });
  await arx(dir, 'search text --count');
  expect((await arx(dir, 'fsck')).stdout).not.toMatch(said);
});
