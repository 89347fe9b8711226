// Every table of an archive is copied, or listed as one that is not; batches are bounded and complete.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batchesOf, CONTENT_TABLE, OTHER_TABLES, ROW_TABLES } from '../../../src/service/copy/tables.ts';
import { openArchive } from '../../../src/service/index.ts';
import { TABLES } from '../../../src/service/store/schema/migrations.ts';
import { searchTable } from '../../../src/service/store/search/search-tables.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { TIERS } from '../../../src/contract/tier.ts';

test('a table stands in one list', () => {
  const copied = [...ROW_TABLES, CONTENT_TABLE].map(({ name }) => name);
  const known = [...copied, ...Object.keys(OTHER_TABLES)].toSorted();
  expect(known).toEqual([...new Set([...TABLES, ...TIERS.map(searchTable)])].toSorted());
});

test('all columns of a table are copied', async () => {
  const archive = await openArchive({ dir: tempFolder('columns'), sleep, now: Date.now, randomBytes });
  for (const { name, columns } of [...ROW_TABLES, CONTENT_TABLE]) {
    const rows = await archive.database.all<{ name: string }>(
      `SELECT name FROM pragma_table_info('${name}')`,
    );
    expect([...columns].toSorted(), name).toEqual(rows.map((row) => row.name).toSorted());
  }
  await archive.close();
});

test('a batch holds at most 8 MiB of stored bytes, or one message', async () => {
  const archive = await openArchive({ dir: tempFolder('batches'), sleep, now: Date.now, randomBytes });
  const sizes = [3, 3, 3, 9, 1, 1, 7, 20, 0].map((mebibytes) => mebibytes * 1024 * 1024);
  for (const [at, size] of sizes.entries())
    await archive.database.run('INSERT INTO raws VALUES ($1, $2)', [at + 1, new Uint8Array(size)]);
  const batches: unknown[] = [];
  for await (const { rows } of batchesOf(archive.database, CONTENT_TABLE, undefined))
    batches.push(rows.map((row) => row['n']));
  expect(batches).toEqual([[1, 2], [3], [4], [5, 6], [7], [8], [9]]);
  await archive.close();
});
