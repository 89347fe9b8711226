// What is PostgreSQL's alone: who writes, what is lost and tried again, how it is refused, and where its files are.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createAssetService,
  createService,
  openArchive,
  OtherFilesLocation,
  type OpenArchive,
  type ArchiveLocation,
} from '../../../../src/service/index.ts';
import { redact } from '../../../../src/service/administration.ts';
import { INTEGER, table } from '../../../../src/service/records/table.ts';
import { createFaultPlan } from '../../../../src/service/fault-injection/index.ts';
import type { Value } from '../../../../src/service/store/sql/database.ts';
import { setText } from '../../../../src/service/store/engines/postgres-connections.ts';
import { PAGE_SETTINGS } from '../../../../src/service/store/engines/postgres-plans.ts';
import { fileKey } from '../../../../src/service/store/meta-table/file-key.ts';
import { appendRows } from '../../../../src/service/store/sql/bulk-statements.ts';
import { DatabaseAccessError } from '../../../../src/service/store/sql/database-error.ts';
import { FILTERED_PAGE_SELECT, PAGE_SELECT } from '../../../../src/service/store/sql/prepared-texts.ts';
import { ASSET_URL, insert, sampleArchive, textOf, tokenFor } from '../../../support/archive.ts';
import { call } from '../../../support/call.ts';
import { PASSWORD } from '../../../support/cluster.ts';
import { arx } from '../../../support/command.ts';
import { moved } from '../../../support/event.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { fill } from '../../../support/many-rows.ts';
import { expectCancelled } from '../../../support/cancelled-statement.ts';
import { withClient, freshUrl, noPostgres, schemaOf, urlOf } from '../../../support/postgres.ts';
import { expectApiError } from '../../../support/reply.ts';
import { sha256Of } from '../../../support/digest.ts';

let dir: string;
let url: string;
const opened: OpenArchive[] = [];
beforeEach(() => void (dir = tempFolder('postgres')));
beforeEach(async () => {
  if (!noPostgres) url = await freshUrl();
});
afterEach(async () => {
  for (const archive of opened.splice(0)) await archive.close();
});

const SEARCH_DUE = table('search_due', { n: { type: INTEGER } });

let now = 0;
async function open(place: ArchiveLocation = { url }): Promise<OpenArchive> {
  const archive = await openArchive({ ...place, sleep, now: () => now, randomBytes });
  opened.push(archive);
  return archive;
}
const serviceOf = (archive: OpenArchive, more = {}) =>
  createService(archive, { assetUrl: ASSET_URL, version: '0', ...more });
const body = { client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' };
const FILE = {
  n: 1,
  message: 1,
  part: 0,
  filename: 'f',
  sha256: 'h',
  bytes: 1,
  declared_type: 'x/y',
  stored: 0,
  redacted: 0,
  decorative_layer: 0,
  first_visible: 1,
  source: 'x',
  tier: 'external',
};
/** Ends all connections of one name. */
const endAll = (name: string) =>
  withClient((client) =>
    client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
      name,
    ]),
  );

describe.skipIf(noPostgres)('transactions without a time limit', () => {
  test('one after the other take the same connection, and one within another a second', async () => {
    const { database } = await open();
    const STATE = `SELECT pg_backend_pid() AS pid, current_setting('statement_timeout') AS timeout`;
    const first = await database.migration((statements) => statements.get(STATE));
    expect(first).toMatchObject({ timeout: '0' });
    const [outer, inner] = await database.snapshot(async (statements) => [
      await statements.get(STATE),
      await database.migration((own) => own.get(STATE)),
    ]);
    expect(outer).toEqual(first);
    expect(inner?.['pid']).not.toBe(first?.['pid']);
    expect(inner).toMatchObject({ timeout: '0' });
  });
});

describe.skipIf(noPostgres)('long reads', () => {
  test.each(['socket', 'port', 'TLS'] as const)(
    'end in the middle of a statement that nobody waits for: %s',
    async (by) => {
      const more = `&options=-csearch_path%3D${schemaOf(url)}`;
      const byPort = urlOf({ by: 'port', password: PASSWORD });
      const { database } = await open({
        url: by === 'socket' ? url : `${byPort}?sslmode=${by === 'TLS' ? 'no-verify' : 'disable'}${more}`,
      });
      await expectCancelled(database);
      expect(database.pool!().waiting).toBe(0);
    },
  );
});

