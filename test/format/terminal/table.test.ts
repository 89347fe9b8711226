import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_PAINT } from '../../../src/format/terminal/styled-line.ts';
import { drawTable } from '../../../src/format/terminal/table.ts';
import { escapeText, textWidth } from '../../../src/format/terminal/escape.ts';
import { instantStyle } from '../../../src/format/instants.ts';
import type { View } from '../../../src/format/views/view.ts';

type Row = { id: string; text: string };
const view: View<Row> = {
  columns: [
    { name: 'id', of: (row) => row.id, whole: true },
    { name: 'text', of: (row) => row.text },
    { name: 'end', of: () => 'end' },
  ],
};

async function draw(rows: Row[], columns: number | undefined, unicode = true): Promise<string[]> {
  let text = '';
  for await (const chunk of drawTable(view, rows, { columns, unicode }, NO_PAINT)) text += chunk;
  return text.split('\n').slice(0, -1);
}

test('the widest column is cut, an id is not', async () => {
  expect(
    await draw([{ id: 'message_1234567890', text: 'a text that is too long for this' }], 40, false),
  ).toStrictEqual([
    'ID                  TEXT             END',
    '------------------  ---------------  ---',
    'message_1234567890  a text that is…  end',
  ]);
});

type Item = { id: string; state: string; size: number; subject: string; note: string; hash: string };
const items: View<Item> = {
  columns: [
    { name: 'id', of: (row) => row.id, whole: true, importance: 'essential' },
    { name: 'hash', of: (row) => row.hash, whole: true, importance: 'low' },
    { name: 'state', of: (row) => row.state, whole: true },
    { name: 'size', of: (row) => row.size, align: 'right' },
    { name: 'subject', of: (row) => row.subject, minColumns: 10, importance: 'essential' },
    { name: 'note', of: (row) => row.note, importance: 'low' },
  ],
};
const item = {
  id: 'message_0123456789',
  hash: '0123456789abcdef',
  state: 'withheld (above_tier)',
  size: 1_234_567,
  subject: 'a subject that is longer than forty columns, and goes on',
  note: 'noted',
};

async function drawItems(columns: number): Promise<string[]> {
  let text = '';
  for await (const chunk of drawTable(items, [item, item], { columns, unicode: true }, NO_PAINT))
    text += chunk;
  return text.split('\n').slice(0, -1);
}

test('columns give way by importance, and the heading says that some did', async () => {
  const headings = async (columns: number): Promise<string[]> =>
    ((await drawItems(columns))[0] ?? '').split(/ +/);
  expect(await headings(200)).toEqual(['ID', 'HASH', 'STATE', 'SIZE', 'SUBJECT', 'NOTE']);
  expect(await headings(85)).toEqual(['ID', 'HASH', 'STATE', 'SIZE', 'SUBJECT', '…']);
  expect(await headings(80)).toEqual(['ID', 'STATE', 'SIZE', 'SUBJECT', '…']);
  expect(await headings(60)).toEqual(['ID', 'STATE', 'SUBJECT', '…']);
  expect(await headings(40)).toEqual(['ID', 'SUBJECT', '…']);
});

test('where not even an id and the essential value fit: records of lines', async () => {
  expect(await drawItems(30)).toEqual([
    'ID       message_0123456789',
    'HASH     0123456789abcdef',
    'STATE    withheld (above_tier)',
    'SIZE     1234567',
    'SUBJECT  a subject that is',
    '         longer than forty',
    '         columns, and goes on',
    'NOTE     noted',
    '',
    'ID       message_0123456789',
    'HASH     0123456789abcdef',
    'STATE    withheld (above_tier)',
    'SIZE     1234567',
    'SUBJECT  a subject that is',
    '         longer than forty',
    '         columns, and goes on',
    'NOTE     noted',
  ]);
  expect((await drawItems(20)).slice(0, 6)).toEqual([
    'ID',
    'message_0123456789',
    'HASH',
    '0123456789abcdef',
    'STATE',
    'withheld (above_tier)',
  ]);
});

const valueOf = fc.string({ unit: 'grapheme', maxLength: 60 });
test('at every width: nothing wider than the screen, ids and states whole, each cut marked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        id: fc.stringMatching(/^[a-z]{3,4}_[0-9a-f]{1,24}$/),
        hash: fc.stringMatching(/^[0-9a-f]{12}$/),
        state: fc.constantFrom('available', 'withheld', 'withheld (above_tier)'),
        size: fc.nat(),
        subject: valueOf,
        note: valueOf,
      }),
      fc.integer({ min: 30, max: 220 }),
      async (row, columns) => {
        let text = '';
        for await (const chunk of drawTable(items, [row], { columns, unicode: true }, NO_PAINT))
          text += chunk;
        for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        expect(text).toContain(row.id);
        const isTable = text.startsWith('ID  ') && text.includes('──');
        if (isTable && !/STATE/.test(text)) expect(text.split('\n')[0]).toMatch(/…$/);
        else expect(text).toContain(row.state);
        const subject = escapeText(row.subject).trim();
        if (isTable && !text.includes(subject)) expect(text.split('\n')[2]).toContain('…');
      },
    ),
    { numRuns: 300 },
  );
});

