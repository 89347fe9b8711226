// Imports, index building and redactions killed with SIGKILL, on both engines: the index names what is there and may be seen, and
// `arx fsck` agrees.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseQuery } from '../../src/contract/search/query.ts';
import { openArchive, type Archive } from '../../src/service/index.ts';
import { searchTextReader } from '../../src/service/mail/search-text.ts';
import { readChecked } from '../../src/service/store/files/read-checked.ts';
import { indexNext } from '../../src/service/store/search/build-index.ts';
import { createFinder } from '../../src/service/store/search/find-messages.ts';
import { freshUrl, noPostgres } from '../support/postgres.ts';
import { buildProgram, type Program } from '../support/program.ts';
import { randomFrom } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';

const MESSAGES = 300;
/** A third of them imports, index building and redactions each. */
const ROUNDS = Number(process.env['ARX_TEST_KILLS'] ?? 8);

/** Kills the program at the n-th statement that it runs on a database. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { createRequire } from 'node:module';
const path = process.env.ARX_TEST_SQLITE;
const require = createRequire(path);
const sqlite = require(path);
let left = Number(process.env.ARX_TEST_KILL);
const count = () => {
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
};
class DatabaseSync extends sqlite.DatabaseSync {
  exec(sql) {
    count();
    return super.exec(sql);
  }
  prepare(sql) {
    const statement = super.prepare(sql);
    const counted = (name) => (...values) => {
      count();
      return statement[name](...values);
    };
    return { run: counted('run'), get: counted('get'), all: counted('all') };
  }
}
require.cache[path].exports = { ...sqlite, DatabaseSync };
`)}`;

const letter = (n: number) =>
  [
    'From a@b Thu Jan  1 00:00:00 2026',
    `Message-ID: <m${n}@b>`,
    `Subject: letter${n}`,
    'From: a@b',
    `Date: Thu, 1 Jan 2026 00:00:${String(n % 60).padStart(2, '0')} +0000`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    `--b\nContent-Type: text/plain\n\nword${n % 7} common\n`,
    ...(n % 3 === 0
      ? [
          `--b\nContent-Type: text/plain; name=name${n % 12}.txt\nContent-Disposition: attachment\n\nplanted${n % 12}\n`,
        ]
      : []),
    '--b--\n\n',
  ].join('\n');

let program: Program;
let dir: string;
beforeAll(() => {
  program = buildProgram();
  dir = tempFolder('killed-index');
  writeFileSync(join(dir, 'list.mbox'), Array.from({ length: MESSAGES }, (_, n) => letter(n + 1)).join(''));
});

const run = (home: string, words: string[], killedAt?: number) =>
  program.run(words, {
    dir: home,
    env:
      killedAt === undefined
        ? {}
        : {
            ARX_TEST_KILL: String(killedAt),
            ARX_TEST_SQLITE: join(
              program.launcher,
              `../../dist/sqlite/${process.platform}-${process.arch}/glibc.node`,
            ),
            NODE_OPTIONS: `--import=${PRELOAD}`,
          },
  });

test(`I7 ${ROUNDS} runs on SQLite, most of them killed`, { timeout: 600_000 }, async () => {
  const random = randomFrom('killed index');
  let killed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const home = tempFolder('killed-index');
    const list = join(dir, 'list.mbox');
    const place = { dir: join(home, 'data') };
    const step = ['import', 'search', 'redact'][round % 3]!;
    if (step !== 'import') expect((await run(home, ['import', list])).exit).toBe(0);
    if (step === 'search') {
      const archive = await openArchive({
        ...place,
        sleep,
        now: Date.now,
        randomBytes: (n) => new Uint8Array(n),
      });
      await clearIndex(archive);
      await archive.close();
    }
    const words = {
      import: ['import', list],
      search: ['search', 'common', '--count'],
      redact: ['redact', '--yes', 'att_1'],
    }[step]!;
    // An import and the index take thousands of statements, a redaction some dozens.
    const ended = await run(home, words, 1 + Math.floor(random() * (step === 'redact' ? 60 : 1500)));
    killed += Number(ended.signal === 'SIGKILL');
    const isRedacted = step === 'redact' && (await isClosed(place));
    // An import that is killed before its first commit leaves no archive.
    expect([step, round, await findingsOf(home, step === 'import')]).toEqual([step, round, []]);
    // As the index is left, without a search that completes it.
    const planted = await run(home, ['search', 'planted3', '--count']);
    if (isRedacted) expect([round, planted.stdout]).toEqual([round, '0\n']);
    if (step === 'import') expect((await run(home, ['import', list])).exit).toBe(0);
    expect([step, round, (await run(home, ['search', 'common', '--count'])).stdout]).toEqual([
      step,
      round,
      `${MESSAGES}\n`,
    ]);
    expect([step, round, await findingsOf(home, false)]).toEqual([step, round, []]);
    rmSync(home, { recursive: true, force: true });
  }
  expect(killed).toBeGreaterThan(ROUNDS / 3);
});

/** Kills the program at the n-th message to PostgreSQL, after half of it. */
const SOCKETS = `data:text/javascript,${encodeURIComponent(`
import { Socket } from 'node:net';
const { write } = Socket.prototype;
let left = Number(process.env.ARX_TEST_KILL);
Socket.prototype.write = function (chunk, ...rest) {
  if (--left === 0) {
    write.call(this, chunk.subarray(0, Math.floor(chunk.length / 2)));
    process.kill(process.pid, 'SIGKILL');
  }
  return write.call(this, chunk, ...rest);
};
`)}`;

