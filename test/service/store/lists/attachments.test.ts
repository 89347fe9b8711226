// Filters of attachments: they find what a look at every row finds, and read only a range of an index, whatever the values are.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TIERS, type Tier } from '../../../../src/contract/tier.ts';
import { tiersUpTo } from '../../../../src/service/rules/tiers.ts';
import { readAttachments, type AttachmentFilter } from '../../../../src/service/store/lists/attachments.ts';
import type { Statements } from '../../../../src/service/store/sql/database.ts';
import type { Span } from '../../../../src/service/store/sql/keyset.ts';
import { sampleArchive, type Sample } from '../../../support/archive.ts';
import { ENGINE, pagePlansOf, type Asked } from '../../../support/engine.ts';
import { fill } from '../../../support/many-rows.ts';

const ROWS = 20_000;
const LIMIT = 20;

type Row = {
  n: number;
  message: number;
  redacted: number;
  tier: Tier;
  origin_city: string | null;
  declared_type: string;
  source: string;
};

let sample: Sample;
let rows: Row[];

beforeAll(async () => {
  sample = await sampleArchive({ conversations: 0, attachments: 0 });
  const { database } = sample.archive;
  await fill(database, ROWS);
  const run = (sql: string) => database.migration((statements) => statements.run(sql));
  // The statistics tell that every row has the same values and is open, which was true when they were made.
  await run(
    `UPDATE attachments SET origin_city = 'big', declared_type = 'big', source = 'big', redacted = 0, tier = 'external'`,
  );
  await run('ANALYZE');
  await run(`UPDATE attachments SET origin_city = CASE WHEN n % 100 = 0 THEN 'rare' WHEN n % 7 = 0 THEN NULL ELSE 'big' END,
    declared_type = CASE WHEN n % 90 = 0 THEN 'rare' ELSE 'big' END, source = CASE WHEN n % 80 = 0 THEN 'rare' ELSE 'big' END,
    redacted = CASE WHEN n % 11 = 0 THEN 1 ELSE 0 END, message = CASE WHEN n > 500 AND n <= 700 THEN 7 ELSE message END,
    tier = CASE WHEN n % 13 = 0 THEN 'mirror' WHEN n % 12 = 0 THEN 'internal' ELSE 'external' END`);
  rows = await database.all<Row>(
    'SELECT n, message, redacted, tier, origin_city, declared_type, source FROM attachments ORDER BY n',
  );
});
afterAll(() => sample.close());

const VALUES = [undefined, 'big', 'rare', 'absent'];
/** All combinations of values, and redacted rows and others with at most one value. */
const FILTERS: AttachmentFilter[] = VALUES.flatMap((origin_city) =>
  VALUES.flatMap((content_type) =>
    VALUES.flatMap((source) => {
      const values = [origin_city, content_type, source].filter((value) => value !== undefined).length;
      const also = values > 1 ? [] : [{ redacted: true }, { redacted: false }];
      return [{}, ...also].map((more) => ({ origin_city, content_type, source, ...more }));
    }),
  ),
);
const OF_A_MESSAGE = FILTERS.filter(({ source }) => source === undefined).map((filter) => ({
  ...filter,
  message: 7,
}));

const SPANS: Span[] = [
  { after: null, before: null, limit: LIMIT, direction: 'forward' },
  { after: null, before: null, limit: LIMIT, direction: 'backward' },
  { after: { row: 610 }, before: null, limit: LIMIT, direction: 'forward' },
  { after: null, before: { row: 610 }, limit: LIMIT, direction: 'backward' },
  { after: [600], before: [17_000], limit: LIMIT, direction: 'forward' },
];

/** The numbers of the rows that match, by a look at every row. */
function matching(filter: AttachmentFilter, reader: Tier): number[] {
  const { origin_city, content_type, source, redacted, message } = filter;
  const wanted = [origin_city, content_type, source];
  const asksForValues = wanted.some((value) => value !== undefined);
  const visible = tiersUpTo(reader);
  const found = rows.filter((row) => {
    if (message !== undefined && row.message !== message) return false;
    const isOpen = row.redacted === 0 && visible.includes(row.tier);
    const has = [row.origin_city, row.declared_type, row.source];
    return (
      (!asksForValues || (isOpen && wanted.every((value, at) => value === undefined || value === has[at]))) &&
      (redacted === undefined || redacted === !isOpen)
    );
  });
  return found.map(({ n }) => n);
}

/** The page of a span. */
function pageOf(found: readonly number[], { after, before, direction }: Span) {
  const numberOf = (edge: Span['after']) => (edge === null ? undefined : 'row' in edge ? edge.row : edge[0]!);
  const inside = found.filter((n) => n > (numberOf(after) ?? 0) && n < (numberOf(before) ?? Infinity));
  const page = direction === 'forward' ? inside.slice(0, LIMIT) : inside.slice(-LIMIT);
  return { page, has_more: inside.length > page.length };
}

