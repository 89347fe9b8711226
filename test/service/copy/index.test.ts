// An archive copied to each engine: every row, file, redaction and event is there, and every list is equal byte for byte.
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { CopyTakenOver, CopyTargetError, copyArchive, planCopy } from '../../../src/service/copy/index.ts';
import { checkArchive } from '../../../src/service/fsck/check-archive.ts';
import {
  createService,
  openArchive,
  type ArchiveLocation,
  type OpenArchive,
} from '../../../src/service/index.ts';
import { redact } from '../../../src/service/administration.ts';
import { importItems } from '../../../src/service/import/index.ts';
import { sampleItems } from '../../../src/service/sample/index.ts';
import { blobPath } from '../../../src/service/store/files/blobs.ts';
import { tokenFor } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { sha256Of } from '../../support/digest.ts';
import { moved } from '../../support/event.ts';
import { freshUrl, noPostgres } from '../../support/postgres.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('copy')));

type Kind = 'sqlite' | 'postgres' | 'postgres with a folder';
/** The long tests copy from each kind to each. */
const isLong = process.env['ARX_TEST_LONG'] === '1';
const KINDS: readonly Kind[] = noPostgres ? ['sqlite'] : ['sqlite', 'postgres', 'postgres with a folder'];

async function freshPlace(kind: Kind, name: string): Promise<ArchiveLocation> {
  if (kind === 'sqlite') return { dir: join(dir, name) };
  return { url: await freshUrl(), ...(kind === 'postgres' ? {} : { blobs: join(dir, name) }) };
}

const open = (place: ArchiveLocation): Promise<OpenArchive> =>
  openArchive({ ...place, sleep, now: Date.now, randomBytes });

const serviceOf = (archive: OpenArchive) =>
  createService(archive, { assetUrl: 'http://127.0.0.1:9', version: '0' });

/** A sample with redactions, and events of every effect. */
async function makeSource(kind: Kind): Promise<OpenArchive> {
  const archive = await open(await freshPlace(kind, 'source'));
  await importItems(archive, first(sampleItems(7), 60));
  await redact(archive, 'att_3', 'names a minor');
  await send(archive, moved('evt_a', 5, 900));
  await send(archive, moved('evt_b', 5, 901));
  await send(archive, moved('evt_c', 9, 3));
  await send(archive, moved('evt_waiting', 100_000, 3));
  await send(archive, {
    id: 'evt_d',
    type: 'attachment.reclassified',
    payload: { id: 'att_2', source: 'external', decorative_layer: true },
  });
  return archive;
}

async function* first<T>(items: AsyncIterable<T> | Iterable<T>, count: number): AsyncGenerator<T> {
  let at = 0;
  for await (const item of items) {
    if (at === count) return;
    at += 1;
    yield item;
  }
}

async function send(archive: OpenArchive, body: object): Promise<void> {
  const service = serviceOf(archive);
  const token = await tokenFor(service);
  const { status, text } = await call(service, '/api/webhooks/ingest', { token, body });
  expect([status, text]).toEqual([200, expect.anything()]);
}

/** Hashes of every list of each tier to its end, of some searches, and of the bytes of some messages. */
async function contents(archive: OpenArchive): Promise<string[]> {
  const service = serviceOf(archive);
  const texts: { push(text: string): void } = { push: (text) => void hashes.push(sha256Of(steady(text))) };
  const hashes: string[] = [];
  for (const tier of ['mirror', 'internal', 'external'] as const) {
    const token = await tokenFor(service, tier);
    for (const path of ['/v1/conversations', '/messages', '/v1/attachments', '/api/webhooks/events'])
      for (let after = '', more = true; more;) {
        const { text, json } = await call(service, `${path}?limit=100${after}`, { token });
        texts.push(text);
        more = json.has_more === true;
        after = `&starting_after=${json.data?.at(-1)?.id}`;
      }
    for (const query of ['glass', 'lisbon', 'file:jpg', 'the'])
      texts.push((await call(service, `/v1/search?q=${query}&limit=100&sort=newest`, { token })).text);
    for (const n of [1, 7, 50]) texts.push((await call(service, `/api/content/msg_${n}`, { token })).text);
  }
  return hashes;
}

/** Refusals have an id of their own. */
function steady(text: string): string {
  return text.replaceAll(/"request_id":"[^"]*"/g, '');
}

const hash = async (): Promise<never> => Promise.reject(new Error('only folders need this'));
const signal = new AbortController().signal;
const options = { signal, progress() {} };

async function isSound(archive: OpenArchive): Promise<void> {
  const { blobs, ...rest } = archive;
  const report = await checkArchive({ ...rest, blobs: { ...blobs, dir: undefined } }, { hash, ...options });
  expect(report.findings).toEqual([]);
}

