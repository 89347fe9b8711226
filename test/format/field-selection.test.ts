import { expect, test } from 'vitest';
import { isWhole } from '../../src/format/terminal/column-layout.ts';
import { parseFieldSelection } from '../../src/format/field-selection.ts';

const record = JSON.parse(
  '{"id":"a","n":0,"no":null,"p":{"q":"x","list":[{"f":"1"},{"f":"2","g":3}]},"tags":["t","u"],"__proto__":"own"}',
) as object;

const selected = (paths: readonly string[]) => paths.map((path) => ({ name: path, path, isKnown: true }));

test.each([
  ['n,id', '{"n":0,"id":"a"}', ['0', 'a']],
  ['p.q', '{"p":{"q":"x"}}', ['x']],
  ['p.q,p.list.f', '{"p":{"q":"x","list":[{"f":"1"},{"f":"2"}]}}', ['x', '1,2']],
  ['p.list.g', '{"p":{"list":[{"g":null},{"g":3}]}}', ['3']],
  ['tags', '{"tags":["t","u"]}', ['t,u']],
  ['no,absent.deep', '{"no":null,"absent":null}', ['', '']],
  [
    'p',
    '{"p":{"q":"x","list":[{"f":"1"},{"f":"2","g":3}]}}',
    ['{"q":"x","list":[{"f":"1"},{"f":"2","g":3}]}'],
  ],
  ['__proto__', '{"__proto__":"own"}', ['own']],
  ['toString,constructor', '{"toString":null,"constructor":null}', ['', '']],
])('%s', (paths, json, cells) => {
  const fields = parseFieldSelection(selected(paths.split(',')));
  expect(JSON.stringify(fields.pick(record))).toBe(json);
  expect(fields.view.columns.map((column) => column.of(record))).toStrictEqual(cells);
  expect(({} as { own?: string }).own).toBeUndefined();
});

test.each([
  ['2020-09-28T08:51:59.000Z', '2020-09-28T08:51:59.000Z'],
  ['2020-09-28T08:51:59+02:00', '2020-09-28T08:51:59+02:00'],
  ['2020-09-28', undefined],
  ['at 2020-09-28T08:51:59Z', undefined],
  [5, undefined],
  [['2020-09-28T08:51:59Z', '2020-09-28T08:51:59Z'], undefined],
])('a table shows the selected instant %j in its zone', (date, instant) => {
  const [column] = parseFieldSelection(selected(['date'])).view.columns;
  expect(column!.instant!({ date })).toBe(instant);
  // Any field may hold a long text.
  expect(isWhole(column!)).toBe(false);
});

test('a field that no record has is named, once there was a record', () => {
  const fields = parseFieldSelection(selected(['id', 'filenam', 'b', 'toString']));
  expect(fields.unseen()).toStrictEqual([]);
  fields.pick(record);
  fields.pick({ b: null });
  expect(fields.unseen().map(({ path }) => path)).toStrictEqual(['filenam', 'toString']);
});