describe.skipIf(noPostgres)('on PostgreSQL', () => {
  let child: string;
  beforeAll(async () => {
    const folder = tempFolder('index-child');
    const root = join(import.meta.dirname, '../..');
    child = join(folder, 'child.mjs');
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    await build({
      entryPoints: [join(root, 'test/support/index-child.ts')],
      outfile: child,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      loader: { '.md': 'text' },
    });
  });

  async function inArchive<T>(url: string, work: (archive: Archive) => Promise<T>): Promise<T> {
    const archive = await openArchive({ url, sleep, now: Date.now, randomBytes: (n) => new Uint8Array(n) });
    return work(archive).finally(() => archive.close());
  }

  /** How many messages the index names, as it is left. */
  function count(archive: Archive, query: string): Promise<number> {
    const { expression } = parseQuery(query, 0);
    const search = { expression, filters: [], reader: 'mirror' as const, labelsOf: () => [] };
    return createFinder(archive.database, { ...search, matches: async () => true }).then((finder) =>
      finder.count(),
    );
  }

  test(`${ROUNDS} runs, most of them killed`, { timeout: 900_000 }, async () => {
    const random = randomFrom('killed index on PostgreSQL');
    let killed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const url = await freshUrl();
      const home = tempFolder('killed-index');
      const importing = ['import', join(dir, 'list.mbox'), '--database', url];
      const step = ['import', 'search', 'redact'][round % 3]!;
      const nth = (most: number): string => String(1 + Math.floor(random() * most));
      if (step === 'import') {
        const env = { ARX_TEST_KILL: nth(120), NODE_OPTIONS: `--import=${SOCKETS}` };
        killed += Number((await program.run(importing, { dir: home, env })).signal === 'SIGKILL');
      } else {
        expect((await program.run(importing, { dir: home })).exit).toBe(0);
        if (step === 'search') await inArchive(url, clearIndex);
        const half = random() < 0.5 ? 'half' : 'none';
        const ended = spawn(process.execPath, [child, url, step, nth(step === 'search' ? 900 : 30), half]);
        const [, signal] = (await once(ended, 'exit')) as [number | null, string | null];
        killed += Number(signal === 'SIGKILL');
      }
      expect([step, round, await findingsOf(home, step === 'import', url)]).toEqual([step, round, []]);
      if (step === 'redact')
        await inArchive(url, async (archive) => {
          const row = await archive.database.get<{ redacted: number }>(
            'SELECT redacted FROM attachments WHERE n = 1',
          );
          // Of the 25 messages with this file one is withheld, or all of them are: the file has the same bytes.
          if (row?.redacted === 1) expect([round, await count(archive, 'planted3')]).toEqual([round, 0]);
          else expect([round, await count(archive, 'planted3')]).toEqual([round, MESSAGES / 12]);
        });
      if (step === 'import') expect((await program.run(importing, { dir: home })).exit).toBe(0);
      await inArchive(url, async (archive) => {
        const read = searchTextReader((sha256) => readChecked(archive.blobs, sha256));
        for (let calls = 0; calls < 10 && !(await indexNext(archive, read)); calls += 1);
        expect([step, round, await count(archive, 'common')]).toEqual([step, round, MESSAGES]);
      });
      expect([step, round, await findingsOf(home, false, url)]).toEqual([step, round, []]);
      rmSync(home, { recursive: true, force: true });
    }
    expect(killed).toBeGreaterThan(ROUNDS / 3);
  });
});

async function clearIndex({ database }: Archive): Promise<void> {
  await database.run(`DELETE FROM meta WHERE key = 'search'`);
  for (const tier of ['external', 'internal', 'mirror'])
    await database.run(
      database.engine === 'sqlite'
        ? `INSERT INTO search_${tier} (search_${tier}) VALUES ('delete-all')`
        : `DELETE FROM search_${tier}`,
    );
}

async function findingsOf(home: string, mayBeMissing: boolean, url?: string): Promise<unknown[]> {
  const where = url === undefined ? [] : ['--database', url];
  const { exit, stdout, stderr } = await run(home, ['fsck', '--json', ...where]);
  if (mayBeMissing && exit === 6) return [];
  expect(stdout, stderr).not.toBe('');
  // Files are stored before their rows, so those of a killed import are a notice.
  const { findings } = JSON.parse(stdout) as { findings: { severity: string }[] };
  return findings.filter(({ severity }) => severity === 'damage');
}

async function isClosed(place: { dir: string }): Promise<boolean> {
  const archive = await openArchive({
    ...place,
    sleep,
    now: Date.now,
    randomBytes: (n) => new Uint8Array(n),
  });
  try {
    const row = await archive.database.get<{ redacted: number }>(
      'SELECT redacted FROM attachments WHERE n = 1',
    );
    return row?.redacted === 1;
  } finally {
    await archive.close();
  }
}
