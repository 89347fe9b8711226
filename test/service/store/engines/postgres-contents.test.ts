// What is found in a PostgreSQL database before anything is changed in it, and how each command ends where it is no archive for it.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { createService, openArchive } from '../../../../src/service/index.ts';
import { checkContents } from '../../../../src/service/store/engines/postgres-contents.ts';
import { DatabaseAccessError } from '../../../../src/service/store/sql/database-error.ts';
import { ASSET_URL } from '../../../support/archive.ts';
import { call } from '../../../support/call.ts';
import { PASSWORD } from '../../../support/cluster.ts';
import { arx } from '../../../support/command.ts';
import { tempFolder } from '../../../support/temp-folder.ts';
import { withClient, freshUrl, noPostgres, schemaOf, urlOf } from '../../../support/postgres.ts';
import { expectApiError } from '../../../support/reply.ts';

let dir: string;
let url: string;
beforeEach(() => void (dir = tempFolder('survey')));
beforeEach(async () => {
  if (noPostgres) return;
  url = await freshUrl();
  await writeFile(join(dir, 'mail.eml'), 'From: a@b.example\nSubject: x\n\ntext\n');
});

const WRITING = ['import mail.eml', 'serve --port 0', 'redact --yes att_1'];
const READING = ['fsck', 'serve --port 0 --read-only'];
const on = (line: string, database = url) => arx(dir, `${line} --database ${database}`);
const query = (sql: string) => withClient((client) => client.query(sql), url);
const imported = async () => expect((await on('import mail.eml')).exit).toBe(0);
const tables = async () => {
  const { rows } = await query(
    `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`,
  );
  return rows.map((row: Record<string, unknown>) => row['tablename']);
};

test('a relative that lacks the catalogues is taken as it comes, one that cannot be reached is not', async () => {
  const answering = (error: Error) =>
    checkContents({ all: () => Promise.reject(error) }, { readOnly: false });
  await expect(answering(new Error('no function'))).resolves.toBeUndefined();
  const trouble = new DatabaseAccessError('unreachable', 'lost', undefined);
  await expect(answering(trouble)).rejects.toBe(trouble);
});

describe.skipIf(noPostgres)('a database', () => {
  test.each([
    ['a table named as one of ours', ['messages'], 'CREATE TABLE messages (x INTEGER)'],
    ['a table of another name', ['customers'], 'CREATE TABLE customers (x INTEGER)'],
    ['versions of something else', ['migrations'], 'CREATE TABLE migrations AS SELECT 4 AS version'],
    ['a view named as one of ours', [], 'CREATE VIEW events AS SELECT 1 AS n'],
  ])('of something else is refused as it is: %s', async (_name, names, sql) => {
    await query(sql);
    for (const line of [...WRITING, ...READING]) {
      const ran = await on(line);
      expect(ran, line).toMatchObject({ exit: 15, stdout: '' });
      expect(ran.stderr).toContain('it contains tables of something else');
      expect(await tables()).toEqual(names);
    }
  });

  test('with a new archive, or one that others put tables beside, is ours; those of an extension are nobody’s', async () => {
    await query('CREATE VIEW seen AS SELECT 1 AS n; CREATE TABLE spatial (x INTEGER)');
    await query('ALTER EXTENSION plpgsql ADD TABLE spatial');
    await imported();
    await query('CREATE TABLE customers (x INTEGER)');
    await imported();
    expect((await on('fsck')).exit).toBe(0);
  });

  test('without an archive is none for those who only read, also where its making was cut off', async () => {
    for (const sql of ['SELECT 1', 'CREATE TABLE writer (n BIGINT PRIMARY KEY)']) {
      await query(sql);
      for (const line of READING) {
        const ran = await on(line);
        expect(ran, line).toMatchObject({ exit: 6, stdout: '' });
        expect(ran.stderr).toContain('there is no archive in the database');
      }
    }
    await imported();
  });

  test('that is not in UTF-8 is reported as such', async () => {
    const database = `l${process.pid}`;
    await withClient((client) =>
      client.query(
        `CREATE DATABASE ${database} TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'`,
      ),
    );
    const ran = await on('import mail.eml', urlOf({ database }));
    expect(ran.exit).toBe(15);
    expect(ran.stderr).toContain('its encoding is not UTF8');
  });

  test('without the schema of the address is reported as such', async () => {
    const ran = await on('import mail.eml', urlOf({ schema: 'nowhere' }));
    expect(ran).toMatchObject({ exit: 15, stdout: '' });
    expect(ran.stderr).toContain('there is no schema in it that this user may use');
  });

  test('that lost versions or tables of its archive is damaged', async () => {
    await imported();
    for (const [sql, why] of [
      ['DELETE FROM migrations', 'the versions of its tables are lost'],
      ['DROP TABLE migrations', 'tables of the archive are missing'],
      ['DROP TABLE raws', 'tables of the archive are missing'],
    ] as const) {
      await query(sql);
      const kept = await tables();
      for (const [line, exit] of [
        ['fsck', 12],
        ['import mail.eml', 15],
      ] as const) {
        const ran = await on(line);
        expect(ran, line).toMatchObject({ exit, stdout: '' });
        expect(ran.stderr).toContain(why);
      }
      expect(await tables()).toEqual(kept);
    }
  });
});