describe.each(TIERS)('read by %s', (reader) => {
  test('every combination of filters finds what a look at every row finds', async () => {
    for (const filter of [...FILTERS, ...OF_A_MESSAGE]) {
      const found = matching(filter, reader);
      for (const span of SPANS) {
        const read = await readAttachments(sample.archive.database, filter, reader, span);
        const page = Array.from(read.text.matchAll(/\{"id":"att_(\d+)"/g), ([, n]) => Number(n));
        const said = JSON.stringify({ filter, span });
        expect({ page, has_more: read.has_more }, said).toEqual(pageOf(found, span));
        expect(read.count, said).toBe(page.length);
        expect(read.cursorFound, said).toBe(true);
      }
    }
  });
});

/** Every combination of filters reads a range of an index, and no row that is not shown. */
async function readRanges(reader: Tier): Promise<void> {
  const asked: Asked[] = [];
  const noting = {
    ...sample.archive.database,
    get: async (sql: string, parameters = []) => void asked.push({ sql, parameters }),
  } as unknown as Statements;
  // What one range reads besides is not shown: a filter within a message, and the plain list.
  const byIndex = FILTERS.filter((filter) => Object.values(filter).some((value) => value !== undefined));
  for (const filter of byIndex) for (const span of SPANS) await readAttachments(noting, filter, reader, span);
  const plans = await pagePlansOf({ database: sample.archive.database, place: sample.place }, asked);
  for (const [at, plan] of plans.entries()) {
    const why = `${JSON.stringify(byIndex[Math.floor(at / SPANS.length)])}\n${plan.join('\n')}`;
    const nothing = asked[at]!.sql.includes('1 = 0');
    if (!nothing) expect(unfit(plan), why).toEqual([]);
  }
}

describe('a range of an index is read, and no row that is not shown', () => {
  test.each(TIERS)('by %s, with statistics of other rows', readRanges);

  test.runIf(ENGINE === 'postgres').each(TIERS)('by %s, without statistics', async (reader) => {
    await sample.archive.database.run(
      `DELETE FROM pg_statistic WHERE starelid = CAST('attachments' AS REGCLASS)`,
    );
    await readRanges(reader);
  });

  test.each(TIERS)('by %s, with statistics of these rows', async (reader) => {
    await sample.archive.database.migration((statements) => statements.run('ANALYZE'));
    await readRanges(reader);
  });
});

/** The steps that read rows which are not in the page, or rows in another order than that of an index. */
function unfit(plan: readonly string[]): string[] {
  const steps = plan.map((step) => step.trim());
  if (ENGINE === 'sqlite') {
    const range =
      /^SEARCH attachments USING (?:COVERING )?INDEX attachments_\w+ \((?:\w+=\? AND )*n>\? AND n<\?\)$/;
    return steps.filter((step) => /SEARCH|SCAN|B-TREE/.test(step) && !range.test(step) && !KNOWN.test(step));
  }
  const most = 3 * (LIMIT + 1);
  const rowsOf = (step: string) => {
    const [, count = '0', loops = '0'] = /actual rows=([\d.]+) loops=(\d+)/.exec(step) ?? [];
    return /^->.*Index/.test(step) && Number(loops) === 1 ? Number(count) : 0;
  };
  const total = steps.reduce((sum, step) => sum + rowsOf(step), 0);
  // What an index scan passes over is no row: it is seen in the pages of the file alone.
  const buffers = steps.find((step) => step.startsWith('Buffers: ')) ?? '';
  const pages = Array.from(buffers.matchAll(/(?:hit|read)=(\d+)/g), ([, count]) => Number(count));
  const read = pages.reduce((sum, count) => sum + count, 0);
  return [
    ...steps.filter((step) => /Seq Scan|Bitmap|Incremental/.test(step)),
    ...steps.filter((step) => step.startsWith('Rows Removed')),
    ...(total > 2 * most ? [`${total} rows were read`] : []),
    ...(read > MAX_PAGES ? [`${read} pages were read`] : []),
  ];
}

/** Pages of the file for one page of rows: some for each range, and one for each row, since old rows stand between them here. */
const MAX_PAGES = 250;

/** Reading one row by its number, and the numbers of the page. */
const KNOWN =
  /^SEARCH attachments USING INTEGER PRIMARY KEY \(rowid=\?\)$|^SCAN (?:found|page|CONSTANT ROW)$/;

test('an unknown cursor is told', async () => {
  for (const filter of [{ source: 'big' }, { message: 7 }, { redacted: true }]) {
    const span: Span = { after: { row: ROWS + 1 }, before: null, limit: LIMIT, direction: 'forward' };
    const read = await readAttachments(sample.archive.database, filter, 'mirror', span);
    expect(read).toMatchObject({ count: 0, cursorFound: false });
  }
});