describe.skipIf(noPostgres)('one writer', () => {
  test('of all processes: the others wait, and get `busy` when it takes too long', async () => {
    const archive = await open({ url: `${url}&lock_timeout=150` });
    const service = serviceOf(archive);
    await call(service, '/api/health');
    await withClient(async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT n FROM writer FOR UPDATE');
      const refused = await call(service, '/api/auth/token', { body });
      expectApiError(refused, 'store_unavailable');
      expect(refused.headers['retry-after']).toBe('1');
      expect(await archive.database.tryTransaction(async () => 1)).toBeUndefined();
      // Reads wait for nobody: while another writes they give what was last counted.
      await insert(archive.database, 'attachments', FILE);
      expect((await call(service, '/api/health')).json.counts).toMatchObject({ attachments: 0 });
      await client.query('ROLLBACK');
    }, url);
    expect((await call(service, '/api/health')).json.counts).toMatchObject({ attachments: 1 });
    expect((await call(service, '/api/auth/token', { body })).status).toBe(200);
    expect(await archive.database.tryTransaction(async () => 1)).toBe(1);
  });

  test('numbers are given once: many deliveries of one event to two processes are one, many events are as many', async () => {
    const services = [serviceOf(await open()), serviceOf(await open())];
    const token = await tokenFor(services[0]!);
    const send = (n: number, id: string) =>
      call(services[n % 2]!, '/api/webhooks/ingest', { token, body: moved(id, 7, 3) });
    const all = Array.from({ length: 300 }, (_, n) => send(n, n % 3 === 0 ? `evt_${n}` : 'evt_same'));
    const answers = await Promise.all(all);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const rows = await opened[0]!.database.all('SELECT n, deliveries FROM events ORDER BY n');
    expect(rows.map(({ n }) => n)).toEqual(Array.from({ length: 101 }, (_, index) => index + 1));
    expect(Math.max(...rows.map(({ deliveries }) => Number(deliveries)))).toBe(200);
  });

  test('what ran into another is run again from its beginning, five times at most', async () => {
    const { database } = await open();
    const failing = (times: number) => {
      let runs = 0;
      return database.transaction(async (statements) => {
        runs += 1;
        await statements.run('INSERT INTO meta VALUES ($1, $2)', ['run', String(runs)]);
        if (runs <= times) await statements.run(`DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''40001''; END'`);
        return runs;
      });
    };
    expect(await failing(2)).toBe(3);
    expect(await database.all(`SELECT value FROM meta WHERE key = 'run'`)).toEqual([{ value: '3' }]);
    await database.run(`DELETE FROM meta WHERE key = 'run'`);
    await expect(failing(9)).rejects.toMatchObject({ kind: 'busy', code: '40001' });
    expect(await database.all(`SELECT value FROM meta WHERE key = 'run'`)).toEqual([]);
  });

  test('what ends a transaction goes with its commit: where it fails nothing is kept, and the connection serves on', async () => {
    const { database } = await open();
    const add = (...ends: string[]) =>
      database.transaction(async (statements) => {
        await statements.run(`INSERT INTO meta VALUES ('first', '')`);
        for (const key of ends) statements.last!('INSERT INTO meta VALUES ($1, $2)', [key, '']);
      });
    const kept = async () =>
      (await database.all(`SELECT key FROM meta WHERE key IN ('first', 'a', 'b') ORDER BY key`)).map(
        ({ key }) => key,
      );
    for (const ends of [['first'], ['a', 'first'], ['first', 'b']]) {
      await expect(add(...ends)).rejects.toMatchObject({ code: '23505' });
      expect(await kept()).toEqual([]);
    }
    await add('a', 'b');
    expect(await kept()).toEqual(['a', 'b', 'first']);
  });

  test('an insert of given rows stays prepared on its connection, also after it failed', async () => {
    const { database } = await open();
    const add = (n: number) =>
      database.transaction((statements) => {
        statements.last!('INSERT INTO search_due VALUES ($1)', [n]);
        return appendRows(statements, SEARCH_DUE, [{ n: n + 1 }]);
      });
    const kept = () => database.all('SELECT n FROM search_due ORDER BY n');
    await add(1);
    // Before it, it, and again.
    await expect(add(1)).rejects.toMatchObject({ code: '23505' });
    await expect(add(0)).rejects.toMatchObject({ code: '23505' });
    await add(3);
    expect(await kept()).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
    const names = await database.transaction((statements) =>
      statements.all(`SELECT name FROM pg_prepared_statements WHERE name LIKE 'arx_append%'`),
    );
    expect(names).toEqual([{ name: 'arx_append_search_due' }]);
  });

  test('a mistake of ours is no trouble of the database, and no integer is rounded', async () => {
    const { database } = await open();
    await expect(database.get('SELECT nothing')).rejects.not.toBeInstanceOf(DatabaseAccessError);
    await expect(database.get('SELECT CAST(9007199254740993 AS BIGINT) AS n')).rejects.toThrow(RangeError);
    const least = await database.get('SELECT CAST(-9007199254740991 AS BIGINT) AS n');
    expect(least).toEqual({ n: Number.MIN_SAFE_INTEGER });
  });
});

