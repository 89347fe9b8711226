// `arx sequence show` against services of other shapes: it shows what is there, and refuses what is no sequence.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../../src/arx.ts';
import { arx, dataOf } from '../../support/command.ts';
import { serveList } from '../../support/cursor-server.ts';
import { fakeWorld } from '../../support/fake-world.ts';
import { always, answer, misbehave, type Misbehaving } from '../../support/misbehaving-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
let server: Misbehaving | undefined;
beforeEach(() => void (dir = tempFolder('sequence')));
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function shown(body: unknown, flags = '') {
  server = await misbehave(always(answer(200, JSON.stringify(body))));
  const env = { ARX_TOKEN: 'tok_any' };
  return arx(dir, `--base-url ${server.url} sequence show arc_reconstruction ${flags}`, { env });
}

const ENTRIES = [
  { id: 'entry_1', sequence: 2, source: 'gateway', status: 'stable' },
  { id: 'entry_2', sequence: 1, source: 'local', status: 'partial' },
];

describe('entries at any place', () => {
  test.each<[string, unknown]>([
    ['entries', { name: 'arc_reconstruction', integrity: 0.5, drift_ratio: 0.1, entries: ENTRIES }],
    ['a bare array', ENTRIES],
    ['entries in data', { data: { name: 'x', entries: ENTRIES } }],
    ['JSON:API', { data: ENTRIES.map(({ id, ...attributes }) => ({ type: 'entries', id, attributes })) }],
  ])('%s', async (_, body) => {
    const { exit, stdout } = await shown(body, '-o tsv --fields id,sequence,source,status');
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: 'entry_1\t2\tgateway\tstable\nentry_2\t1\tlocal\tpartial\n',
    });
  });
});

test('a table has the columns that exist, and no plot without checked positions', async () => {
  const { exit, stdout } = await shown(
    { name: 'x', drift_ratio: 0.13, entries: ENTRIES },
    '-o table --no-color',
  );
  expect(exit).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'ID       REPORTED  SOURCE   STATUS',
    '───────  ────────  ───────  ───────',
    'entry_1         2  gateway  stable',
    'entry_2         1  local    partial',
    '',
  ]);
});

test('as JSON: the entries as they are and the reported position, the facts of the body, and no count of what is not known', async () => {
  const { stdout } = await shown(
    { name: 'x', integrity: 0.5, drift_ratio: 0.13, entries: ENTRIES },
    '--json',
  );
  expect(JSON.parse(stdout)).toEqual({
    data: ENTRIES.map((entry) => ({ ...entry, reported: entry.sequence })),
    name: 'x',
    integrity: 0.5,
    drift_ratio: 0.13,
    summary: { rows: 2, withheld: 0, has_more: null, complete: false },
  });
});

test('texts as entries', async () => {
  const { exit, stdout } = await shown({ entries: ['entry_2', 'entry_1'] }, '-o tsv');
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: 'entry_2\nentry_1\n' });
});

test('entries without ids: one page is shown, all of them cannot be read', async () => {
  const entries = [{ place: 1 }, { place: 1 }];
  const page = await shown({ entries }, '--json');
  expect({ exit: page.exit, rows: dataOf(page) }).toEqual({ exit: 0, rows: entries });
  await server?.close();
  const all = await shown({ entries }, '--all');
  expect(all).toMatchObject({ exit: 11, stdout: '' });
  expect(all.stderr).toContain('the entries of this sequence have no ids');
});

test.each<[string, unknown, string]>([
  ['one record', { name: 'arc_reconstruction', status: 'stable' }, 'answer has no list in it'],
  ['an error', { error: 'no such sequence' }, 'says error no such sequence'],
  ['a text', 'x', 'answer is no list'],
])('%s is none', async (_, body, words) => {
  const { exit, stdout, stderr } = await shown(body);
  expect({ exit, stdout }).toEqual({ exit: 11, stdout: '' });
  expect(stderr).toContain(words);
});

test.each(['ndjson', 'tsv', 'csv'])('--all prints entries while they are read: %s', async (form) => {
  const printed: string[] = [];
  const rows = Array.from({ length: 300 }, (_, at) => ({
    id: `entry_${at + 1}`,
    reported: at + 1,
    checked: at + 1,
    offset: 0,
    source: 'gateway',
    status: 'stable',
  }));
  server = await serveList({ rows, gate: () => void printed.push(world.stdoutText()) });
  const argv = `--base-url ${server.url} sequence show arc_reconstruction --all --limit 8 -o ${form}`;
  const world = fakeWorld({ dir, argv: argv.split(' '), env: { ARX_TOKEN: 'tok_any', LANG: 'C.UTF-8' } });
  expect(await run(world)).toBe(0);
  expect(world.stdoutText()).toContain('entry_300');
  expect(printed.at(-1)).toContain('entry_1');
});
