// `arx archive ls`, `create`, `upgrade` and `drop`: the archives of a PostgreSQL database.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { EXIT } from '../../src/exit.ts';
import { shownAddress, withSchema } from '../../src/service/administration.ts';
import { openPostgres } from '../../src/service/store/engines/postgres.ts';
import { migrateTo, NEWEST_VERSION } from '../../src/service/store/schema/migrate.ts';
import { freshDatabase } from '../support/archives-database.ts';
import { arx, dataOf, type Ran } from '../support/command.ts';
import { noPostgres, urlOf, withClient } from '../support/postgres.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
let url: string;
beforeEach(async () => {
  dir = tempFolder('archives');
  mkdirSync(join(dir, 'mail'));
  if (!noPostgres) url = await freshDatabase();
});
const ran = (line: string): Promise<Ran> => arx(dir, line);
const jsonOf = ({ stdout, stderr }: Ran): any => (stdout === '' ? expect.fail(stderr) : JSON.parse(stdout));
const names = async (): Promise<string[]> =>
  dataOf(await ran(`archive ls ${url} --json`)).map(({ name }) => name);

/** Makes an archive as an older arx left it. */
async function older(name: string): Promise<void> {
  await withClient((client) => client.query(`CREATE SCHEMA ${name}`), url);
  const database = await openPostgres({ url: withSchema(url, name), sleep });
  await migrateTo(database, NEWEST_VERSION - 2);
  await database.close();
}

test('names and addresses that are none are refused before anything is asked', async () => {
  const none = 'postgres://nobody@127.0.0.1:1/x';
  for (const line of [
    `archive create ${none} Upper`,
    `archive create ${none} pg_x`,
    `archive drop ${none} a/b --yes`,
    `archive create ${none}?schema=x y`,
    `archive ls ${none}?options=-csearch_path=x`,
    'archive ls sqlite:data',
    'archive upgrade data',
  ])
    expect(await ran(line), line).toMatchObject({ exit: EXIT.usage, stdout: '' });
  expect(await ran(`archive ls ${none}`)).toMatchObject({ exit: EXIT.network });
});