describe.skipIf(noPostgres)('a connection that is lost', () => {
  test('reads go on with another; a write under way is not acknowledged, the next one is', async () => {
    const name = `lost${process.pid}`;
    const archive = await open({ url: `${url}&application_name=${name}` });
    const { database } = archive;
    const service = serviceOf(archive);
    const token = await tokenFor(service);
    await endAll(name);
    expect((await call(service, '/v1/conversations', { token })).status).toBe(200);
    const lost = database.transaction(async (statements) => {
      await endAll(name);
      return statements.run(`INSERT INTO meta VALUES ('lost', '')`);
    });
    await expect(lost).rejects.toMatchObject({ kind: 'unreachable' });
    await database.transaction((statements) => statements.run(`INSERT INTO meta VALUES ('kept', '')`));
    const keys = await database.all(`SELECT key FROM meta WHERE key IN ('lost', 'kept')`);
    expect(keys).toEqual([{ key: 'kept' }]);
  });

  test('a read that was under way is asked again', async () => {
    const { database } = await open();
    await database.run('CREATE SEQUENCE times');
    const ending = `SELECT CASE WHEN nextval('times') = 1 THEN CAST(pg_terminate_backend(pg_backend_pid()) AS TEXT)
      ELSE 'again' END AS said`;
    expect(await database.get(ending)).toEqual({ said: 'again' });
  });

  test('a server that cannot be reached is a 503 that says nothing of it', async () => {
    const archive = await open();
    opened.splice(0);
    await archive.close();
    const lost = () => Promise.reject(new DatabaseAccessError('unreachable', 'ECONNREFUSED', undefined));
    const service = serviceOf({ ...archive, database: { ...archive.database, get: lost, all: lost } });
    const answer = await call(service, '/api/health');
    expect(answer.json.error).toMatchObject({ code: 'store_unavailable' });
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.text).not.toMatch(/postgres|database|ECONN/i);
  });
});

