// What a page costs does not depend on its depth: no statement of any list reads a whole table, or sorts one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Tier } from '../../../src/contract/tier.ts';
import { createService, type Archive } from '../../../src/service/index.ts';
import type { Value } from '../../../src/service/store/sql/database.ts';
import { queueWaiting } from '../../../src/service/store/events/store-events.ts';
import { ASSET_URL, sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { ENGINE, pagePlansOf, planOf } from '../../support/engine.ts';
import { fill } from '../../support/many-rows.ts';

/** Enough that reading a table would be the better plan for a few of its rows, if there were no index. */
const ROWS = 20_000;
let sample: Sample;
let asked: { sql: string; parameters: readonly Value[] }[];
let watched: Archive;

beforeAll(async () => {
  sample = await sampleArchive({ conversations: 0, attachments: 0 });
  const { database } = sample.archive;
  await fill(database, ROWS);
  const noting =
    (kind: 'all' | 'get' | 'run') =>
    (sql: string, parameters: readonly Value[] = []) => {
      asked.push({ sql, parameters });
      return database[kind](sql, parameters) as never;
    };
  watched = {
    ...sample.archive,
    database: { ...database, all: noting('all'), get: noting('get'), run: noting('run') },
  };
  asked = [];
  // Counting the whole archive is done once for each state of it.
  await call(createService(watched, { assetUrl: ASSET_URL, version: '0' }), '/api/health');
});
afterAll(() => sample.close());

/**
 * A table read as a whole, or sorted; `page` and `found` are the rows of one. To SQLite the first page of a list by its key is a
 * scan, ended by its limit.
 */
const WHOLE =
  ENGINE === 'postgres'
    ? /Seq Scan on (?!meta|tokens)/
    : /TEMP B-TREE|^SCAN (?!CONSTANT ROW|page$|found$|json_each |\w+ USING)/;
const isFirstPage = (sql: string) => !/WHERE|n [<>] \$/.test(sql);

/** Sorted are only the numbers of a page from the ranges of several tiers, of each at most a page. */
function sortsMore(plan: readonly string[]): boolean {
  const at = plan.findIndex((step) => /\bSort\b.*actual/.test(step));
  return at >= 0 && !/Append/.test(plan.slice(at).find((step, index) => index > 0 && /->/.test(step)) ?? '');
}

const LISTS: [path: string, kind: string][] = [
  ['/v1/conversations', 'conv'],
  ['/messages', 'msg'],
  ['/messages?opening=true', 'msg'],
  ['/messages?conversation=conv_7', 'msg'],
  ['/v1/attachments', 'att'],
  ['/v1/attachments?origin_city=city3', 'att'],
  ['/v1/attachments?content_type=type/3', 'att'],
  ['/v1/attachments?source=source3', 'att'],
  ['/v1/attachments?message_id=msg_7', 'att'],
  ['/v1/attachments?origin_city=city3&content_type=type/3&source=source3', 'att'],
  ['/v1/attachments?redacted=true', 'att'],
  ['/v1/attachments?redacted=false', 'att'],
  ['/api/sequence/arc_reconstruction', 'entry'],
  ['/api/sequence/mirror_relay', 'evt'],
  ['/api/webhooks/events', 'evt'],
  ['/api/webhooks/events?effect=queued', 'evt'],
  ['/api/webhooks/events?effect=waiting', 'evt'],
  ['/api/webhooks/events?effect=superseded', 'evt'],
  ['/api/webhooks/events?effect=dead', 'evt'],
];
const windows = (kind: string) => [
  'limit=20',
  `limit=20&starting_after=${kind}_10000`,
  `limit=20&ending_before=${kind}_10000`,
  `limit=20&starting_after=${kind}_5000&ending_before=${kind}_15000`,
];

describe.each<Tier>(['external', 'internal', 'mirror'])('read by %s', (tier) => {
  test.each(LISTS)('%s', async (path, kind) => {
    const service = createService(watched, { assetUrl: ASSET_URL, version: '0' });
    const token = await tokenFor(service, tier);
    for (const window of windows(kind)) {
      asked = [];
      const { status } = await call(service, `${path}${path.includes('?') ? '&' : '?'}${window}`, { token });
      expect([200, 206, 403]).toContain(status);
      if (status === 403) continue;
      expect(asked.some(({ sql }) => sql.includes('LIMIT'))).toBe(true);
      const read = asked.filter(({ sql }) => sql.startsWith('SELECT'));
      const plans = await pagePlansOf({ database: sample.archive.database, place: sample.place }, read);
      for (const [index, plan] of plans.entries()) {
        const { sql } = read[index]!;
        const whole = plan.filter((step) => WHOLE.test(step));
        if (ENGINE === 'postgres' || !isFirstPage(sql)) expect(whole, `${ENGINE}: ${sql}`).toEqual([]);
        expect(sortsMore(plan), plan.join('\n')).toBe(false);
      }
    }
  });
});

test.runIf(ENGINE === 'postgres')(
  'a conversation is read by its index, whatever the statistics say',
  async () => {
    const service = createService(watched, { assetUrl: ASSET_URL, version: '0' });
    const token = await tokenFor(service, 'mirror');
    for (const window of windows('msg')) {
      asked = [];
      await call(service, `/messages?conversation=conv_7&${window}`, { token });
      const pages = asked.filter(({ sql }) => sql.includes('m.conversation'));
      expect(pages).toHaveLength(1);
      const [plan = []] = await pagePlansOf(
        { database: sample.archive.database, place: sample.place },
        pages,
      );
      expect(plan.join('\n')).toContain('using messages_by_conversation');
      expect(plan.join('\n')).not.toContain('Rows Removed');
    }
  },
);

test('events that wait for records to come are not read when others come', async () => {
  asked = [];
  await queueWaiting(watched.database);
  const plans = await Promise.all(
    asked.map(({ sql, parameters }) => planOf(sample.archive.database, sql, parameters)),
  );
  expect(plans).toHaveLength(2);
  expect(plans.flat().filter((step) => WHOLE.test(step))).toEqual([]);
});

test('old tokens are forgotten by an index', async () => {
  const plan = await planOf(sample.archive.database, 'DELETE FROM tokens WHERE expires_ms < 1');
  expect(plan.join()).toContain('tokens_by_expiry');
});

test.runIf(ENGINE === 'sqlite')('SQLite plans a statement once, and not for each of its values', async () => {
  const plan = (...values: number[]) =>
    planOf(
      sample.archive.database,
      'SELECT path FROM messages WHERE sequence > $1 AND conversation > $2',
      values,
    );
  expect(await plan(0, 10 * ROWS)).toEqual(await plan(10 * ROWS, 0));
});