describe.skipIf(noPostgres)('the archives of a database', () => {
  test('a database that is not there, or not reached, is named without the password', async () => {
    const missing = new URL(url);
    missing.pathname = '/none';
    missing.password = 'secret';
    const none = missing.href;
    const archive = withSchema(none, 'x');
    for (const line of [
      `archive ls ${none}`,
      `archive create ${none} x`,
      `archive upgrade ${none}`,
      `archive drop ${none} x --yes`,
      `archive move ${none} ${url} x --yes`,
      `archive move ${url} ${none} x --yes`,
      `archive copy ${archive} ${withSchema(url, 'x')}`,
      `serve --port 0 --archives ${none}`,
      `serve --port 0 --database ${archive}`,
      `import mail --database ${archive}`,
      `fsck --database ${archive}`,
    ]) {
      const { exit, stdout, stderr } = await ran(line);
      expect({ exit, stdout }, line).toEqual({ exit: EXIT.store, stdout: '' });
      expect(stderr, line).toMatch(/there is no such database \(3D000\): none at \S+:\d+/);
      expect(stderr, line).not.toContain('secret');
    }
    const { stderr } = await ran('archive ls postgres://me:secret@127.0.0.1:1,localhost:2/x');
    expect(stderr).toContain('the database cannot be reached (ECONNREFUSED): x at 127.0.0.1:1, localhost:2');
    expect(stderr).not.toContain('secret');
  });

  test('are created, listed and dropped', async () => {
    expect(await names()).toEqual([]);
    expect(jsonOf(await ran(`archive create ${url} b a a --json`))).toEqual({
      created: ['b', 'a'],
      there: [],
    });
    expect(jsonOf(await ran(`archive create ${url} a c --json`))).toEqual({ created: ['c'], there: ['a'] });
    expect(dataOf(await ran(`archive ls ${url} --json`))).toEqual(
      ['a', 'b', 'c'].map((name) => ({
        name,
        state: 'ready',
        schema: NEWEST_VERSION,
        messages: 0,
        attachments: 0,
        bytes: expect.any(Number),
        problem: null,
      })),
    );
    expect(await ran(`archive drop ${url} a b --dry-run`)).toMatchObject({
      exit: 0,
      stdout:
        'would delete archive a with 0 messages and 0 attachments\nwould delete archive b with 0 messages and 0 attachments\n',
    });
    expect(await ran(`archive drop ${url} a b`)).toMatchObject({ exit: EXIT.usage });
    expect(await ran(`archive drop ${url} a none --yes`)).toMatchObject({ exit: EXIT.not_found });
    expect(await names()).toEqual(['a', 'b', 'c']);
    expect(jsonOf(await ran(`archive drop ${url} a b --yes --json`))).toMatchObject({ dropped: true });
    expect(await names()).toEqual(['c']);
  });

  test('one that this user may not read is listed with the reason, and the others are listed', async () => {
    await ran(`archive create ${url} a b`);
    const role = `r${randomBytes(8).toString('hex')}`;
    await withClient(
      (client) =>
        client.query(
          `CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA a, b TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA b TO ${role}`,
        ),
      url,
    );
    const asRole = new URL(url);
    asRole.username = role;
    const listed = await ran(`archive ls ${asRole.href} --json`);
    expect(listed.exit).toBe(EXIT.partial);
    expect(listed.stderr).toContain('1 archive may not be read by this user');
    expect(dataOf(listed)).toMatchObject([
      { name: 'a', state: 'denied', messages: null, bytes: null, problem: expect.stringContaining('42501') },
      { name: 'b', state: 'ready', messages: 0, problem: null },
    ]);
    expect(dataOf(listed)[1]!['bytes']).toBeGreaterThan(100_000);
    expect(jsonOf(listed).summary).toMatchObject({ complete: false });
    await withClient((client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`), url);
  });

  test('one is named by its schema in every address', async () => {
    const missing = await ran(`import mail --database ${withSchema(url, 'a')}`);
    expect(missing.exit).toBe(EXIT.not_found);
    expect(missing.stderr).toContain('there is no archive a in the database');
    await ran(`archive create ${url} a`);
    writeFileSync(join(dir, 'letter.mbox'), 'From a@x Mon Jan  1 00:00:00 2024\nSubject: a\n\nb\n');
    expect(await ran(`import letter.mbox --database ${withSchema(url, 'a')}`)).toMatchObject({ exit: 0 });
    expect(await ran(`fsck --database ${withSchema(url, 'a')}`)).toMatchObject({ exit: 0 });
    // A copy makes the schema of its target.
    expect(await ran(`archive copy ${withSchema(url, 'a')} ${withSchema(url, 'b')}`)).toMatchObject({
      exit: 0,
    });
    const sizes = dataOf(await ran(`archive ls ${url} --json`)).map(({ name, messages }) => [name, messages]);
    expect(sizes).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  test('one without a name is made in a database with others only where the address says so', async () => {
    writeFileSync(join(dir, 'letter.mbox'), 'From a@x Mon Jan  1 00:00:00 2024\nSubject: a\n\nb\n');
    await ran(`archive create ${url} beta alpha`);
    for (const line of [
      'import letter.mbox',
      'import letter.mbox --dry-run',
      'fsck',
      'serve --port 0',
      `archive copy ${withSchema(url, 'alpha')}`,
    ]) {
      const refused = await ran(line.startsWith('archive') ? `${line} ${url}` : `${line} --database ${url}`);
      expect(refused, line).toMatchObject({ exit: EXIT.usage, stdout: '' });
      expect(refused.stderr, line).toContain('the database has named archives (alpha, beta)');
      expect(refused.stderr, line).toContain('?schema=NAME');
    }
    expect(await names()).toEqual(['alpha', 'beta']);
    const misspelt = await ran(
      `import letter.mbox --database ${withSchema(url, 'alpha').replace('schema', 'schme')}`,
    );
    expect(misspelt).toMatchObject({ exit: EXIT.usage });
    expect(misspelt.stderr).toContain(
      '--database: the address has an unknown parameter; schema=NAME names an archive',
    );
    const onPurpose = `import letter.mbox --database ${withSchema(url, 'public')}`;
    expect(await ran(onPurpose)).toMatchObject({ exit: 0 });
    // It is there now, so that the address without a name is that one.
    expect(await ran(`fsck --database ${url}`)).toMatchObject({ exit: 0 });
    expect(await names()).toEqual(['alpha', 'beta', 'public']);
  });

  test('are upgraded, and one that cannot be is named', async () => {
    for (const name of ['one', 'two', 'bad']) await older(name);
    await ran(`archive create ${url} new`);
    await withClient(
      (client) => client.query('CREATE INDEX attachments_of_type_source ON bad.messages (n)'),
      url,
    );
    expect(jsonOf(await ran(`archive upgrade ${url} --dry-run --json`))).toMatchObject({
      dry_run: true,
      upgraded: 3,
    });
    const first = await ran(`archive upgrade ${url} --json`);
    expect(first.exit).toBe(EXIT.store);
    expect(jsonOf(first)).toEqual({
      version: 1,
      archives: 4,
      current: 1,
      upgraded: 2,
      failed: [{ name: 'bad', problem: 'its tables are not those of its version' }],
    });
    await withClient((client) => client.query('DROP INDEX bad.attachments_of_type_source'), url);
    expect(await ran(`archive upgrade ${url}`)).toMatchObject({
      exit: 0,
      stdout: '4 archives: 1 upgraded, 3 up to date before, 0 failed\n',
    });
  });

  test('one whose writer does not end is named, and the others are upgraded', async () => {
    for (const name of ['held', 'free']) await older(name);
    await withClient(async (client) => {
      await client.query('BEGIN; SELECT n FROM held.writer FOR UPDATE');
      const { failed, upgraded } = jsonOf(
        await ran(
          `archive upgrade ${url}?lock_timeout=50 --json`.replace(
            '?lock',
            url.includes('?') ? '&lock' : '?lock',
          ),
        ),
      );
      expect({ failed, upgraded }).toEqual({
        failed: [{ name: 'held', problem: expect.stringContaining('busy') }],
        upgraded: 1,
      });
    }, url);
  });

  test('are moved to another database, and the same command continues', async () => {
    const other = await freshDatabase();
    const moved = (line: string) => ran(`archive move ${url} ${other} ${line}`);
    writeFileSync(join(dir, 'letter.mbox'), 'From a@x Mon Jan  1 00:00:00 2024\nSubject: a\n\nb\n');
    await ran(`archive create ${url} a b stays`);
    await ran(`archive create ${other} stays`);
    await ran(`import letter.mbox --database ${withSchema(url, 'a')}`);
    expect(await moved('a none --yes')).toMatchObject({ exit: EXIT.not_found });
    expect(await moved('a stays --yes')).toMatchObject({ exit: EXIT.unsafe });
    expect(await moved('a b')).toMatchObject({ exit: EXIT.usage });
    expect(await moved('a b --dry-run')).toMatchObject({
      exit: 0,
      stdout: '2 archives would be moved, 0 moved before, 0 failed\n',
    });
    expect(await names()).toEqual(['a', 'b', 'stays']);
    expect(jsonOf(await moved('a --yes --json'))).toEqual({
      version: 1,
      moved: ['a'],
      there: [],
      failed: [],
    });
    // Left by a move that was killed, or with its source deleted meanwhile.
    const dryRun = async (phase: string) => {
      const mark = `'{"version":1,"run":"x","phase":"${phase}"}'`;
      await withClient(
        (client) =>
          client.query(`INSERT INTO a.meta VALUES ('copy', ${mark})
            ON CONFLICT (key) DO UPDATE SET value = excluded.value`),
        other,
      );
      return jsonOf(await moved('a b --dry-run --json'));
    };
    expect(await dryRun('content')).toMatchObject({
      moved: ['b'],
      there: [],
      failed: [{ name: 'a', problem: 'it is an unfinished copy there, and its source is gone' }],
    });
    expect(await dryRun('moved')).toMatchObject({ moved: ['a', 'b'], there: [], failed: [] });
    expect(jsonOf(await moved('a --yes --json'))).toMatchObject({ moved: ['a'] });
    expect(jsonOf(await moved('a b --yes --json'))).toMatchObject({ moved: ['b'], there: ['a'], failed: [] });
    expect(await names()).toEqual(['stays']);
    const arrived = dataOf(await ran(`archive ls ${other} --json`));
    expect(arrived.map(({ name, messages, state }) => [name, messages, state])).toEqual([
      ['a', 1, 'ready'],
      ['b', 0, 'ready'],
      ['stays', 0, 'ready'],
    ]);
  });

  test('one that cannot be moved is named, and is where it was', async () => {
    const other = await freshDatabase();
    await ran(`archive create ${url} a b`);
    await withClient((client) => client.query('CREATE VIEW public.seen AS SELECT * FROM a.messages'), url);
    const first = await ran(`archive move ${url} ${other} a b --yes --json`);
    expect(first.exit).toBe(EXIT.store);
    expect(jsonOf(first)).toMatchObject({
      moved: ['b'],
      failed: [{ name: 'a', problem: expect.stringContaining('something else depends on its tables') }],
    });
    expect(await names()).toEqual(['a']);
    await withClient((client) => client.query('DROP VIEW public.seen'), url);
    expect(await ran(`archive move ${url} ${other} a b --yes`)).toMatchObject({ exit: 0 });
  });

  test('a dry run refuses what the command refuses, and names what is meant', async () => {
    const other = await freshDatabase();
    await ran(`archive create ${url} beta foreign older`);
    await withClient((client) => client.query('CREATE TABLE "foreign".mine (a INT)'), url);
    await older('old');
    const at = (address: string) => `${new URL(address).pathname.slice(1)} at `;
    const said = async (line: string, exit: number, ...texts: string[]) => {
      const { exit: code, stderr, stdout } = await ran(line);
      expect({ line, code }).toEqual({ line, code: exit });
      for (const text of texts) expect(stdout + stderr, line).toContain(text);
    };
    for (const how of ['--dry-run', '--yes'])
      await said(
        `archive drop ${url} foreign ${how}`,
        EXIT.unsafe,
        'foreign: its schema has tables of something else',
      );
    await said(
      `archive move ${url} ${other} foreign beta old --dry-run`,
      EXIT.store,
      'its schema has tables of something else',
      '2 archives would be moved',
      'hint: repair what is named',
    );
    await said(
      `archive move ${url} ${other} betta --yes`,
      EXIT.not_found,
      `there is no archive betta in ${at(url)}`,
    );
    await said(`archive move ${url} ${other} beta`, EXIT.usage, `delete them in ${at(url)}`);
    await said(`archive drop ${url} betta --yes`, EXIT.not_found, `there is no archive betta in ${at(url)}`);
    await said(`archive create ${url} fine Upper`, EXIT.usage, '<names>: "Upper": a name has at most 63');
    const copied = withSchema(other, 'made');
    await said(
      `archive copy ${withSchema(url, 'beta')} ${copied} --dry-run`,
      0,
      `the schema of ${shownAddress(copied)} would be created`,
    );
    writeFileSync(join(dir, 'letter.mbox'), 'From a@x Mon Jan  1 00:00:00 2024\nSubject: a\n\nb\n');
    await ran(`import letter.mbox --database ${withSchema(url, 'beta')}`);
    await said(
      `archive copy ${withSchema(url, 'old')} ${withSchema(url, 'beta')} --dry-run`,
      EXIT.store,
      'the archive has schema',
    );
    await said(
      `archive copy ${withSchema(url, 'older')} ${withSchema(url, 'beta')} --dry-run`,
      EXIT.unsafe,
      `${shownAddress(withSchema(url, 'beta'))}: it is not empty`,
    );
    // Nothing was made or deleted.
    expect(await names()).toEqual(['beta', 'foreign', 'old', 'older']);
    expect(dataOf(await ran(`archive ls ${other} --json`))).toEqual([]);
  });

  test('a database in another encoding, and a missing right, are refused before anything is asked', async () => {
    const name = `e${randomBytes(8).toString('hex')}`;
    const role = `r${randomBytes(8).toString('hex')}`;
    await withClient(async (client) => {
      await client.query(
        `CREATE DATABASE ${name} TEMPLATE template0 ENCODING LATIN1 LC_COLLATE 'C' LC_CTYPE 'C'`,
      );
      await client.query(`CREATE ROLE ${role} LOGIN`);
    });
    await ran(`archive create ${url} delta`);
    for (const how of ['--dry-run', '--yes']) {
      const { exit, stderr } = await ran(`archive move ${url} ${urlOf({ database: name })} delta ${how}`);
      expect({ exit, stderr }).toMatchObject({ exit: EXIT.store });
      expect(stderr).toContain(`no archive can be moved to ${name} at `);
      expect(stderr).toContain('its encoding is not UTF8');
    }
    const asRole = new URL(url);
    asRole.username = role;
    const denied = async (line: string, text: string) => {
      const { exit, stderr } = await ran(line);
      expect({ exit, stderr }, line).toEqual({ exit: EXIT.store, stderr: expect.stringContaining(text) });
    };
    await denied(`archive drop ${asRole.href} delta --yes`, 'delta: this user may not use its schema');
    await denied(
      `archive move ${asRole.href} ${await freshDatabase()} delta --yes`,
      'delta: this user may not use its schema',
    );
    await denied(`archive create ${asRole.href} mine`, 'a right that is needed (42501): on the database ');
    await withClient((client) => client.query(`GRANT USAGE ON SCHEMA delta TO ${role}`), url);
    await withClient((client) => client.query(`GRANT ALL ON ALL TABLES IN SCHEMA delta TO ${role}`), url);
    await denied(
      `archive drop ${asRole.href} delta --yes`,
      'a right that is needed (42501): it must own the table ',
    );
    expect(await names()).toEqual(['delta']);
    await withClient((client) => client.query(`DROP OWNED BY ${role}`), url);
    await withClient(async (client) => {
      await client.query(`DROP ROLE ${role}`);
      await client.query(`DROP DATABASE ${name}`);
    });
  });
});
