// The check of an archive that is larger than the memory of the database: its rows are read once.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { checkArchive } from '../../../src/service/fsck/check-archive.ts';
import { openArchive } from '../../../src/service/index.ts';
import { fill } from '../../support/many-rows.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const IO = '/proc/self/io';
const bytesRead = (): number => Number(/rchar: (\d+)/.exec(readFileSync(IO, 'utf8'))![1]);

test.skipIf(!existsSync(IO))(
  'the rows of an archive are read once, besides the check of the pages',
  async () => {
    const dir = join(tempFolder('fsck-reads'), 'archive');
    const options = { dir, sleep, now: Date.now, randomBytes };
    const written = await openArchive(options);
    await fill(written.database, 40_000);
    // Stored bytes, so that the file is larger than what the database may keep of it.
    await written.database.run('INSERT INTO raws SELECT n, zeroblob(2500) FROM messages ORDER BY n');
    await written.close();
    const archive = await openArchive({ ...options, readOnly: true });
    const { database } = archive;
    let ofPages = 0;
    const all: typeof database.all = async (sql, values) => {
      const before = bytesRead();
      const rows = await database.all(sql, values);
      if (sql.startsWith('PRAGMA integrity_check')) ofPages += bytesRead() - before;
      return rows as never;
    };
    const before = bytesRead();
    const report = await checkArchive(
      { ...archive, database: { ...database, all } },
      {
        hash: async (_dir, paths) => ({ hashes: paths.map(() => 'missing'), bytes: paths.map(() => 0) }),
        signal: new AbortController().signal,
        progress: () => {},
      },
    );
    const { size } = statSync(join(dir, 'archive.db'));
    const read = bytesRead() - before - ofPages;
    await archive.close();
    expect(report.checks).toContainEqual({ name: 'stored messages', looked: 40_000 });
    expect(read / size).toBeLessThan(1.5);
  },
);
