// Which rows an archive had at a time: never more than it had, whatever the clock did.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openArchive, type ArchiveLocation } from '../../../../src/service/index.ts';
import { addedBefore, noteAdded } from '../../../../src/service/store/meta-table/added-log.ts';
import { freshUrl, noPostgres } from '../../../support/postgres.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 24, 12);

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  test.skipIf(engine === 'postgres' && noPostgres)('the numbers before an hour', async () => {
    const place: ArchiveLocation =
      engine === 'sqlite' ? { dir: tempFolder('added') } : { url: await freshUrl() };
    const archive = await openArchive({ ...place, sleep, now: () => NOON, randomBytes });
    const { database } = archive;
    const note = (ms: number, messages: number) =>
      database.transaction((statements) => noteAdded(statements, ms, { messages, attachments: 1 }));
    const before = async (ms: number) => (await addedBefore(database, ms)).messages;
    expect(await before(NOON)).toBe(0);
    await note(NOON, 10);
    await note(NOON + 1, 12);
    await note(NOON + 2 * HOUR, 20);
    expect(await before(NOON + HOUR - 1)).toBe(0);
    expect(await before(NOON + HOUR)).toBe(12);
    expect(await before(NOON + 2 * HOUR + 5)).toBe(12);
    expect(await before(NOON + 9 * HOUR)).toBe(20);
    // A clock that was set back: what it adds is not taken for what was there before.
    await note(NOON - 24 * HOUR, 30);
    expect(await before(NOON + HOUR)).toBe(12);
    expect(await before(NOON - HOUR)).toBe(0);
    expect(await before(NOON + 9 * HOUR)).toBe(30);
    await archive.close();
  });
});
