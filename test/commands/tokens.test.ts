// `arx tokens ls` and `revoke`: an operator sees who has tokens and ends them, while the archive is served.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../src/exit.ts';
import { withSchema } from '../../src/service/administration.ts';
import { createAssetService } from '../../src/service/index.ts';
import { sampleArchive, START } from '../support/archive.ts';
import { freshDatabase } from '../support/archives-database.ts';
import { call } from '../support/call.ts';
import { arx, dataOf, exitRecordOf } from '../support/command.ts';
import { sha256Of } from '../support/digest.ts';
import { noPostgres } from '../support/postgres.ts';
import { sampleData } from '../support/sample.ts';
import { serve, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
const servers: Served[] = [];
beforeEach(() => {
  dir = tempFolder('tokens');
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((served) => served.close()));
});
async function start(flags: readonly string[] = []): Promise<Served> {
  const served = await serve(dir, flags);
  servers.push(served);
  return served;
}

/** Logs a client in at this address. */
async function login(base: string, client: string): Promise<string> {
  const asked = await fetch(`${base}/api/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: client, observer_tier: 'external', requested_tier: 'external' }),
  });
  return ((await asked.json()) as { access_token: string }).access_token;
}
/** What each token gets at each of these addresses. */
async function statuses(bases: readonly string[], tokens: readonly string[]): Promise<number[]> {
  const found = [];
  for (const base of bases)
    for (const token of tokens) {
      const reply = await fetch(`${base}/v1/messages`, { headers: { authorization: `Bearer ${token}` } });
      await reply.arrayBuffer();
      found.push(reply.ok ? 200 : reply.status);
    }
  return found;
}
const idOf = (token: string): string => sha256Of(token).slice(0, 12);

test('by id, by client and all: at once in a running service, and no other', async () => {
  await sampleData(join(dir, 'data'));
  const { base_url: base } = await start();
  const client = `the reader's "laptop"`;
  const [one, same, other] = [
    await login(base, client),
    await login(base, client),
    await login(base, 'other'),
  ];
  const all = [one, same, other];
  expect(await statuses([base], all)).toEqual([200, 200, 200]);

  const listed = await arx(dir, 'tokens ls --json');
  expect(dataOf(listed).toSorted((a, b) => (a['id'] < b['id'] ? -1 : 1))).toEqual(
    [
      [one, client],
      [same, client],
      [other, 'other'],
    ]
      .map(([token, name]) => ({
        id: idOf(token!),
        client_id: name,
        access_tier: 'external',
        scope: ['read:messages', 'read:attachments'],
        issued_at: expect.stringMatching(/^20\d\d-.*Z$/),
        expires_at: expect.stringMatching(/^20\d\d-.*Z$/),
        expired: false,
      }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );
  for (const token of all) {
    expect(listed.stdout).not.toContain(token.slice(4, 16));
    expect(listed.stdout).not.toContain(sha256Of(token).slice(0, 13));
  }

  const planned = await arx(dir, 'tokens revoke --all --dry-run --json');
  expect(dataOf(planned).map(({ revoked }) => revoked)).toEqual([false, false, false]);
  expect(planned.stderr).toContain('would revoke 3 tokens');
  expect(planned.stderr).not.toContain('get new tokens');
  expect(await statuses([base], all)).toEqual([200, 200, 200]);

  const ended = await arx(dir, `tokens revoke ${idOf(one)} --yes --json`);
  expect(dataOf(ended)).toMatchObject([{ id: idOf(one), client_id: client, revoked: true }]);
  expect(await statuses([base], all)).toEqual([401, 200, 200]);
  // A leaked token is known by its whole hash.
  expect((await arx(dir, `tokens revoke ${sha256Of(other).toUpperCase()} --dry-run`)).exit).toBe(0);
  const line = ['tokens', 'revoke', '--client-id', client, '--yes'];
  expect(await arx(dir, '', { argv: line })).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('arx: clients that log in by themselves get new tokens'),
  });
  expect((await arx(dir, 'help tokens revoke')).stdout.replaceAll(/\s+/g, ' ')).toContain(
    'clients that log in by themselves get new ones',
  );
  expect(await statuses([base], all)).toEqual([401, 401, 200]);
  const next = await login(base, client);
  expect(await arx(dir, 'tokens revoke --all --yes')).toMatchObject({ exit: 0 });
  expect(await statuses([base], [...all, next])).toEqual([401, 401, 401, 401]);
  expect(dataOf(await arx(dir, 'tokens ls --json'))).toEqual([]);
  expect(await statuses([base], [await login(base, client)])).toEqual([200]);
});

