// The statements of `arx help deployment` that end tokens before their time, with the programs that it names, while a service runs.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createAssetService } from '../../src/service/index.ts';
import { sampleArchive, START, type Sample } from '../support/archive.ts';
import { call } from '../support/call.ts';
import { freshUrl, noPostgres, schemaOf, urlOf } from '../support/postgres.ts';

const TOPIC = readFileSync(join(import.meta.dirname, '../../src/help/topics/deployment.md'), 'utf8');
const [SECTION = ''] = /^## Tokens\n[^#]*/m.exec(TOPIC) ?? [];
/** The text between back quotes in the section that begins like this. */
const quoted = (start: string): string =>
  [...SECTION.matchAll(/`([^`]+)`/g)].find(([, text]) => text!.startsWith(start))![1]!;
/** The statement of a line of the list. */
const statement = (name: string): string =>
  new RegExp(`^- \\*\\*${name}\\*\\*: \`([^\`]+)\``, 'm').exec(SECTION)![1]!;
/** How long the text says that a service may go on with a deleted token. */
const CACHED_MS = { five: 5_000 }[/within (\w+) seconds/.exec(SECTION)![1]!]!;

let sample: Sample | undefined;
afterEach(async () => {
  await sample?.close();
  sample = undefined;
});

async function login(client: string): Promise<string> {
  const body = { client_id: client, observer_tier: 'internal', requested_tier: 'internal' };
  return (await call(sample!.service, '/api/auth/token', { body })).json.access_token;
}
const statuses = async (...tokens: string[]): Promise<number[]> => {
  const found: number[] = [];
  for (const token of tokens) found.push((await call(sample!.service, '/v1/messages', { token })).status);
  return found;
};

/** Revokes one token, then those of its client, then all, by `run`, which runs a statement. */
async function revokesWhatItNames(run: (sql: string) => void): Promise<void> {
  const client = 'the reader\'s "laptop"; \'x';
  const [one, same, other] = [await login(client), await login(client), await login('other')];
  expect(await statuses(one, same, other)).toEqual([200, 200, 200]);
  const hash = execFileSync('sh', ['-c', quoted('printf ')], { env: { ...process.env, TOKEN: one } });
  const steps: [sql: string, after: number[]][] = [
    [statement('one').replace('HASH', hash.toString().split(' ')[0]!), [401, 200, 200]],
    [statement('those of one client').replace('NAME', client.replaceAll("'", "''")), [401, 401, 200]],
    [statement('all'), [401, 401, 401]],
  ];
  for (const [sql, after] of steps) {
    run(sql);
    sample!.advance(CACHED_MS);
    expect(await statuses(one, same, other), sql).toEqual(after);
  }
  expect(await statuses(await login(client))).toEqual([200]);
}

const hasSqlite = spawnSync('sqlite3', ['--version']).status === 0;
describe.skipIf(!hasSqlite)('in a folder, by sqlite3', () => {
  test('the tokens that are named, and no other', async () => {
    sample = await sampleArchive();
    const { dir } = sample;
    await revokesWhatItNames((input) => execFileSync('sh', ['-c', quoted('sqlite3 ')], { cwd: dir, input }));
  });

  test('also while something is written', async () => {
    sample = await sampleArchive();
    const token = await login('c');
    const sqlite = await sample.archive.database.transaction(async () => {
      const child = spawn('sh', ['-c', quoted('sqlite3 ')], { cwd: sample!.dir });
      const ended = once(child, 'exit');
      child.stdin.end(`SELECT 'begun';\n${statement('all')};\n`);
      await once(child.stdout, 'data');
      return { ended };
    });
    expect((await sqlite.ended)[0]).toBe(0);
    sample.advance(CACHED_MS);
    expect(await statuses(token)).toEqual([401]);
  });
});

test('an address of a file goes on until the end of the next day', async () => {
  sample = await sampleArchive();
  const token = await login('c');
  const { json } = await call(sample.service, '/v1/attachments', { token });
  const target = new URL(json.data[0].file_url).pathname;
  await sample.archive.database.run(statement('all'));
  const assets = createAssetService(sample.archive);
  const open = async () =>
    (await assets({ method: 'GET', target, headers: [], body: null, peer: 'local' })).status;
  const untilNextMs = 86_400_000 - (START % 86_400_000);
  sample.advance(untilNextMs + 86_400_000 - 1);
  expect(await statuses(token)).toEqual([401]);
  expect(await open()).toBe(200);
  sample.advance(1);
  expect(await open()).toBe(403);
});

const hasPsql = spawnSync('psql', ['--version']).status === 0;
describe.skipIf(noPostgres || !hasPsql)('in PostgreSQL, by psql', () => {
  test('in the schema of the archive alone', async () => {
    const url = await freshUrl();
    sample = await sampleArchive({ place: { url } });
    const path = quoted('SET search_path').replace('NAME', schemaOf(url));
    await revokesWhatItNames((sql) =>
      execFileSync('psql', [urlOf(), '-qX', '-v', 'ON_ERROR_STOP=1', '-c', path, '-c', sql]),
    );
  });
});