describe.skipIf(noPostgres)('a user who may only read', () => {
  const reader = `reader${process.pid}`;
  const address = () => {
    const to = new URL(urlOf({ schema: schemaOf(url), by: 'port', password: PASSWORD }));
    to.username = reader;
    return to.href;
  };
  beforeEach(async () => {
    await query(`DROP ROLE IF EXISTS ${reader}; CREATE ROLE ${reader} LOGIN PASSWORD '${PASSWORD}'`);
    return async () => void (await query(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`));
  });
  const grant = (rights: string) =>
    query(`GRANT USAGE ON SCHEMA ${schemaOf(url)} TO ${reader};
      GRANT ${rights} ON ALL TABLES IN SCHEMA ${schemaOf(url)} TO ${reader}`);

  test('gets this error before anything is served or read, and may check the archive', async () => {
    await imported();
    await grant('SELECT');
    for (const line of WRITING) {
      const ran = await on(line, address());
      expect(ran, line).toMatchObject({ exit: 15, stdout: '' });
      expect(ran.stderr).toContain('the database may not be written to by this user');
      expect(ran.stderr).toContain('--read-only');
      expect(ran.stderr).not.toContain('horse');
    }
    expect((await on('fsck', address())).exit).toBe(0);
    await grant('INSERT');
    expect((await on('import mail.eml', address())).exit).toBe(15);
    await grant('SELECT, INSERT, UPDATE, DELETE');
    await query(`REVOKE INSERT, UPDATE, DELETE ON migrations FROM ${reader}`);
    expect((await on('import mail.eml', address())).exit).toBe(0);
  });

  test('or lacks a right that is needed later, gets no error of ours, on the command line or by a service', async () => {
    await mkdir(join(dir, 'notes'));
    await writeFile(join(dir, 'notes', 'note.txt'), 'a note\n');
    expect((await on('import notes')).exit).toBe(0);
    await grant('SELECT, INSERT, UPDATE, DELETE');
    const archive = await openArchive({ url: address(), sleep, now: () => 0, randomBytes });
    await query(`REVOKE INSERT ON tokens FROM ${reader}`);
    const body = { client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' };
    const service = createService(archive, { assetUrl: ASSET_URL, version: '0' });
    expectApiError(await call(service, '/api/auth/token', { body }), 'store_unavailable');
    await archive.close();
    await grant('INSERT');
    for (const [sql, line] of [
      [`REVOKE UPDATE ON attachments FROM ${reader}`, 'redact --yes att_1'],
      [`REVOKE SELECT ON raws FROM ${reader}`, 'fsck'],
      [`REVOKE SELECT ON migrations FROM ${reader}`, 'import mail.eml'],
    ] as const) {
      await query(sql);
      const ran = await on(line, address());
      expect(ran, line).toMatchObject({ exit: 15, stdout: '' });
      expect(ran.stderr).toContain('the database denies this user a right that is needed (42501)');
    }
  });
});