test('a zone is named in the heading, with both offsets where there is summer time', async () => {
  const dated: View<{ sent: string }> = {
    columns: [{ name: 'sent', of: (row) => row.sent, instant: (row) => row.sent }],
  };
  const show = async (
    rows: string[],
    style: Partial<Parameters<typeof instantStyle>[0]>,
  ): Promise<string> => {
    const instants = instantStyle({
      utc: false,
      relative: false,
      timeZone: 'Europe/Berlin',
      now: () => Date.UTC(2024, 6, 1),
      ...style,
    });
    let text = '';
    const sent = rows.map((row) => ({ sent: row }));
    for await (const chunk of drawTable(dated, sent, { columns: 80, unicode: false, instants }, NO_PAINT))
      text += chunk;
    return text;
  };
  const [winter, summer] = ['2024-01-01T23:30:00Z', '2024-06-01T12:00:00.5Z'];
  expect(await show([winter], {})).toBe('SENT (UTC+1)\n----------------\n2024-01-02 00:30\n');
  expect(await show([winter, summer], {})).toMatch(
    /^SENT \(UTC\+1\/\+2\)\n-+\n2024-01-02 00:30\n2024-06-01 14:00\n$/,
  );
  expect(await show([winter], { utc: true })).toMatch(/^SENT \(UTC\)\n-+\n2024-01-01 23:30\n$/);
  expect(await show([winter, summer], { relative: true })).toMatch(/^SENT\n-+\n5 months ago\n29 days ago\n$/);
  // A zone that turns up later gets a heading of its own.
  const many = [...Array.from({ length: 100 }, () => winter), summer];
  expect(await show(many, {})).toMatch(/\n\nSENT \(UTC\+1\/\+2\)\n/);
});

test('rows are drawn when the next one has to be waited for', async () => {
  async function* slow(): AsyncGenerator<{ id: string; text: string }> {
    yield { id: 'a', text: '1' };
    yield { id: 'b', text: '2' };
    await new Promise((resolve) => setImmediate(resolve));
    yield { id: 'c', text: '3' };
  }
  const chunks: string[] = [];
  for await (const chunk of drawTable(view, slow(), { columns: 80, unicode: true }, NO_PAINT))
    chunks.push(chunk);
  expect(chunks).toHaveLength(2);
  expect(chunks[0]).toMatch(/\na .*\nb .*\n$/);
});

test('rows that are wide by the rules of today stay below each other', async () => {
  const lines = await draw(
    [
      { id: '1', text: 'क्षा ก็ שָׁ' },
      { id: '2', text: '漢字 😀🫨' },
      { id: '3', text: 'plain' },
    ],
    undefined,
  );
  expect(new Set(lines.map(textWidth))).toHaveProperty('size', 1);
});

test('columns below each other on every width, never wider than a screen that can hold the least', async () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ id: fc.stringMatching(/^\w{1,8}$/), text: cell }), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(30, 60, 80, 10_000),
      async (rows, columns) => {
        const lines = await draw(rows, columns);
        expect(lines).toHaveLength(rows.length + 2);
        expect(new Set(lines.map(textWidth)).size).toBe(1);
        expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
      },
    ),
    { numRuns: 100 },
  );
});

test.each([20, 10_000])('F7: no crash at width %i', async (columns) => {
  expect(await draw([{ id: 'a', text: 'b' }], columns)).toHaveLength(3);
});

test.each([0, 1, 2])('F7: no crash and a whole id at width %i', async (columns) => {
  expect(await draw([{ id: 'a', text: 'b' }], columns)).toContain('a');
});

test('F5: a cell of a megabyte, no terminal', async () => {
  const lines = await draw([{ id: 'a', text: 'x'.repeat(1_000_000) }], undefined);
  expect(Math.max(...lines.map(textWidth))).toBeLessThan(250);
});

test('chunks: one header, widths grow and never shrink, nothing lost', async () => {
  const lines = await draw(
    Array.from({ length: 250 }, (_, n) => ({ id: `id_${n}`, text: `${n}` })),
    80,
  );
  expect(lines).toHaveLength(252);
  expect(lines.slice(0, 3)).toStrictEqual(['ID     TEXT  END', '─────  ────  ───', 'id_0   0     end']);
  expect(lines[102]).toBe('id_100  100   end');
  expect(lines.filter((line) => /^id_\d+ +\d+ +end$/.test(line))).toHaveLength(250);
});

test('no rows, no table', async () => expect(await draw([], 80)).toStrictEqual([]));
