// A database file of somebody else that holds programs: it is refused before anything of it runs.
import { DatabaseSync } from '@photostructure/sqlite';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../../../src/exit.ts';
import { arx } from '../../../support/command.ts';
import { sampleData } from '../../../support/sample.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const ENDLESS = 'WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n AS id FROM x';
/** Takes for ever, and would be computed for each row. */
const SLOW = "instr(zeroblob(900000000), zeroblob(450000000) || x'01')";
const checked = (expression: string): string =>
  `DROP TABLE tokens; CREATE TABLE tokens (sha256 TEXT PRIMARY KEY, client_id TEXT NOT NULL, tier TEXT NOT NULL,
    scope TEXT NOT NULL, expires_ms INTEGER NOT NULL CHECK ${expression}) STRICT`;
const PROGRAMS: [what: string, sql: string][] = [
  ['trigger', `CREATE TRIGGER t AFTER INSERT ON messages BEGIN UPDATE messages SET subject = 'owned'; END`],
  ['view', `ALTER TABLE conversations RENAME TO others; CREATE VIEW conversations AS ${ENDLESS}`],
  ['table with an expression', `CREATE TABLE more (n INTEGER, m TEXT AS (${SLOW}))`],
  ['table with an expression', checked(`(${SLOW} IS NOT NULL)`)],
  ['table with an expression', checked('--PRIMARY KEY\n(tier LIKE scope)')],
  ['table with an expression', `CREATE TABLE more (n INTEGER DEFAULT (${SLOW}))`],
  ['table with an expression', 'CREATE VIRTUAL TABLE more USING rtree(id, a, b)'],
  // The statement itself is looked at in linear time.
  ['table with an expression', `CREATE TABLE more (n INTEGER /*${' WHERE'.repeat(150_000)}*/)`],
  ['index with an expression', `CREATE TABLE more (n INTEGER); CREATE INDEX m ON more (${SLOW})`],
  ['index with an expression', `CREATE INDEX more ON tokens (tier) WHERE scope LIKE '%a%a%a%a%a%a%a%a%b'`],
  ['index with an expression', `CREATE INDEX more ON tokens (tier) WHERE instr(scope, tier) > 0`],
];

test.each(PROGRAMS)('a %s (%#)', async (what, sql) => {
  const home = tempFolder('foreign');
  const data = join(home, 'data');
  await sampleData(data);
  const path = join(data, 'archive.db');
  const database = new DatabaseSync(path);
  database.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`);
  database.close();
  const before = readFileSync(path);
  writeFileSync(join(home, 'mail.eml'), 'From: a@b.example\nSubject: a mail\n\nwith a line\n');
  for (const line of ['conversations ls', 'import mail.eml', 'fsck', 'serve --read-only']) {
    const ran = await arx(home, line, { env: { ARX_DATA_DIR: data } });
    expect([line, ran.exit]).toEqual([line, line === 'fsck' ? EXIT.integrity : EXIT.store]);
    expect(ran.stdout + ran.stderr).toContain(`it has a ${what} that arx did not make`);
  }
  expect(readFileSync(path)).toEqual(before);
});
