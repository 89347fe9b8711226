// Windows of every list against a simple model with the whole list in memory (interface 4.7).
import { fc, test as property } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleArchive, tokenFor, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { runs } from '../../support/runs.ts';

let sample: Sample;
let token: string;

beforeAll(async () => {
  sample = await sampleArchive({ conversations: 40, messages: 3, attachments: 90, mirrorEvery: 11 });
  token = await tokenFor(sample.service, 'internal');
  // Some messages stand elsewhere than they arrived, two of them at the same position.
  for (const [n, sequence] of [
    [5, 90],
    [17, 90],
    [80, 0],
    [119, 3],
    [44, 500],
  ]) {
    const payload = { id: `msg_${n}`, entry: `entry_${n}`, sequence };
    const body = { id: `move-${n}`, type: 'message.reordered', payload };
    expect((await call(sample.service, '/api/webhooks/ingest', { token, body })).status).toBe(200);
  }
});
afterAll(() => sample.close());

type Row = Record<string, unknown> & { id: string };

/** The whole list behind a path, read page by page from its start. */
async function wholeList(path: string, idOf: (row: Row) => string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 0; page < 50; page += 1) {
    const last = rows.at(-1);
    const cursor = last === undefined ? '' : `&starting_after=${idOf(last)}`;
    const { json } = await call(sample.service, `${path}limit=7${cursor}`, { token });
    rows.push(...(json.data as Row[]));
    if (!json.has_more) return rows;
  }
  throw new Error('the list does not end');
}

const LISTS = {
  attachments: {
    path: '/v1/attachments?',
    filters: [
      'origin_city=oslo',
      'source=gateway',
      'content_type=text%2Fplain',
      'redacted=true',
      'redacted=false',
      'message_id=msg_3',
    ],
  },
  conversations: { path: '/v1/conversations?', filters: [] },
  messages: { path: '/messages?', filters: ['conversation=conv_5'] },
  openings: { path: '/v1/messages?opening=true&', filters: ['conversation=conv_5'] },
  positions: { path: '/api/sequence/arc_reconstruction?', filters: [] },
  events: { path: '/api/webhooks/events?', filters: [] },
} as const;
type ListName = keyof typeof LISTS;
const idOf = (name: ListName) => (row: Row) => (name === 'positions' ? String(row['entry']) : row.id);

describe('a window is the slice of the list between its cursors', () => {
  const whole = new Map<ListName, Row[]>();
  const listed = async (name: ListName) => {
    if (!whole.has(name)) whole.set(name, await wholeList(LISTS[name].path, idOf(name)));
    return whole.get(name)!;
  };

  property.prop(
    [
      fc.constantFrom(...(Object.keys(LISTS) as ListName[])),
      fc.option(fc.nat(200), { nil: undefined }),
      fc.option(fc.nat(200), { nil: undefined }),
      fc.option(fc.integer({ min: 1, max: 130 }), { nil: undefined }),
      fc.nat(20),
    ],
    { numRuns: runs({ quick: 150, long: 600 }) },
  )('%s', async (name, afterAt, beforeAt, limit, filterAt) => {
    const { path, filters } = LISTS[name];
    const all = await listed(name);
    const filter = filters[filterAt % (filters.length + 2)];
    const rows = filter === undefined ? all : await wholeList(`${path}${filter}&`, idOf(name));
    const kept = new Set(rows.map(idOf(name)));
    const after = afterAt === undefined ? undefined : afterAt % all.length;
    const before = beforeAt === undefined ? undefined : beforeAt % all.length;
    const query = [
      filter,
      after === undefined ? undefined : `starting_after=${idOf(name)(all[after]!)}`,
      before === undefined ? undefined : `ending_before=${idOf(name)(all[before]!)}`,
      limit === undefined ? undefined : `limit=${limit}`,
    ].filter((part) => part !== undefined);

    const { status, json } = await call(sample.service, path + query.join('&'), { token });
    if (after !== undefined && before !== undefined && after > before) {
      expect(status).toBe(409);
      expect(json.error.code).toBe('sequence_conflict');
      return;
    }
    const between = all
      .slice(after === undefined ? 0 : after + 1, before)
      .filter((row) => kept.has(idOf(name)(row)));
    const size = limit ?? 20;
    const backward = before !== undefined && after === undefined;
    const expected = backward ? between.slice(-size) : between.slice(0, size);
    expect((json.data as Row[]).map(idOf(name))).toEqual(expected.map(idOf(name)));
    expect(json.has_more).toBe(between.length > size);
  });

  test('the lists have all inserted rows in their order', async () => {
    const numbers = async (name: ListName) =>
      (await listed(name)).map((row) => Number(idOf(name)(row).replace(/\D/g, '')));
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
    expect(await numbers('attachments')).toEqual(upTo(90));
    expect(await numbers('conversations')).toEqual(upTo(40));
    expect(await numbers('openings')).toEqual(upTo(40));
    expect(await numbers('positions')).toEqual(upTo(120));
    const moved = new Map([
      [5, 90],
      [17, 90],
      [80, 0],
      [119, 3],
      [44, 500],
    ]);
    const at = (n: number) => moved.get(n) ?? n;
    expect(await numbers('messages')).toEqual(upTo(120).sort((a, b) => at(a) - at(b) || a - b));
  });

  test('filters give the rows that have the value', async () => {
    const all = await listed('attachments');
    const ids = async (filter: string) =>
      (await wholeList(`/v1/attachments?${filter}&`, (row) => row.id)).map(({ id }) => id);
    const having = (test: (row: Row) => boolean) => all.filter(test).map(({ id }) => id);
    // Redacted rows do not show city, type and source, but the operator's redaction blocks only the payload.
    const openOslo = having((row) => row['origin_city'] === 'oslo');
    expect(openOslo.length).toBeGreaterThan(5);
    expect(await ids('origin_city=oslo')).toEqual(expect.arrayContaining(openOslo));
    expect(await ids('origin_city=oslo&redacted=false')).toEqual(openOslo);
    expect(await ids('redacted=true')).toEqual(having((row) => row['redacted'] === true));
    expect(await ids('redacted=false')).toEqual(having((row) => row['redacted'] === false));
    expect(await ids('message_id=msg_3')).toEqual(having((row) => row['message_id'] === 'msg_3'));
    expect(await ids('source=gateway&content_type=text/plain&redacted=false')).toEqual(
      having((row) => row['source'] === 'gateway' && row['content_type'] === 'text/plain'),
    );
  });
});

test('a cursor can be a row that the filter leaves out', async () => {
  const { json } = await call(
    sample.service,
    '/messages?conversation=conv_5&starting_after=msg_1&ending_before=msg_40',
    { token },
  );
  // msg_5 was moved to 90, behind msg_45 and before msg_85.
  expect(json.data).toEqual([]);
});
