// Walks over foreign conversation lists on a port: rows, IDs and bodies of any form, hostile text, cursors that lead nowhere.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { arx, dataOf } from '../support/command.ts';
import { serveList, type CursorServerOptions } from '../support/cursor-server.ts';
import { tempFolder } from '../support/temp-folder.ts';
import type { Misbehaving } from '../support/misbehaving-server.ts';

const SIZE = 90;
/** Read in pages of ten, so that rows of every form come to be cursors. */
const LIMIT = 10;

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('rows')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function walked(options: CursorServerOptions) {
  server = await serveList(options);
  const line = `--base-url ${server.url} conversations walk --limit ${LIMIT} --json`;
  const ran = await arx(dir, line, { env: { ARX_TOKEN: 'tok_any' } });
  return { ...ran, rows: dataOf(ran), requests: server.requests.length };
}

type Row = { id: string; sequence?: number };
const rowsWith = (idOf: (n: number) => string, positionOf?: (n: number) => number): Row[] =>
  Array.from({ length: SIZE }, (_, n) => ({
    id: idOf(n),
    ...(positionOf === undefined ? {} : { sequence: positionOf(n) }),
  }));
const plainId = (n: number) => `conv_${n + 1}`;

const BODIES: [string, NonNullable<CursorServerOptions['body']>][] = [
  ['status and data', (data) => ({ status: 'stable', data })],
  ['a list with has_more', (data, has_more) => ({ object: 'list', data, has_more })],
  ['items and next', (items, more) => ({ items, next: more ? 'opaque' : null })],
  ['a bare array', (rows) => rows],
];
const POSITIONS: [string, ((n: number) => number) | undefined][] = [
  ['no positions', undefined],
  ['dense positions', (n) => n + 1],
  ['sparse positions', (n) => 7 * n + (n % 3)],
  // What a row says of its place is a word like any other: where it is wrong the reads decide.
  ['the same position for all', () => 4],
  ['positions backward', (n) => SIZE - n],
  ['positions in pairs the wrong way round', (n) => (n % 2 === 0 ? n + 1 : n - 1)],
];

describe.each(BODIES)('%s', (_, body) => {
  test.each(POSITIONS)('%s', async (__, positionOf) => {
    const rows = rowsWith(plainId, positionOf);
    const { exit, rows: shown } = await walked({ rows, body });
    expect({ exit, shown }).toEqual({ exit: 0, shown: rows });
  });
});

describe('ids', () => {
  test.each<[string, (n: number) => string]>([
    ['numbers', (n) => String(n)],
    ['numbers with zeros before them', (n) => String(n).padStart(9, '0')],
    ['UUIDs', (n) => `0b1e55ed-0000-4000-8000-${String(n * 7919).padStart(12, '0')}`],
    ['other scripts', (n) => `беседа-会話-🎈-${n}`],
    ['letters in two parts beside the same in one', (n) => (n % 2 ? `e\u0301${n - 1}` : `\u00e9${n}`)],
    ['spaces', (n) => ` row ${n} `],
    ['slashes', (n) => `../a/${n}//b`],
    ['percent signs', (n) => `100%${n}%2F%`],
    ['what addresses are made of', (n) => `?a=${n}&b=#+;:@`],
    ['quotes, newlines and NUL', (n) => `"'\\\n\r\t\0${n}`],
    ['names that objects have', (n) => ['__proto__', 'constructor', 'toString', 'null'][n] ?? `hasOwn${n}`],
    ['nearly 1,000 letters', (n) => `${'x'.repeat(990)}${n}`],
  ])('%s', async (_, idOf) => {
    const rows = rowsWith(idOf);
    const { exit, rows: shown } = await walked({ rows });
    expect({ exit, shown }).toEqual({ exit: 0, shown: rows });
  });
});

describe('words that lie', () => {
  test.each<[string, NonNullable<CursorServerOptions['body']>]>([
    ['has_more is never', (data) => ({ data, has_more: false })],
    ['nothing but drift', (data, has_more) => ({ data, has_more, drift_ratio: 1 })],
    ['drift beyond all', (data, has_more) => ({ data, has_more, drift_ratio: -7.5e300 })],
  ])('%s: not believed', async (_, body) => {
    const rows = rowsWith(plainId);
    const { exit, rows: shown, requests } = await walked({ rows, body });
    expect({ exit, shown }).toEqual({ exit: 0, shown: rows });
    expect(requests).toBeLessThan(5 * (SIZE / LIMIT));
  });
});

describe('pages of another size than asked', () => {
  test.each([
    ['three times as large', (asked: number) => 3 * asked],
    ['all the rest', () => SIZE],
    ['one row', () => 1],
  ])('%s', async (_, limit) => {
    const rows = rowsWith(plainId);
    const { exit, rows: shown, requests } = await walked({ rows, limit });
    expect({ exit, shown }).toEqual({ exit: 0, shown: rows });
    expect(requests).toBeLessThan(5 * SIZE);
  });
});

test('every page says that there is more: seen through', async () => {
  const rows = rowsWith(plainId);
  const walk = await walked({ rows, body: (data) => ({ data, has_more: true }) });
  expect([walk.exit, walk.rows]).toEqual([0, rows]);
});

test.each<[string, Partial<CursorServerOptions>]>([
  ['no cursor is seen', { after: 'ignores', before: 'ignores' }],
  ['starting_after is not seen', { after: 'ignores' }],
  ['ending_before is not seen', { before: 'ignores' }],
  ['every page is empty and has more', { limit: () => 0, body: (data) => ({ data, has_more: true }) }],
  ['has_more is the contrary', { body: (data, more) => ({ data, has_more: !more }) }],
])('%s: ends in bounds, and says nothing untrue', async (_, options) => {
  const rows = rowsWith(plainId);
  const { exit, rows: shown, requests } = await walked({ rows, ...options });
  expect(shown).toEqual(rows.slice(0, exit === 0 ? SIZE : shown.length));
  // Without starting_after nothing can be proved; without ending_before the list can be read forward.
  expect(options.after === undefined ? [0, 8, 11] : [3, 8, 11]).toContain(exit);
  expect(requests).toBeLessThan(SIZE);
});