describe.skipIf(noPostgres)('a server that gives few connections', () => {
  test('serves many reads at once by those, and by more where there are', async () => {
    const role = `few_${randomBytes(4).toString('hex')}`;
    await withClient(async (client) => {
      await client.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2`);
      await client.query(`GRANT ALL ON SCHEMA ${schemaOf(url)} TO ${role}`);
    });
    const own = new URL(url);
    own.username = role;
    own.searchParams.set('application_name', role);
    const { database } = await open({ url: own.href });
    const backends = async (): Promise<number> => {
      const rows = await Promise.all(
        Array.from({ length: 12 }, () =>
          database.get('SELECT pg_backend_pid() AS pid, pg_sleep(0.01) IS NULL AS slept'),
        ),
      );
      return new Set(rows.map((row) => row?.['pid'])).size;
    };
    expect(await backends()).toBeLessThanOrEqual(2);
    await withClient((client) => client.query(`ALTER ROLE ${role} CONNECTION LIMIT 20`));
    expect(await backends()).toBeLessThanOrEqual(2);
    await endAll(role);
    expect(await backends()).toBeGreaterThan(2);
  });
});

describe.skipIf(noPostgres)('a new archive', () => {
  test('is made once by many at a time', async () => {
    const archives = await Promise.all([open(), open(), open(), open()]);
    const keys = await Promise.all(archives.map(fileKey));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
    const versions = await archives[0].database.all('SELECT version FROM migrations ORDER BY version');
    expect(versions).toEqual(versions.map((_, index) => ({ version: index + 1 })));
    expect(versions.length).toBeGreaterThan(2);
  });

  test('text is in the order of its bytes, whatever the database’s own order', async () => {
    const database = `c${process.pid}`;
    const made = `CREATE DATABASE ${database} TEMPLATE template0 ENCODING UTF8 LOCALE_PROVIDER icu ICU_LOCALE 'en'`;
    await withClient((client) => client.query(made));
    const archive = await open({ url: urlOf({ database }) });
    for (const key of ['b', 'B', 'a', 'ä', 'Z', '_', '𝄞', '\uffee']) {
      await archive.database.run('INSERT INTO threads VALUES ($1, 1)', [key]);
    }
    const rows = await archive.database.all('SELECT message_key FROM threads ORDER BY message_key');
    expect(rows.map((row) => row['message_key'])).toEqual(['B', 'Z', '_', 'a', 'b', 'ä', '\uffee', '𝄞']);
  });

  test('is not made in a database that is not in UTF-8', async () => {
    const database = `e${process.pid}`;
    const made = `CREATE DATABASE ${database} TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'`;
    await withClient((client) => client.query(made));
    await expect(open({ url: urlOf({ database }) })).rejects.toThrow('cannot be opened');
    const tables = await withClient(
      (client) => client.query(`SELECT 1 FROM pg_tables WHERE schemaname = 'public'`),
      urlOf({ database }),
    );
    expect(tables.rows).toEqual([]);
  });
});

describe.skipIf(noPostgres)('files', () => {
  const CHUNK = 256 * 1024;
  const hashOf = (bytes: Uint8Array) => sha256Of(bytes);
  const joined = async (bytes: AsyncIterable<Uint8Array>) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(piece);
    const largest = Math.max(0, ...pieces.map(({ byteLength }) => byteLength));
    return { bytes: Buffer.concat(pieces), largest };
  };

  test.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5])(
    'of %i bytes come back, in pieces and in part',
    async (size) => {
      const { blobs } = await open();
      const content = randomBytes(size);
      const sha256 = hashOf(content);
      expect(await blobs.size(sha256)).toBeUndefined();
      await Promise.all([blobs.put(sha256, content), blobs.put(sha256, content)]);
      expect(await blobs.size(sha256)).toBe(size);
      const whole = await joined(blobs.read(sha256));
      expect(whole.bytes.equals(content)).toBe(true);
      expect(whole.largest).toBeLessThanOrEqual(CHUNK);
      const parts = [
        [0, 0],
        [1, size - 2],
        [CHUNK - 1, CHUNK],
        [size - 1, size - 1],
      ] as const;
      for (const [from, to] of parts) {
        if (from < 0 || from > to || to >= size) continue;
        const part = await joined(blobs.read(sha256, from, to));
        expect(part.bytes.equals(content.subarray(from, to + 1))).toBe(true);
      }
    },
  );

  test('whose bytes are not those of the hash are not kept', async () => {
    const { blobs, database } = await open();
    const content = randomBytes(CHUNK + 9);
    const path = join(dir, 'file');
    await writeFile(path, content);
    const other = hashOf(Buffer.from('other'));
    expect(await blobs.putFile(other, path)).toBe(false);
    expect(await blobs.size(other)).toBeUndefined();
    expect(await database.all('SELECT chunk FROM chunks')).toEqual([]);
    expect(await blobs.putFile(hashOf(content), path)).toBe(true);
    expect((await joined(blobs.read(hashOf(content)))).bytes.equals(content)).toBe(true);
  });

  test('lie where the first process kept them, in the database or in a folder', async () => {
    const blobs = join(dir, 'blobs');
    const x = hashOf(Buffer.from('x'));
    const archive = await open({ url, blobs });
    await archive.blobs.put(x, Buffer.from('x'));
    expect(await archive.database.all('SELECT sha256 FROM blobs')).toEqual([]);
    expect(await (await open({ url, blobs })).blobs.size(x)).toBe(1);
    await expect(open({ url })).rejects.toThrow(OtherFilesLocation);
  });

  describe('in a folder', () => {
    const MARK = 'arx-archive.json';
    const CONTENT = Buffer.from('kept');
    /** An archive with one file in `here`, and what an older arx would have left: no mark. */
    const kept = async (at = url, marked: 'marked' | 'unmarked' = 'marked'): Promise<string> => {
      const here = join(dir, `here-${schemaOf(at)}`);
      const archive = await open({ url: at, blobs: here });
      await archive.blobs.put(hashOf(CONTENT), CONTENT);
      await insert(archive.database, 'attachments', { ...FILE, sha256: hashOf(CONTENT), stored: 1 });
      if (marked === 'unmarked') await rm(join(here, MARK));
      return here;
    };
    const other = { kind: 'store', message: expect.stringContaining('is not the folder of this archive') };

    test.each([{ readOnly: false }, { readOnly: true }])(
      'another one is refused, and left as it is: %j',
      async (how) => {
        const here = await kept();
        const second = await freshUrl();
        const there = await kept(second);
        const empty = join(dir, 'empty');
        await mkdir(empty);
        for (const blobs of [there, empty, join(dir, 'missing')])
          await expect(open({ url, blobs, ...how })).rejects.toMatchObject(other);
        expect(await readdir(empty)).toEqual([]);
        expect(await readdir(dir)).not.toContain('missing');
        // A new archive is not begun there either, and may be begun elsewhere.
        const third = await freshUrl();
        await expect(open({ url: third, blobs: here })).rejects.toMatchObject(other);
        await open({ url: third });
        expect(await (await open({ url, blobs: here, ...how })).blobs.size(hashOf(CONTENT))).toBe(4);
      },
    );

    test('one without a mark is known by the oldest files, and marked; read-only it is not', async () => {
      const here = await kept(url, 'unmarked');
      await open({ url, blobs: here, readOnly: true });
      expect(await readdir(here)).not.toContain(MARK);
      await open({ url, blobs: here });
      const mark = await readFile(join(here, MARK), 'utf8');
      expect(mark).toMatch(/^{"version":1,"archive":"[0-9a-f]{64}"}\n$/);
      const { rows } = await withClient((client) => client.query('SELECT value FROM meta'), url);
      expect(rows.filter(({ value }) => mark.includes(value as string))).toEqual([]);
      await writeFile(join(here, MARK), mark.slice(0, 9));
      await expect(open({ url, blobs: here })).rejects.toMatchObject(other);
    });

    test.each([{ readOnly: false }, { readOnly: true }])(
      'of an archive that has no files yet, it is the first one that was marked: %j',
      async (how) => {
        const here = join(dir, 'here');
        await open({ url, blobs: here });
        const elsewhere = join(dir, 'elsewhere');
        await mkdir(elsewhere);
        await expect(open({ url, blobs: elsewhere, ...how })).rejects.toMatchObject(other);
        expect(await readdir(elsewhere)).toEqual([]);
        await open({ url, blobs: here, ...how });
      },
    );

    test('is marked once by many that open at a time', async () => {
      const blobs = join(dir, 'blobs/new');
      await Promise.all([1, 2, 3, 4, 5].map(() => open({ url, blobs })));
      expect(await readdir(blobs)).toEqual([MARK]);
    });

    test.each([MARK, ''])('is ready while it is there: %s', async (gone) => {
      const here = await kept();
      const service = serviceOf(await open({ url, blobs: here }));
      const ready = async () => {
        const { status, json } = await call(service, '/api/health/ready');
        return [status, json.status, json.files_writable, json.files_there];
      };
      expect(await ready()).toEqual([200, 'ready', true, undefined]);
      await rename(join(here, gone), join(dir, 'aside'));
      expect(await ready()).toEqual([503, 'unready', false, false]);
      await rename(join(dir, 'aside'), join(here, gone));
      expect(await ready()).toEqual([200, 'ready', true, undefined]);
    });

    test('the error is 15, and says what to do', async () => {
      await kept();
      const blobs = join(dir, 'missing');
      const { exit, stderr } = await arx(dir, '', { argv: ['fsck', '--database', url, '--blobs', blobs] });
      expect(exit).toBe(15);
      expect(stderr).toContain(`arx: --blobs ${blobs} is not the folder of this archive: it holds none of`);
      expect(stderr).toContain('\n  hint: give the folder');
    });
  });
});