/** An archive whose writer fails at the n-th transaction, before or after its commit. */
function failing(archive: OpenArchive, nth: number, at: 'before' | 'after'): OpenArchive {
  let left = nth;
  const transaction: OpenArchive['database']['transaction'] = async (work) => {
    left -= 1;
    if (left === 0 && at === 'before') throw new Error('cut');
    const result = await archive.database.transaction(work);
    if (left === 0) throw new Error('cut');
    return result;
  };
  return { ...archive, database: { ...archive.database, transaction } };
}

const WHOLE: Partial<Record<Kind, readonly Kind[]>> = {
  sqlite: ['sqlite', 'postgres', 'postgres with a folder'],
  postgres: ['sqlite'],
  'postgres with a folder': ['postgres'],
};
const CUT_OFF: Partial<Record<Kind, readonly Kind[]>> = {
  sqlite: ['sqlite', 'postgres'],
  postgres: ['sqlite'],
};

/** The kinds that a test copies to: some of them together have each kind on each side. */
function targetsOf(from: Kind, few: Partial<Record<Kind, readonly Kind[]>>): readonly Kind[] {
  return isLong ? KINDS : KINDS.filter((to) => few[from]?.includes(to) === true);
}

describe.each(KINDS)('from %s', (from) => {
  test.each(targetsOf(from, WHOLE))('to %s: equal for every tier, and sound', async (to) => {
    const source = await makeSource(from);
    const place = await freshPlace(to, 'target');
    const target = await open({ ...place, asCopy: true });
    const report = await copyArchive(source, target, options);
    expect(report).toMatchObject({ verdict: 'equal', resumed: false, files: { damaged: 0 } });
    expect(report.lists.map(({ equal }) => equal)).toEqual([true, true, true, true, true, true]);
    await target.close();
    const copy = await open(place);
    expect(await contents(copy)).toEqual(await contents(source));
    // The reason is in no list.
    const redactions = 'SELECT n, redaction FROM attachments WHERE redaction IS NOT NULL ORDER BY n';
    expect(await copy.database.all(redactions)).toEqual(await source.database.all(redactions));
    expect(await copy.database.all(redactions)).not.toEqual([]);
    await isSound(copy);
    // It goes on as an archive: the waiting event of the source is applied there, too, when its message comes.
    await send(copy, moved('evt_new', 7, 5));
    await isSound(copy);
    await copy.close();
    await source.close();
  });

  test.each(targetsOf(from, CUT_OFF))(
    'to %s, cut off again and again while the source changes: equal to what it is at the end',
    async (to) => {
      const source = await makeSource(from);
      const place = await freshPlace(to, 'target');
      for (const [round, nth] of [1, 4, 7, 9, 11].entries()) {
        const target = await open({ ...place, asCopy: true });
        const cut = failing(target, nth, round % 2 === 0 ? 'before' : 'after');
        await expect(copyArchive(source, cut, options)).rejects.toThrow('cut');
        await target.close();
        if (round > 0)
          await expect(open(place)).rejects.toMatchObject({
            why: expect.stringContaining('unfinished copy'),
          });
        await send(source, moved(`evt_r${round}`, round + 1, 50 - round));
        await redact(source, `att_${round + 5}`, `reason ${round}`);
      }
      const target = await open({ ...place, asCopy: true });
      expect(await copyArchive(source, target, options)).toMatchObject({ verdict: 'equal', resumed: true });
      await target.close();
      const copy = await open(place);
      expect(await contents(copy)).toEqual(await contents(source));
      await isSound(copy);
      await copy.close();
      await source.close();
    },
  );

  test('what is written meanwhile is not in the copy, and reads and writes go on', async () => {
    const source = await makeSource(from);
    const before = await contents(source);
    const target = await open({ ...(await freshPlace('sqlite', 'target')), asCopy: true });
    let isSent: Promise<void> | undefined;
    const progress = (): void => {
      isSent ??= send(source, moved('evt_late', 2, 77));
    };
    const report = await copyArchive(source, target, { signal, progress });
    expect(isSent).toBeDefined();
    await isSent;
    expect(report.verdict).toBe('equal');
    expect(await contents(target)).toEqual(before);
    expect(await contents(source)).not.toEqual(before);
    await target.close();
    await source.close();
  });
});

