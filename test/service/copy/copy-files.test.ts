// Copying files between two places: few files in few statements, small ones together, and what is damaged is named.
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { copyFiles } from '../../../src/service/copy/copy-files.ts';
import type { Blobs } from '../../../src/service/store/files/blobs.ts';
import { openDatabaseFiles } from '../../../src/service/store/files/database-files.ts';
import type { PostgresDatabase } from '../../../src/service/store/engines/postgres.ts';
import type { Row, Statements } from '../../../src/service/store/sql/database.ts';
import { sampleArchive, type Sample } from '../../support/archive.ts';
import { sha256Of } from '../../support/digest.ts';
import { freshUrl, noPostgres } from '../../support/postgres.ts';

let opened: Sample | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});

describe.skipIf(noPostgres)('files that are copied into a database', () => {
  test('small ones are committed together, one larger file alone, and damaged ones are named', async () => {
    opened = await sampleArchive({ place: { url: await freshUrl() }, messages: 0 });
    const database = opened.archive.database as PostgresDatabase;
    const contents = Array.from({ length: 100 }, (_, n) => Buffer.from(`of a copy ${n}`));
    const large = randomBytes(300_000);
    const files = new Map([...contents, large, Buffer.alloc(0)].map((bytes) => [sha256Of(bytes), bytes]));
    const [wrong, missing, cut] = ['wrong', 'missing', 'cut'].map((name) => sha256Of(Buffer.from(name)));
    const rows = [...files].map(([sha256, { byteLength }]) => ({ sha256, bytes: byteLength }));
    for (const sha256 of [wrong!, missing!, cut!]) rows.push({ sha256, bytes: 5 });
    files.set(wrong!, Buffer.from('other'));
    files.set(cut!, Buffer.from('cu'));

    let commits = 0;
    const counted: PostgresDatabase = {
      ...database,
      besideWriters: (work) => {
        commits += 1;
        return database.besideWriters(work);
      },
    };
    const to = openDatabaseFiles(counted);
    const asked: string[] = [];
    const source = {
      all: async (sql: string) => {
        asked.push(sql);
        return rows as unknown as Row[];
      },
      get: async () => ({ greatest: rows.length }),
    } as unknown as Statements;
    const from = {
      size: async (sha256: string) => files.get(sha256)?.byteLength,
      async *read(sha256: string) {
        yield files.get(sha256)!;
        if (sha256 === cut) throw new Error('the stored file ends at 2');
      },
    } as unknown as Blobs;
    const copy = () =>
      copyFiles(source, from, to, { signal: new AbortController().signal, progress: () => {} });

    const before = await to.names('');
    const good = [...files.keys()].filter((sha256) => sha256 !== wrong && sha256 !== cut);
    const report = await copy();
    expect(report).toMatchObject({ copied: 102, damaged: 3 });
    expect(new Set(report.damaged_files)).toEqual(new Set([wrong, missing, cut]));
    expect(asked).toHaveLength(1);
    // Four of small files, one of the large one, and one for each damaged file that is there, which stored nothing.
    expect(commits).toBeLessThanOrEqual(8);
    expect(new Set(await to.names(''))).toEqual(new Set([...before, ...good]));
    for (const sha256 of good) {
      const bytes = files.get(sha256)!;
      expect(await to.size(sha256)).toBe(bytes.byteLength);
      const chunks: Uint8Array[] = [];
      for await (const chunk of to.read(sha256)) chunks.push(chunk);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    }
    const part: Uint8Array[] = [];
    for await (const chunk of to.read(sha256Of(large), 262_140, 262_150)) part.push(chunk);
    expect(Buffer.concat(part).equals(large.subarray(262_140, 262_151))).toBe(true);

    expect(await copy()).toMatchObject({ copied: 0, damaged: 3 });
  });
});