describe.skipIf(noPostgres)('processes of one archive', () => {
  test('know each other’s tokens, file addresses and limits', async () => {
    const size = { conversations: 2, messages: 2, attachments: 3 };
    const first = await sampleArchive({ ...size, place: { url } });
    now = first.archive.now();
    const second = await open();
    const [one, other] = [first.service, serviceOf(second)];
    const token = await tokenFor(one);
    const { json } = await call(other, '/v1/attachments/att_1', { token });
    const file = await createAssetService(second)({
      method: 'GET',
      target: json.file_url.slice(ASSET_URL.length),
      headers: [],
      body: null,
      peer: 'local',
    });
    expect(await textOf(file)).toBe('file 1');
    const guess = (n: number) =>
      call(n % 2 === 0 ? one : other, '/v1/attachments', { token: 'no', peer: '10.1.1.1' });
    for (let n = 0; n < 300; n += 1) expect((await guess(n)).status).toBe(401);
    for (const n of [0, 1]) expectApiError(await guess(n), 'rate_limited');
    now += 60_000;
    expect((await guess(1)).status).toBe(401);
    now = 0;
    await first.close();
  });

  test('lie together as one alone would: reads, requests and writes are counted for all', async () => {
    const size = { conversations: 40, messages: 1, attachments: 0 };
    const faults = {
      drift: { from: 0.5, to: 1, seed: 3, faults: ['shift', 'dup'] as const },
      transport: { seed: 3, share: 0.2, kinds: ['429', '503'] as const, latency: 0, sleep: async () => {} },
      writes: { seed: 3, writes: { append: { count: 5, every: 3 }, delete: { count: 3, every: 4 } } },
    };
    const alone = await sampleArchive({ ...size, place: { dir }, faults });
    const first = await sampleArchive({ ...size, place: { url }, faults });
    now = first.archive.now();
    const shared = await open();
    const second = serviceOf(shared, { faults: createFaultPlan(shared, faults) });
    const token = await tokenFor(alone.service);
    expect(await tokenFor(first.service)).toBe(token);
    for (let n = 0; n < 40; n += 1) {
      const path = `/v1/conversations?limit=5&starting_after=conv_${n + 1}`;
      const right = await call(alone.service, path, { token });
      const shared = await call(n % 3 === 0 ? first.service : second, path, { token });
      const bare = ({ text }: { text: string }) => text.replace(/req_\w+/, '');
      expect(bare(shared)).toBe(bare(right));
      expect(shared.headers['x-drift-ratio']).toBe(right.headers['x-drift-ratio']);
    }
    now = 0;
    await alone.close();
    await first.close();
  });
});