describe('the target', () => {
  test.each(KINDS)('%s with rows is refused and stays as it is', async (to) => {
    const source = await makeSource('sqlite');
    const target = await open(await freshPlace(to, 'target'));
    await importItems(target, first(sampleItems(3), 9));
    const before = await contents(target);
    await expect(copyArchive(source, target, options)).rejects.toThrow(CopyTargetError);
    await expect(planCopy(source, target, { engine: 'sqlite', files: 'folder' })).rejects.toThrow(
      CopyTargetError,
    );
    expect(await contents(target)).toEqual(before);
    await target.close();
    await source.close();
  });

  test('a complete copy is compared, one that differs is refused, and so is an unfinished one of another archive', async () => {
    const source = await makeSource('sqlite');
    const place = await freshPlace('sqlite', 'target');
    const target = await open({ ...place, asCopy: true });
    await expect(copyArchive(source, failing(target, 4, 'after'), options)).rejects.toThrow('cut');
    const other = await open({ dir: join(dir, 'other') });
    await importItems(other, first(sampleItems(3), 9));
    await expect(copyArchive(other, target, options)).rejects.toThrow('unfinished copy of another archive');
    expect((await copyArchive(source, target, options)).verdict).toBe('equal');
    expect(await copyArchive(source, target, options)).toMatchObject({
      verdict: 'equal',
      resumed: true,
      files: { copied: 0 },
    });
    await redact(source, 'att_1', 'changed since');
    await expect(copyArchive(source, target, options)).rejects.toThrow('was changed since');
    for (const archive of [target, other, source]) await archive.close();
  });

  test('of two copies to one target, the first stops, and the second is whole', async () => {
    const source = await makeSource('sqlite');
    const place = await freshPlace('sqlite', 'target');
    const [one, two] = [await open({ ...place, asCopy: true }), await open({ ...place, asCopy: true })];
    let second: Promise<unknown> | undefined;
    const progress = (): void => {
      second ??= copyArchive(source, two, options);
    };
    await expect(copyArchive(source, one, { signal, progress })).rejects.toThrow(CopyTakenOver);
    expect(await second).toMatchObject({ verdict: 'equal' });
    for (const archive of [one, two, source]) await archive.close();
  });

  test('other bytes in a row of the copy are found, and it stays closed', async () => {
    const source = await makeSource('sqlite');
    const place = await freshPlace('sqlite', 'target');
    const target = await open({ ...place, asCopy: true });
    let isSpoiled: Promise<unknown> | undefined;
    const progress = ({ label }: { label: string }): void => {
      if (label === 'files')
        isSpoiled ??= target.database.run(
          `UPDATE attachments SET redaction = 'x' WHERE redaction IS NOT NULL`,
        );
    };
    const report = await copyArchive(source, target, { signal, progress });
    await isSpoiled;
    expect(report.verdict).toBe('different');
    expect(report.tables.filter(({ equal }) => equal !== true).map(({ name }) => name)).toEqual([
      'attachments',
    ]);
    await target.close();
    await expect(open(place)).rejects.toMatchObject({ why: expect.stringContaining('unfinished copy') });
    const again = await open({ ...place, asCopy: true });
    expect((await copyArchive(source, again, options)).verdict).toBe('equal');
    await again.close();
    await source.close();
  });
});

test('a dry run counts and writes nothing', async () => {
  const source = await makeSource('sqlite');
  const to = { engine: 'sqlite', files: 'folder' } as const;
  const plan = await planCopy(source, undefined, to);
  expect(plan).toMatchObject({ dry_run: true, verdict: 'not_copied', resumed: false, lists: [] });
  const rows = await source.database.get<{ rows: number }>('SELECT COUNT(*) AS rows FROM messages');
  expect(plan.tables.find(({ name }) => name === 'messages')).toMatchObject({ rows: rows?.rows, copied: 0 });
  expect(plan.files.count).toBeGreaterThan(0);
  await source.close();
});

test('a missing and a cut file of the source are named, and all others copied', async () => {
  const source = await makeSource('sqlite');
  const blobs = join(dir, 'source/blobs');
  const [missing, cut] = (
    await source.database.all<{ sha256: string }>(
      'SELECT DISTINCT sha256 FROM attachments WHERE stored = 1 AND bytes > 8 ORDER BY sha256 LIMIT 2',
    )
  ).map(({ sha256 }) => sha256) as [string, string];
  rmSync(blobPath(blobs, missing));
  truncateSync(blobPath(blobs, cut), 3);
  const target = await open({ dir: join(dir, 'target'), asCopy: true });
  const { verdict, files } = await copyArchive(source, target, options);
  expect(verdict).toBe('equal');
  expect(files).toMatchObject({ damaged: 2, damaged_files: [missing, cut], copied: files.count - 2 });
  const names = readdirSync(join(dir, 'target/blobs'), { recursive: true }) as string[];
  expect(names.filter((name) => name.endsWith('.new'))).toEqual([]);
  expect(statSync(join(dir, 'target/archive.db')).mode & 0o777).toBe(0o600);
  await target.close();
  await source.close();
});

test('an interruption ends it with the reason of the signal', async () => {
  const source = await makeSource('sqlite');
  const target = await open({ dir: join(dir, 'target'), asCopy: true });
  const ended = new AbortController();
  const progress = ({ label }: { label: string }): void => {
    if (label === 'files') ended.abort(new Error('stop'));
  };
  await expect(copyArchive(source, target, { signal: ended.signal, progress })).rejects.toThrow('stop');
  expect(await copyArchive(source, target, options)).toMatchObject({ verdict: 'equal', resumed: true });
  await target.close();
  await source.close();
});