test('tokens that a service with --read-only issued end with the next revocation', async () => {
  await sampleData(join(dir, 'data'));
  const { base_url: base } = await start(['--read-only']);
  const token = await login(base, 'c');
  expect(await statuses([base], [token])).toEqual([200]);
  expect(dataOf(await arx(dir, 'tokens ls --json'))).toEqual([]);
  expect(await arx(dir, 'tokens revoke --all --yes')).toMatchObject({ exit: 0 });
  expect(await statuses([base], [token])).toEqual([401]);
  expect(await statuses([base], [await login(base, 'c')])).toEqual([200]);
});

test('what cannot be revoked is refused, and says what to do', async () => {
  await sampleData(join(dir, 'data'));
  for (const [line, exit, message] of [
    ['tokens revoke --yes', EXIT.usage, 'which tokens: give ids, --client-id or --all'],
    ['tokens revoke --all --client-id x --yes', EXIT.usage, 'which tokens'],
    ['tokens revoke arx_secret --yes', EXIT.usage, 'an id is at least 12 characters'],
    ['tokens revoke 0123456789ab --yes', EXIT.not_found, 'no token with the id 0123456789ab'],
    ['tokens revoke --client-id nobody --yes', EXIT.not_found, 'no token of the client nobody'],
    ['tokens revoke --all', EXIT.usage, '--yes is missing'],
    ['tokens ls --database sqlite:none', EXIT.not_found, 'no archive'],
  ] as const) {
    const ran = await arx(dir, `${line} --json`);
    expect({ line, ...ran }).toMatchObject({ exit, stdout: '' });
    expect(JSON.stringify(exitRecordOf(ran)), line).toContain(message);
    expect(ran.stderr).not.toContain('arx_secret');
  }
});

test('a service of another operator is refused', async () => {
  await sampleData(join(dir, 'data'));
  for (const words of ['ls', 'revoke --all --yes']) {
    const ran = await arx(dir, `tokens ${words} --base-url http://127.0.0.1:1`);
    expect(ran).toMatchObject({ exit: EXIT.usage, stdout: '' });
    expect(ran.stderr).toContain('works on the database of an archive, and a base URL is set');
    expect(ran.stderr).toContain(`arx tokens ${words} --local`);
  }
});

test('the deployment topic names commands that there are', async () => {
  await sampleData(join(dir, 'data'));
  const topic = readFileSync(join(import.meta.dirname, '../../src/help/topics/deployment.md'), 'utf8');
  const lines = [...topic.matchAll(/`arx (tokens [^`]+)`/g)].map(([, line]) => line!);
  expect(lines.length).toBeGreaterThan(2);
  for (const line of lines) {
    const ran = await arx(dir, line.replace('ID', '0123456789ab').replaceAll(/ --database \S+/g, ''));
    expect([0, EXIT.not_found, EXIT.usage], line).toContain(ran.exit);
    if (ran.exit === EXIT.usage) expect(ran.stderr).toContain('--yes is missing');
  }
});

test('an address of a file goes on until the end of the next day', async () => {
  const sample = await sampleArchive();
  const body = { client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' };
  const { access_token: token } = (await call(sample.service, '/api/auth/token', { body })).json;
  const { json } = await call(sample.service, '/v1/attachments', { token });
  const target = new URL(json.data[0].file_url).pathname;
  const assets = createAssetService(sample.archive);
  const open = async () =>
    (await assets({ method: 'GET', target, headers: [], body: null, peer: 'local' })).status;
  const untilNextMs = 86_400_000 - (START % 86_400_000);
  sample.advance(untilNextMs + 86_400_000 - 1);
  expect(await open()).toBe(200);
  sample.advance(1);
  expect(await open()).toBe(403);
  await sample.close();
});

describe.skipIf(noPostgres)('with PostgreSQL', () => {
  test('in every process at once, and in the archive that is named alone', async () => {
    const url = await freshDatabase();
    expect(await arx(dir, `archive create ${url} one two`)).toMatchObject({ exit: 0 });
    const several = [await start(['--archives', url]), await start(['--archives', url])];
    const single = await start(['--database', withSchema(url, 'one')]);
    const ones = [...several.map(({ base_url }) => `${base_url}/a/one`), single.base_url];
    const two = `${several[0]!.base_url}/a/two`;
    const [kept, gone] = [await login(ones[0]!, 'kept'), await login(ones[1]!, 'gone')];
    const other = await login(two, 'gone');
    expect(await statuses(ones, [kept, gone])).toEqual([200, 200, 200, 200, 200, 200]);
    expect(await statuses([two], [other])).toEqual([200]);
    const place = withSchema(url, 'one');
    expect(dataOf(await arx(dir, `tokens ls --database ${place} --json`))).toHaveLength(2);
    const ran = await arx(dir, `tokens revoke --client-id gone --database ${place} --yes --json`);
    expect(dataOf(ran)).toMatchObject([{ client_id: 'gone', revoked: true }]);
    expect(await statuses(ones, [kept, gone])).toEqual([200, 401, 200, 401, 200, 401]);
    expect(await statuses([two], [other])).toEqual([200]);
  });
});
