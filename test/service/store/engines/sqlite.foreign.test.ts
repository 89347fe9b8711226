// A database file of somebody else that holds programs: it is refused before anything of it runs.
import { DatabaseSync } from '@photostructure/sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../../../src/exit.ts';
import { arx } from '../../../support/command.ts';
import { sampleData } from '../../../support/sample.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const ENDLESS = 'WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x) SELECT n AS id FROM x';
const PROGRAMS = {
  trigger: `CREATE TRIGGER t AFTER INSERT ON messages BEGIN UPDATE messages SET subject = 'owned'; END`,
  view: `ALTER TABLE conversations RENAME TO others; CREATE VIEW conversations AS ${ENDLESS}`,
};

test.each(Object.entries(PROGRAMS))('a %s', async (what, sql) => {
  const home = tempFolder('foreign');
  const data = join(home, 'data');
  await sampleData(data);
  const path = join(data, 'archive.db');
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
  const before = readFileSync(path);
  for (const line of ['conversations ls', 'import mail.eml', 'fsck', 'serve --read-only']) {
    const ran = await arx(home, line, { env: { ARX_DATA_DIR: data } });
    expect([line, ran.exit]).toEqual([line, line === 'fsck' ? EXIT.integrity : EXIT.store]);
    expect(ran.stdout + ran.stderr).toContain(`it has a ${what} that arx did not make`);
  }
  expect(readFileSync(path)).toEqual(before);
});
