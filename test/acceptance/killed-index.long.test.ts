// Imports, searches and redactions killed with SIGKILL at a statement: the index names what is there and may be seen, and `arx fsck` agrees.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { openArchive } from '../../src/service/index.ts';
import { buildProgram, type Program } from '../support/program.ts';
import { randomFrom } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';

const MESSAGES = 300;
const ROUNDS = 60;

/** Kills the program at the n-th statement that it runs on a database. */
const PRELOAD = `data:text/javascript,${encodeURIComponent(`
import { createRequire } from 'node:module';
const require = createRequire(process.env.ARX_TEST_FROM);
const sqlite = require('@photostructure/sqlite');
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
require.cache[require.resolve('@photostructure/sqlite')].exports = { ...sqlite, DatabaseSync };
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
            ARX_TEST_FROM: join(import.meta.dirname, '../../package.json'),
            NODE_OPTIONS: `--import=${PRELOAD}`,
          },
  });

test(`${ROUNDS} runs, most of them killed`, { timeout: 600_000 }, async () => {
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
      await archive.database.run(`DELETE FROM meta WHERE key = 'search'`);
      for (const tier of ['external', 'internal', 'mirror'])
        await archive.database.run(`INSERT INTO search_${tier} (search_${tier}) VALUES ('delete-all')`);
      await archive.close();
    }
    const words = {
      import: ['import', list],
      search: ['search', 'common', '--count'],
      redact: ['redact', 'att_1'],
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

async function findingsOf(home: string, mayBeMissing: boolean): Promise<unknown[]> {
  const { exit, stdout, stderr } = await run(home, ['fsck', '--json']);
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
