// A move between two databases: reads go on, nothing is written meanwhile, and there are never two archives that can be written to.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../../src/app.ts';
import { archivesSubject } from '../../../src/commands/serve/archives.ts';
import { openArchive, type OpenArchive } from '../../../src/service/index.ts';
import { withSchema } from '../../../src/service/administration.ts';
import { finishMove, moveArchive } from '../../../src/service/copy/move.ts';
import { archiveNames, connectServer, describeArchive } from '../../../src/service/store/archives.ts';
import type { PostgresServer } from '../../../src/service/store/engines/postgres.ts';
import { storeCopyMark } from '../../../src/service/store/meta-table/copy-mark.ts';
import { fileKey } from '../../../src/service/store/meta-table/file-key.ts';
import { freshDatabase } from '../../support/archives-database.ts';
import { ASSET_URL, sampleArchive, START } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { noPostgres } from '../../support/postgres.ts';

const urls: string[] = [];
const servers: PostgresServer[] = [];
const opened: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  if (noPostgres) return;
  for (let at = 0; at < 2; at += 1) {
    const url = await freshDatabase();
    urls.push(url);
    servers.push(await connectServer({ url }));
  }
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  for (const server of servers.splice(0)) await server.end();
  urls.splice(0);
});

const placeOf = (at: number, name = 'one') => ({
  url: withSchema(urls[at]!, name),
  server: servers[at]!,
  createSchema: true,
});
async function open(at: number, asCopy = false): Promise<OpenArchive> {
  const place = { ...placeOf(at), asCopy };
  const archive = await openArchive({ ...place, sleep, now: () => START, randomBytes });
  opened.push(archive);
  return archive;
}
const options = { signal: new AbortController().signal, progress: () => {} };

describe.skipIf(noPostgres)('an archive that is moved', () => {
  test('is read meanwhile and not written to; then it is in the other database alone', async () => {
    const sample = await sampleArchive({ place: placeOf(0), messages: 3 });
    opened.push(sample);
    const [from, to] = [await open(0), await open(1, true)];
    const key = await fileKey(from);
    const { messages } = await describeArchive(servers[0]!, 'one');
    let checks = 0;
    const { report, isMoved } = await moveArchive(from, to, 'one', {
      ...options,
      async check() {
        checks += 1;
        // Another connection, as of another process.
        const other = sample.archive.database;
        expect(await other.get('SELECT MAX(n) AS n FROM messages')).toEqual({ n: messages });
        expect(await other.tryTransaction(async () => 'written')).toBeUndefined();
        expect(await describeArchive(servers[1]!, 'one')).toMatchObject({ state: 'unfinished_copy' });
        return true;
      },
    });
    expect({ isMoved, checks, verdict: report.verdict }).toEqual({
      isMoved: true,
      checks: 1,
      verdict: 'equal',
    });
    expect(await archiveNames(servers[0]!)).toEqual([]);
    expect(await describeArchive(servers[1]!, 'one')).toMatchObject({ state: 'ready', messages });
    expect(Buffer.compare(await fileKey(await open(1)), key)).toBe(0);
  });

  test('changes nothing of other archives there, not even their statistics', async () => {
    opened.push(
      await sampleArchive({ place: placeOf(0) }),
      await sampleArchive({ place: placeOf(1, 'other') }),
    );
    const [from, to] = [await open(0), await open(1, true)];
    await moveArchive(from, to, 'one', { ...options, check: async () => true });
    const analyzed = async () => {
      const rows = await servers[1]!.catalogue.all<{ schema: string }>(
        `SELECT DISTINCT CAST(schemaname AS TEXT) AS schema FROM pg_stat_user_tables WHERE last_analyze IS NOT NULL`,
      );
      return rows.map(({ schema }) => schema);
    };
    await expect.poll(analyzed).toEqual(['one']);
  });

  test('is read between its two last steps: the service waits for the last one', async () => {
    opened.push(await sampleArchive({ place: placeOf(0), messages: 3 }));
    const [from, to] = [await open(0), await open(1, true)];
    let waits!: () => void;
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    let moved: Promise<unknown> | undefined;
    const world = {
      now: () => START,
      randomBytes,
      async sleep() {
        waits();
        await moved;
      },
    };
    const databases = servers.map((server, at) => ({
      server,
      placeOf: (name: string) => ({ ...placeOf(at, name), createSchema: false }),
    }));
    const subject = archivesSubject(databases, { readOnly: false }, { world } as unknown as App);
    const onFailure = (_requestId: string, error: unknown) => expect.unreachable(String(error));
    const api = await subject.api({ assetUrl: ASSET_URL, version: '0', onFailure });
    opened.unshift({ close: () => subject.stop() });
    const read = () => call(api, '/a/one/api/health');
    expect((await read()).status).toBe(200);

    let isDropped = false;
    let answer: ReturnType<typeof read> | undefined;
    const migration: typeof from.database.migration = async (work) => {
      const result = await from.database.migration(work);
      isDropped = true;
      return result;
    };
    const transaction: typeof to.database.transaction = async (work) => {
      if (isDropped) await Promise.race([waiting, (answer = read())]);
      return to.database.transaction(work);
    };
    moved = moveArchive(
      { ...from, database: { ...from.database, migration } },
      { ...to, database: { ...to.database, transaction } },
      'one',
      { ...options, check: async () => true },
    );
    expect(await moved).toMatchObject({ isMoved: true });
    expect(await answer).toMatchObject({ status: 200, json: { counts: { messages: 30 } } });
  });

  test('stays where it is if its copy is not sound, and the same call continues', async () => {
    opened.push(await sampleArchive({ place: placeOf(0) }));
    const [from, to] = [await open(0), await open(1, true)];
    const moved = (check: () => Promise<boolean>) => moveArchive(from, to, 'one', { ...options, check });
    expect(await moved(async () => false)).toMatchObject({ isMoved: false });
    await expect(moved(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await from.database.tryTransaction(async () => 'written')).toBe('written');
    expect(await describeArchive(servers[0]!, 'one')).toMatchObject({ state: 'ready' });
    expect(await describeArchive(servers[1]!, 'one')).toMatchObject({ state: 'unfinished_copy' });
    expect(await moved(async () => true)).toMatchObject({ isMoved: true, report: { resumed: true } });
  });

  test('is opened by the next call where the first was killed after the source was dropped', async () => {
    opened.push(await sampleArchive({ place: placeOf(1) }));
    const to = await open(1, true);
    expect(await finishMove(to.database)).toBe(false);
    const mark = (phase: 'content' | 'moved') =>
      to.database.transaction((own) => storeCopyMark(own, { version: 1, run: randomUUID(), phase }));
    await mark('content');
    await expect(finishMove(to.database)).rejects.toThrow('it is an unfinished copy there');
    await mark('moved');
    await expect(open(1)).rejects.toThrow();
    expect(await finishMove(to.database)).toBe(true);
    await open(1);
  });
});
