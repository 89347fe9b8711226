import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_PAINT } from '../../../src/format/terminal/styled-line.ts';
import { drawTable } from '../../../src/format/terminal/table.ts';
import { textWidth } from '../../../src/format/terminal/escape.ts';
import type { View } from '../../../src/format/views/view.ts';

type Row = { id: string; text: string };
const view: View<Row> = {
  columns: [
    { name: 'id', of: (row) => row.id, minColumns: 40 },
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

test.each([0, 1, 2, 20, 10_000])('F7: no crash at width %i', async (columns) => {
  expect(await draw([{ id: 'a', text: 'b' }], columns)).toHaveLength(3);
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
