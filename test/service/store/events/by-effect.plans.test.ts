// The list of events by their effect reads a range of an index, whatever the statistics say; so does what looks at the queue.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UNSETTLED_EFFECTS } from '../../../../src/contract/event-types.ts';
import type { Archive } from '../../../../src/service/store/archive.ts';
import { applyDue } from '../../../../src/service/store/events/queue.ts';
import { readEvents } from '../../../../src/service/store/lists/sequence.ts';
import type { Statements, Value } from '../../../../src/service/store/sql/database.ts';
import type { Span } from '../../../../src/service/store/sql/keyset.ts';
import { sampleArchive, type Sample } from '../../../support/archive.ts';
import { ENGINE, planOf, type Asked } from '../../../support/engine.ts';

const ROWS = 20_000;
const LIMIT = 20;
let sample: Sample;
const run = (sql: string) => sample.archive.database.migration((statements) => statements.run(sql));

beforeAll(async () => {
  sample = await sampleArchive({ conversations: 0, attachments: 0 });
  await run(`WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${ROWS})
    INSERT INTO events (n, id, type, payload, body_sha256, received_ms, deliveries, effect, applied)
    SELECT n, 'evt_' || n, 'mirror.detected', '{"layer":"x"}', 'h', 0, 1, 'recorded', n FROM s`);
});
afterAll(() => sample.close());

const SPANS: Span[] = [
  { after: null, before: null, limit: LIMIT, direction: 'forward' },
  { after: null, before: null, limit: LIMIT, direction: 'backward' },
  { after: [ROWS / 2], before: null, limit: LIMIT, direction: 'forward' },
  { after: null, before: [ROWS / 2], limit: LIMIT, direction: 'backward' },
  { after: [ROWS / 4], before: [ROWS * 0.75], limit: LIMIT, direction: 'forward' },
];

/** Every statement about the events of one effect, from the list, the queue and the check before an event is stored. */
async function asked(): Promise<Asked[]> {
  const { archive } = sample;
  const found: Asked[] = [];
  const noting =
    (kind: 'all' | 'get') =>
    (sql: string, parameters: readonly Value[] = []) => {
      if (/effect = '(?!recorded)/.test(sql) && sql.startsWith('SELECT')) found.push({ sql, parameters });
      return archive.database[kind](sql, parameters) as never;
    };
  const statements: Statements = { ...archive.database, all: noting('all'), get: noting('get') };
  for (const effect of UNSETTLED_EFFECTS)
    for (const span of SPANS) await readEvents(statements, span, effect);
  // Nothing is applied: the next event is looked for, and then a group of events, of which there is none here.
  const nothing: Statements = {
    ...statements,
    all: async (...given) => (await statements.all(...given), []),
  };
  const database = {
    ...archive.database,
    ...statements,
    transaction: (work: (given: Statements) => unknown) => work(nothing),
  };
  await applyDue({ ...archive, database } as Archive, 'in turn');
  expect(found.length).toBeGreaterThan(UNSETTLED_EFFECTS.length * SPANS.length);
  return found;
}

/** The statements that read another index than that of the effect, with their plans. */
async function costly(): Promise<string[]> {
  const found: string[] = [];
  for (const { sql, parameters } of await asked()) {
    const plan = await planOf(sample.archive.database, sql, parameters);
    const [, effect] = /effect = '(\w+)'/.exec(sql)!;
    const steps = plan.filter((step) => /SCAN (?!page$)|SEARCH|B-TREE|Scan|Sort/.test(step));
    const range = new RegExp(`(?:USING|using) (?:COVERING )?(?:INDEX )?events_${effect}`);
    if (!steps.every((step) => range.test(step))) found.push(`${sql}\n${plan.join('\n')}`);
  }
  return found;
}

/** Statistics of rows that all had this effect, when few or none have it. */
describe.each([...UNSETTLED_EFFECTS, 'recorded'])('statistics of events that are %s', (effect) => {
  test('few or none of them have it now', async () => {
    await run(`UPDATE events SET effect = '${effect}'`);
    await run('ANALYZE');
    await run(
      `UPDATE events SET effect = CASE WHEN n IN (${ROWS / 2}, ${ROWS / 2 + 1}) THEN 'dead' ELSE 'recorded' END`,
    );
    expect(await costly()).toEqual([]);
  });
});

test('99 % have one effect, and the statistics say so', async () => {
  for (const effect of UNSETTLED_EFFECTS) {
    await run(`UPDATE events SET effect = CASE WHEN n % 100 = 3 THEN 'recorded' ELSE '${effect}' END`);
    await run('ANALYZE');
    expect(await costly()).toEqual([]);
  }
});

test('no statistics', async () => {
  await run(`UPDATE events SET effect = CASE WHEN n = ${ROWS / 2} THEN 'dead' ELSE 'recorded' END`);
  await run(
    ENGINE === 'sqlite'
      ? 'DELETE FROM sqlite_stat1'
      : `DELETE FROM pg_statistic WHERE starelid = CAST('events' AS REGCLASS)`,
  );
  expect(await costly()).toEqual([]);
});
