// Real pulls, with their threads: killed at any point (I1), on disks that fail (I2, J3), and of the files of a real archive.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PullReport } from '../../../src/contract/reports/files.ts';
import { MANIFEST_FILE } from '../../../src/download/manifest.ts';
import { isOwnFile } from '../../../src/download/own-files.ts';
import { isUnfinishedMark } from '../../../src/download/unfinished-pull.ts';
import { PARTIAL_FILE } from '../../../src/download/partial-names.ts';
import { arx } from '../../support/command.ts';
import { serveCatalogue, type CatalogueOptions, type ForeignFile } from '../../support/catalogue-server.ts';
import { AUTHORITY, CERTIFICATES, KEY } from '../../support/certificates.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { answer, type Misbehaving } from '../../support/misbehaving-server.ts';
import { buildProgram, startProcess, type Ended, type Program, type Running } from '../../support/program.ts';
import { randomFrom } from '../../support/random.ts';
import { ranged } from '../../support/ranges.ts';
import { expectedRows, hasRealData, unpackTar } from '../../support/real-data.ts';
import { serve as serveArchive } from '../../support/served.ts';
import { sha256Of } from '../../support/digest.ts';

let program: Program;
beforeAll(() => void (program = buildProgram()));

let dir: string;
let dl: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('pulling')));
beforeEach(() => {
  dl = join(dir, 'dl');
  mkdirSync(dl);
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const large = 'large '.repeat(200_000);
/** Small ones, which a thread fetches ahead, and two that are resumed. */
const filesOf = (count: number): ForeignFile[] =>
  Array.from({ length: count }, (_, index): ForeignFile => {
    if (index % Math.ceil(count / 2) !== 1) return { content: `file ${index} `.repeat(1 + (index % 300)) };
    const content = large + index;
    return { content, script: ranged({ content }) };
  });
const env = { ARX_TOKEN: 'arx_0123456789.abc' };
const line = (...more: string[]) => [
  'attachments',
  'pull',
  '--all',
  '--to',
  'dl',
  '--base-url',
  server!.url,
  '--json',
  ...more,
];
const start = (...more: string[]): Running => program.start(line(...more), { dir, env });
const reportOf = ({ stdout }: Ended) => PullReport.parse(JSON.parse(stdout));

/** The names that stand in the folder, each of which must be right and whole. */
function finished(files: readonly ForeignFile[]): string[] {
  const names = readdirSync(dl).filter((name) => !isOwnFile(name));
  for (const name of names) {
    const { content } = files[Number(/^file-(\d+)\.txt$/.exec(name)?.[1]) - 1]!;
    expect(sha256Of(readFileSync(join(dl, name))), name).toBe(sha256Of(content));
  }
  return names;
}
const fetched = (from: number): string[] =>
  server!.requests
    .slice(from)
    .flatMap(({ head }) => /^GET \/files\/(\d+) /.exec(head)?.[1] ?? [])
    .map((index) => `file-${Number(index) + 1}.txt`);

describe('I1: killed', () => {
  // ARX_KILLS and ARX_SEED for a long run: each kill is at another request.
  const kills = Number(process.env['ARX_KILLS'] ?? 12);
  const count = kills > 12 ? 500 : 120;
  const seed = process.env['ARX_SEED'] ?? '7';

  test(`${kills} times at a random request: no wrong file, and nothing is fetched again`, async () => {
    const files = filesOf(count);
    const random = randomFrom(`kill ${seed}`);
    let killAt = Infinity;
    let killed: Running | undefined;
    const plain = (content: string): NonNullable<ForeignFile['script']> => ranged({ content });
    let seen = 0;
    server = await serveCatalogue(
      files.map((file) => ({
        ...file,
        script: (socket, asked, head) => {
          seen += 1;
          // Before its answer, or in the turn after it.
          if (seen === killAt && random() < 0.5) killed?.child.kill('SIGKILL');
          else if (seen === killAt) setImmediate(() => killed?.child.kill('SIGKILL'));
          (file.script ?? plain(file.content))(socket, asked, head);
        },
      })),
    );
    let before: string[] = [];
    for (let turn = 0; turn < kills; turn++) {
      // When all is there, it begins again.
      if (before.length === count) rmSync(dl, { recursive: true });
      if (before.length === count) before = [];
      const from = server.requests.length;
      seen = 0;
      killAt = 1 + Math.floor(random() * (count - before.length) * (turn % 3 === 0 ? 1 : 0.2));
      killed = start();
      await killed.ended;
      const again = fetched(from).filter((name) => before.includes(name));
      expect(again).toEqual([]);
      before = existsSync(dl) ? finished(files) : [];
    }
    killAt = Infinity;
    const from = server.requests.length;
    const last = await start().ended;
    expect([last.exit, reportOf(last).verdicts['match']]).toEqual([0, count]);
    expect(finished(files)).toHaveLength(count);
    expect(fetched(from).filter((name) => before.includes(name))).toEqual([]);
    expect(readdirSync(dl).filter((name) => PARTIAL_FILE.test(name))).toEqual([]);
    const idle = await start().ended;
    expect(reportOf(idle).files.every(({ attempts }) => attempts === 0)).toBe(true);
  }, 1_800_000);
});

test('Ctrl-C at a random request: the manifest lists every file that has its name', async () => {
  const count = 240;
  const files = filesOf(count);
  const random = randomFrom('interrupt 7');
  let running: Running | undefined;
  let seen = 0;
  let stopAt = 0;
  server = await serveCatalogue(
    files.map((file) => ({
      ...file,
      script: (socket, asked, head) => {
        seen += 1;
        if (seen === stopAt) running?.child.kill('SIGINT');
        (file.script ?? ranged(file))(socket, asked, head);
      },
    })),
  );
  for (let turn = 0; turn < 8; turn++) {
    rmSync(dl, { recursive: true, force: true });
    seen = 0;
    stopAt = 40 + Math.floor(random() * (count - 40));
    running = start();
    const ended = await running.ended;
    const listed = readFileSync(join(dl, MANIFEST_FILE), 'utf8').split('\n').filter(Boolean);
    const paths = listed.map((text) => (JSON.parse(text) as { path: string }).path);
    expect(paths.sort(), `at request ${stopAt}`).toEqual(finished(files).sort());
    if (ended.exit === 130) expect(ended.stderr).toContain(`interrupted: ${paths.length} file`);
  }
});

test.each([
  ['http', {}],
  ['https', { tls: { key: KEY, cert: CERTIFICATES.right } }],
])(
  'small files come by a thread over %s; what is not plain or right is decided the careful way',
  async (_, options) => {
    writeFileSync(join(dir, 'authority.pem'), AUTHORITY);
    const files = filesOf(20);
    const say =
      (bytes: Buffer | string): NonNullable<ForeignFile['script']> =>
      (socket) =>
        socket.write(bytes);
    files[4]!.script = say(answer(200, 'other bytes'));
    files[5]!.script = say(answer(404, '{}'));
    files[6]!.script = say(answer(302, '', { location: '/files/7' }));
    files[7]!.script = say(answer(200, files[6]!.content));
    files[7]!.content = files[6]!.content;
    files[8]!.script = (socket, count) =>
      void (count === 0 ? socket.destroy() : socket.write(answer(200, files[8]!.content)));
    server = await serveCatalogue(files, options);
    const trust = { ...env, NODE_EXTRA_CA_CERTS: join(dir, 'authority.pem') };
    const ran = await program.start(line(), { dir, env: trust }).ended;
    expect(ran.exit).toBe(12);
    const { files: rows, verdicts } = reportOf(ran);
    expect(verdicts).toMatchObject({ match: 18, mismatch: 1, missing: 1 });
    expect([rows[4]?.verdict, rows[5]?.verdict]).toEqual(['mismatch', 'missing']);
    // The careful way over TLS says so of its connection.
    expect(server.requests.find(({ head }) => head.startsWith('GET /files/0 '))?.head).not.toMatch(
      /^connection:/im,
    );
    expect(finished(files)).toHaveLength(18);
    expect(readdirSync(dl).filter((name) => PARTIAL_FILE.test(name))).toEqual([]);
    // No token goes to a file.
    expect(
      server.requests.filter(({ head }) => head.includes('/files/') && /authorization/i.test(head)),
    ).toEqual([]);
  },
);

test('a run that goes well says nothing on standard error, nor does its Node', async () => {
  server = await serveCatalogue(filesOf(20));
  const { exit, stderr } = await start().ended;
  expect([exit, stderr]).toEqual([0, '']);
});

describe('files are begun before their rows have a place in the list', () => {
  /** Once one of them is here under its temporary name. */
  const begun = async (): Promise<void> => {
    while (!readdirSync(dl).some((name) => PARTIAL_FILE.test(name)))
      await new Promise((resolve) => setImmediate(resolve));
  };

  test('a list that cannot be read to its end: none gets a name, none stays', async () => {
    server = await serveCatalogue(filesOf(20), {
      list: async (rows, count) => {
        if (count === 0) return answer(200, JSON.stringify({ data: rows, has_more: true }));
        await begun();
        return answer(500, '{}');
      },
    });
    const ran = await start('--retries', '0').ended;
    const files = readdirSync(dl).filter((name) => !isUnfinishedMark(name));
    expect([ran.exit, files]).toEqual([9, [MANIFEST_FILE]]);
  });

  test('what the list says at last counts: withheld by then, or of another content', async () => {
    const files: ForeignFile[] = ['a', 'b', 'old'].map((content) => ({ content }));
    const answers = ['old', 'new'];
    files[2]!.script = (socket) => socket.write(answer(200, answers.shift() ?? 'new'));
    server = await serveCatalogue(files, {
      list: async (rows, count) => {
        const last = [{ ...rows[0], redacted: true }, rows[1], { ...rows[2], sha256: sha256Of('new') }];
        if (count > 0) await begun();
        return answer(200, JSON.stringify({ data: count === 0 ? rows : last, has_more: false }));
      },
    });
    const ran = await start().ended;
    const { files: rows } = reportOf(ran);
    expect([ran.exit, rows.map(({ verdict }) => verdict)]).toEqual([11, ['withheld', 'match', 'match']]);
    expect(ran.stderr).toContain('twice with different hashes');
    expect(readdirSync(dl).sort()).toEqual([MANIFEST_FILE, 'file-2.txt', 'file-3.txt']);
    expect(readFileSync(join(dl, 'file-3.txt'), 'utf8')).toBe('new');
    // The one that was right was fetched once.
    expect(fetched(0).filter((name) => name === 'file-2.txt')).toHaveLength(1);
  });
});

/** Runs another command where `dl` cannot be written; undefined where nobody may mount. */
const mounting = [['-m'], ['-rm']]
  .map((flags) => ['unshare', ...flags, 'sh', '-c', 'mount -t tmpfs -o ro none "$0" && exec "$@"'])
  .find((words) => spawnSync(words[0]!, [...words.slice(1), tmpdir(), 'true']).status === 0);
if (mounting === undefined) process.stderr.write('SKIPPED: a read-only file system needs leave to mount\n');

test.skipIf(mounting === undefined)('a folder to be made on a read-only file system says so', async () => {
  server = await serveCatalogue(filesOf(2));
  const pull = line().map((word) => (word === 'dl' ? 'dl/new/er' : word));
  const words = [...mounting!.slice(1), dl, process.execPath, program.launcher, ...pull];
  const { exit, stderr } = await startProcess('unshare', words, { dir, env }).ended;
  expect([exit, stderr]).toEqual([14, expect.stringContaining('dl/new/er: read-only file system')]);
});

const hasStrace = spawnSync('strace', ['-V']).status === 0;
if (!hasStrace)
  process.stderr.write('SKIPPED: strace is not here; failing system calls of pull are not tested\n');

/** A pull of files with one kind of call failing, from after its start on. */
async function hurt(
  files: readonly ForeignFile[],
  injection: string,
  options: string[] = [],
  begin = start,
): Promise<Ended> {
  let open = (): void => {};
  const gate: CatalogueOptions = { gate: new Promise<void>((resolve) => (open = resolve)) };
  await server?.close();
  server = await serveCatalogue(files, gate);
  const running = begin('--retries', '0');
  const call = injection.slice(0, injection.indexOf(':'));
  const traced = [
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${injection}`,
    ...options,
  ];
  while (!server.requests.some(({ head }) => head.includes('/api/health')))
    await new Promise((resolve) => setImmediate(resolve));
  const tracer = spawn('strace', [...traced, '-p', String(running.pid)], { stdio: 'ignore' });
  const gone = new Promise((resolve) => tracer.once('close', resolve));
  const isTraced = () => /^TracerPid:\t[1-9]/m.test(readFileSync(`/proc/${running.pid}/status`, 'utf8'));
  while (!isTraced()) await new Promise((resolve) => setImmediate(resolve));
  open();
  const ended = await running.ended;
  await gone;
  return ended;
}

describe.skipIf(!hasStrace)('I2, J3: a system call fails', () => {
  const files = filesOf(12);
  afterEach(async () => {
    // Whatever it was, the next run ends well and nothing stays behind.
    const next = await start().ended;
    expect([next.exit, finished(files).length]).toEqual([0, files.length]);
    expect(readdirSync(dl).filter((name) => PARTIAL_FILE.test(name))).toEqual([]);
  });

  test.each([
    ['pwrite64:error=ENOSPC:when=1+'],
    ['pwrite64:error=EIO:when=2'],
    ['pwrite64:error=EDQUOT:when=5'],
    ['fsync:error=EIO:when=1+'],
    ['fsync:error=ENOSPC:when=3'],
    ['link:error=ENOSPC:when=1+'],
    ['link:error=EIO:when=2'],
    ['link:error=EROFS:when=1+'],
    ['getdents64:error=EIO:when=1'],
    ['fdatasync:error=EIO:when=1+'],
  ])('%s: exit 14, no part of it stays', async (injection) => {
    const { exit, stderr } = await hurt(files, injection);
    expect([exit, stderr.split('\n').at(-2)]).toEqual([14, expect.stringContaining('"exit":14')]);
    expect(readdirSync(dl).filter((name) => PARTIAL_FILE.test(name))).toEqual([]);
    finished(files);
  });

  test.each([
    ['openat:error=EMFILE:when=2+'],
    ['openat:error=ENOSPC:when=3'],
    ['openat:error=EACCES:when=1+'],
  ])('%s: exit 14, or it went another way', async (injection) => {
    // The first of a thread may be its own program, and then all is done without that thread.
    const ran = await hurt(files, injection);
    const isWhole = ran.exit === 0 && finished(files).length === files.length;
    expect(ran.exit === 14 || isWhole, `exit ${ran.exit}`).toBe(true);
  });

  test.each([
    ['link:error=EPERM:when=1+', 'a disk without links'],
    ['unlink:error=EIO:when=1+', 'what is left is removed by the next run'],
    ['fsync:error=EINTR:when=1', 'a signal between'],
  ])('%s: %s', async (injection) => {
    const { exit } = await hurt(files, injection);
    expect(exit === 0 || injection.includes('EINTR')).toBe(true);
    finished(files);
  });

  test('the manifest cannot be written: the report is there all the same, and says what was kept', async () => {
    const ran = await hurt(files, 'fdatasync:error=ENOSPC:when=1+');
    expect([ran.exit, reportOf(ran).verdicts.match]).toEqual([14, files.length]);
    expect(ran.stderr).toMatch(/^arx: \/\S+\/\.arx-manifest\.ndjson: no space left .*\n {2}kept: 12 files\n/);
  });

  test('the manifest cannot be written: a verification is not proposed, but the same pull', async () => {
    const ran = await hurt(files, 'fdatasync:error=ENOSPC:when=1+', [], (...more) =>
      program.start([...line(...more).filter((word) => word !== '--json'), '-o', 'table'], { dir, env }),
    );
    expect(ran.exit).toBe(14);
    expect(ran.stderr).toMatch(
      /12 files of this pull are in \S+, but the manifest may not list them: the same pull/,
    );
    expect(ran.stderr).not.toContain('arx attachments verify');
  });

  test('short writes: a disk that fills up within a file', async () => {
    await server?.close();
    server = await serveCatalogue(files);
    const cramped = ['-c', 'ulimit -f 4; exec "$@"', 'sh', process.execPath, program.launcher, ...line()];
    const { exit } = await startProcess('sh', cramped, { dir, env }).ended;
    expect(exit).toBe(14);
    expect(readdirSync(dl).filter((name) => PARTIAL_FILE.test(name))).toEqual([]);
    finished(files);
  });
});

const HERE = hasRealData('files.tar.xz');

describe.skipIf(!HERE)('the files of a real archive', () => {
  test('imported, served and pulled, have the hashes that others saw', async () => {
    unpackTar('files', dir);
    expect((await arx(dir, 'import files --kind folder')).exit).toBe(0);
    const archive = await serveArchive(dir);
    try {
      const words = ['attachments', 'pull', '--all', '--to', 'dl', '--base-url', archive.base_url, '--json'];
      const login = ['login', '--base-url', archive.base_url, '--client-id', 'me', '--no-input'];
      const tiers = ['--observer-tier', 'internal', '--requested-tier', 'internal'];
      expect((await program.run([...login, ...tiers], { dir })).exit).toBe(0);
      const ran = await program.run(words, { dir });
      const expected = expectedRows('files').map(([sha256]) => sha256);
      const { files, verdicts } = reportOf(ran);
      expect([ran.exit, verdicts['match']]).toEqual([0, files.length]);
      const pulled = files.map(({ path }) => sha256Of(readFileSync(join(dl, path!))));
      expect(new Set(pulled)).toEqual(new Set(expected));
      expect(pulled).toEqual(files.map((file) => file.expected));
    } finally {
      await archive.close();
    }
  });
});