describe.skipIf(noPostgres)('the command line', () => {
  const importing = async (database: string, more = '') => {
    await writeFile(join(dir, 'mail.eml'), 'From: a@b.example\nSubject: x\n\ntext\n');
    return arx(dir, `import mail.eml --database ${database} ${more}`);
  };

  test('a password never shows, right or wrong', async () => {
    const by = { by: 'port', schema: schemaOf(url) } as const;
    const right = await importing(urlOf({ ...by, password: PASSWORD }));
    expect(right.exit).toBe(0);
    expect(right.stderr).toContain('can be seen by others');
    const wrong = await importing(urlOf({ ...by, password: 'tok secret' }));
    expect(wrong.exit).toBe(4);
    expect(wrong.stderr).toContain('the database refuses this user or password (28P01)');
    for (const { stdout, stderr } of [right, wrong]) {
      expect(stdout + stderr).not.toMatch(/correct|tok|secret|horse/);
    }
  });

  test.each([
    ['nobody listens', 'postgres://arx@127.0.0.1:1/x', 10, 'cannot be reached (ECONNREFUSED)'],
    ['no such host', 'postgres://arx@nowhere.invalid/x', 10, 'cannot be reached'],
    ['no address', 'postgres://[', 2, 'the address is not a URL'],
    [
      'a password that is not encoded',
      'postgres://arx:1@se/cret@h/x',
      2,
      '--database: in its user, password and database, write @ as %40',
    ],
    [
      'no certificate of an authority',
      'postgres://arx@127.0.0.1:1/x?sslmode=verify-full&sslrootcert=none.pem',
      2,
      'cannot read the file of sslrootcert, none.pem (no such file or folder)',
    ],
    ['another kind', 'mysql://x', 2, '--database takes sqlite:FOLDER or postgres://'],
    [
      'a sslmode nobody knows',
      'postgres://arx@127.0.0.1:1/x?sslmode=requre',
      2,
      'sslmode, or PGSSLMODE, is one of disable, allow',
    ],
    ['a folder for files of SQLite', 'sqlite:x --blobs y', 2, '--blobs goes with --database postgres://'],
  ])('%s', async (_name, address, exit, text) => {
    const ran = await importing(address);
    expect(ran.stderr).toContain(text);
    expect(ran.exit).toBe(exit);
    expect(ran.stdout).toBe('');
  });

  test('a password that is asked for and not given is no trouble of the network', async () => {
    const ran = await importing(`${urlOf({ by: 'port', schema: schemaOf(url) })} --json`);
    expect(ran.exit).toBe(4);
    expect(ran.stderr).toContain('the database asks for a password, and none was given');
    expect(ran.stderr).toContain('hint: set PGPASSWORD');
    expect(ran.stderr).toContain('"retryable":false');
  });

  test('a server without TLS says so, a sslmode in the environment is one that is known', async () => {
    const plain = createServer(
      (socket) => void socket.on('error', () => {}).once('data', () => socket.end('N')),
    );
    await new Promise<void>((resolve) => void plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as AddressInfo;
    const ran = await importing(`postgres://arx@127.0.0.1:${port}/x?sslmode=verify-full`, '--json');
    await new Promise((resolve) => plain.close(resolve));
    expect(ran.exit).toBe(10);
    expect(ran.stderr).toContain('the server of the database offers no TLS');
    expect(ran.stderr).toContain('"retryable":false');
    const env = { PGSSLMODE: 'requre' };
    expect(await arx(dir, `fsck --database ${url}`, { env })).toMatchObject({ exit: 2, stdout: '' });
    expect((await arx(dir, `fsck --database ${url}&sslmode=disable`, { env })).exit).toBe(6);
  });

  test('a file is withheld by the operator', async () => {
    await mkdir(join(dir, 'notes'));
    await writeFile(join(dir, 'notes', 'note.txt'), 'a note\n');
    expect((await arx(dir, `import notes --database ${url}`)).exit).toBe(0);
    expect((await arx(dir, 'redact --yes att_1')).exit).toBe(6);
    const redacted = await arx(dir, `redact --yes att_1 --database ${url} --json`);
    expect(redacted).toMatchObject({ exit: 0, stderr: '' });
    expect(JSON.parse(redacted.stdout)).toMatchObject({ id: 'att_1', redacted: true, file_url: null });
    expect((await arx(dir, `redact --yes att_1 --undo --database ${url}`)).exit).toBe(0);
  });

  test('no such database, a folder that is not the archive’s, a certificate nobody knows', async () => {
    expect(await importing(urlOf({ database: 'nothing' }))).toMatchObject({ exit: 15, stdout: '' });
    expect((await importing(url)).exit).toBe(0);
    const elsewhere = await importing(url, '--blobs elsewhere');
    expect(elsewhere).toMatchObject({ exit: 2, stdout: '' });
    expect(elsewhere.stderr).toContain('the archive keeps its files in the database');
    const unknown = await importing(`${urlOf({ by: 'port', password: PASSWORD })}?sslmode=verify-full`);
    expect(unknown).toMatchObject({ exit: 10, stdout: '' });
    expect(unknown.stderr).toContain('SELF_SIGNED');
  });
});

describe.skipIf(noPostgres)('pages in mind', () => {
  test('are those of now, whoever commits, and cost one question for all who ask at once', async () => {
    const sample = await sampleArchive({ attachments: 5, redactEvery: 0, place: { url } });
    const [here, there] = [await open(), await open()];
    let statements = 0;
    const get: typeof here.database.get = (sql, parameters) => {
      statements += 1;
      return here.database.get(sql, parameters);
    };
    const service = serviceOf({ ...here, database: { ...here.database, get } });
    const token = await tokenFor(service, 'internal');
    const redacted = async () =>
      (await call(service, '/v1/attachments/att_1', { token })).json.redacted as boolean;
    expect(await redacted()).toBe(false);
    // Every commit on the server, also of a test that runs at the same time, makes a page be read again.
    let read = Infinity;
    for (let look = 0; look < 50 && read > 0; look += 1) {
      statements = 0;
      expect(await Promise.all(Array.from({ length: 30 }, redacted))).toEqual(Array(30).fill(false));
      read = statements;
    }
    expect(read).toBe(0);
    for (const lasting of [true, false]) {
      await redact(there, 'att_1', 'sealed');
      expect(await redacted()).toBe(true);
      // One that began before and ends after others is no older state than theirs.
      await withClient(async (client) => {
        await client.query('BEGIN');
        await client.query('UPDATE attachments SET redacted = 0 WHERE n = 1');
        expect(await redacted()).toBe(true);
        await withClient((other) => other.query(`INSERT INTO counters VALUES ('${lasting}', 1)`), url);
        expect(await redacted()).toBe(true);
        await client.query(lasting ? 'COMMIT' : 'ROLLBACK');
        expect(await redacted()).toBe(!lasting);
      }, url);
    }
    await sample.close();
  });

  test('go by indexes, in an empty archive and in a full one', async () => {
    const sample = await sampleArchive({ conversations: 0, attachments: 0, place: { url } });
    const asked = new Map<string, readonly Value[]>();
    const get: typeof sample.archive.database.get = (sql, parameters = []) => {
      if (sql.startsWith(PAGE_SELECT) || sql.startsWith(FILTERED_PAGE_SELECT)) asked.set(sql, parameters);
      return sample.archive.database.get(sql, parameters);
    };
    const service = createService(
      { ...sample.archive, database: { ...sample.archive.database, get } },
      { assetUrl: ASSET_URL, version: '0' },
    );
    const token = await tokenFor(service, 'internal');
    for (const [list, kind] of [
      ['/v1/attachments?', 'att'],
      ['/v1/attachments?origin_city=oslo&', 'att'],
      ['/v1/attachments?content_type=a&source=b&', 'att'],
      ['/v1/attachments?redacted=true&', 'att'],
      ['/v1/conversations?', 'conv'],
      ['/messages?', 'msg'],
      ['/messages?opening=true&', 'msg'],
    ] as const) {
      for (const window of ['', `starting_after=${kind}_1`, `ending_before=${kind}_1`]) {
        await call(service, list + window, { token });
      }
    }
    // A filtered page without a cursor has the text of one after a row.
    expect(asked.size).toBe(18);
    const plansAreIndexes = (name: string) =>
      withClient(async (client) => {
        // As it is for tables of millions, for which the engine would start processes beside its own.
        await client.query(`SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
          SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0`);
        await client.query(setText(PAGE_SETTINGS));
        for (const [sql, values] of asked) {
          const spoken = sql.replaceAll(/json_quote\(([\w.]+)\)/g, 'CAST(to_json($1) AS TEXT)');
          await client.query(`PREPARE page AS ${spoken}`);
          const given = values.map((value) => (typeof value === 'number' ? value : `'${String(value)}'`));
          const { rows } = await client.query<Record<string, string>>(
            `EXPLAIN EXECUTE page (${given.join()})`,
          );
          const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
          expect(plan).toMatch(/Index (Only )?Scan/);
          // The ranges of a filter, of each tier at most a page, are put in order. Nothing else is sorted.
          const isFiltered = sql.startsWith(FILTERED_PAGE_SELECT);
          const slow = isFiltered ? /Seq Scan|Hash|Bitmap|Gather/ : /Seq Scan|Sort|Hash|Bitmap|Merge|Gather/;
          expect(plan, `${name}: ${sql}`).not.toMatch(slow);
          await client.query('DEALLOCATE page');
        }
      }, url);
    await plansAreIndexes('empty');
    await fill(sample.archive.database, 2_000);
    await plansAreIndexes('filled');
    await sample.close();
  });
});
