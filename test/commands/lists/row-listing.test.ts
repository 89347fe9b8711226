// `--name`, `--from`, `--subject`, `--since`, `--until`, `--min-bytes`, `--sort` and `--all` of the three lists.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { exactRows } from '../../../src/commands/lists/exact-rows.ts';
import { rowsToShow } from '../../../src/commands/lists/row-listing.ts';
import { arx, recordsOf, type Ran } from '../../support/command.ts';
import { serveList, type CursorServerOptions } from '../../support/cursor-server.ts';
import { sampleData } from '../../support/sample.ts';
import { serve, tokenOf } from '../../support/served.ts';
import { answer } from '../../support/misbehaving-server.ts';
import { requestsFor, serveStranger } from '../../support/stranger.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };
let dir: string;
/** All rows of each list of the sample archive, in order. */
const all: Record<string, Row[]> = {};
type Row = Record<string, any> & { id: string };

beforeAll(async () => {
  dir = tempFolder('row-listing');
  await sampleData(join(dir, 'data'));
  for (const [name, line] of [
    ['attachments', 'attachments ls --all'],
    ['messages', 'messages ls --walk'],
    ['conversations', 'conversations walk'],
  ] as const)
    all[name] = recordsOf(await arx(dir, `${line} -o ndjson`)) as Row[];
});

const idsIn = (ran: Ran): unknown[] => recordsOf(ran).map(({ id }) => id);
const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id);

test.each(['messages', 'conversations', 'attachments'])(
  'a list of all %s that is cut says no total, which it did not read, and that more follow',
  async (name) => {
    const ran = await arx(dir, `${name} ls --all --max-rows 7 -o json`);
    expect(ran.exit).toBe(3);
    const { summary } = JSON.parse(ran.stdout) as { summary: object };
    expect(summary).toMatchObject({ rows: 7, has_more: true, complete: false });
    expect(summary).not.toHaveProperty('total');
  },
);

test.each(['--all', '--walk', '--limit 500', '--count'])(
  'messages ls %s is not complete where rows may match that do not show the value',
  async (how) => {
    const home = tempFolder('row-listing-tier');
    await sampleData(join(home, 'data'));
    expect((await arx(home, 'login --client-id b --observer-tier external')).exit).toBe(0);
    const { stdout } = await arx(home, `messages ls ${how} --from nobody -o json`);
    const said = JSON.parse(stdout) as { summary?: object };
    expect(said.summary ?? said).toMatchObject({ complete: false });
  },
);

test.each([
  ['messages ls --from marshh', 'no row has from "marshh"; did you mean --from marsh?'],
  [
    'messages ls --all --from "edie marshh"',
    'no row has from "edie marshh"; did you mean --from \'edie marsh\'?',
  ],
  ['messages ls --from xyzzyx -o json', 'no row has from "xyzzyx"'],
  ['messages ls --subject weathr --count', 'no row has subject "weathr"; did you mean --subject weather?'],
  ['conversations ls --subject weathr', 'no row has subject "weathr"; did you mean --subject weather?'],
  ['attachments ls --from marshh', 'no row has from "marshh"; did you mean --from marsh?'],
  ['attachments types --from marshh', 'no row has from "marshh"; did you mean --from marsh?'],
  // Some row has these words, but none of that time.
  ['messages ls --from marsh --since 2050', undefined],
])('what was meant by words that no row has: %s', async (line, said) => {
  const text = said === undefined ? '' : `arx: ${said}\n`;
  expect(await arx(dir, line, { env: { LANG: 'C.UTF-8' } })).toMatchObject({ exit: 0, stderr: text });
  expect(await arx(dir, `${line} --strict`)).toMatchObject({
    exit: 6,
    stderr: expect.stringContaining(`${text}arx: no row matches [not_found, exit 6]\n`),
  });
});

test.each(['', '--all'])('only printed rows are counted as withheld: ls %s', async (how) => {
  const ran = await arx(dir, `attachments ls --redacted yes ${how} --max-rows 2 -o json --strict`);
  expect(JSON.parse(ran.stdout)).toMatchObject({ summary: { rows: 2, withheld: 2, complete: false } });
  expect(ran.stderr).toContain('2 of 2 rows are withheld');
});

test.each(['messages', 'conversations'])('only printed rows are counted as withheld: %s', async (name) => {
  const home = tempFolder('row-listing-printed');
  await sampleData(join(home, 'data'));
  expect((await arx(home, 'login --client-id b --observer-tier external')).exit).toBe(0);
  const rows = JSON.parse((await arx(home, `${name} ls --limit 500 -o json`)).stdout) as { data: Row[] };
  const first = rows.data.findIndex(({ status }) => status === 'withheld');
  expect(first).toBeGreaterThan(0);
  const ran = await arx(home, `${name} ls --all --max-rows ${first} --strict`);
  expect(ran.stderr).not.toContain('withheld');
});

test.each([
  'attachments ls --limit 500',
  'attachments ls --all',
  'messages ls --limit 500',
  'messages ls --all',
  'messages ls --sort date --limit 500',
  'messages ls --walk',
  'conversations ls --limit 500',
  'conversations ls --all',
  'conversations walk',
])('a list with withheld rows is partial, however it is read: %s', async (line) => {
  const home = tempFolder('row-listing-status');
  await sampleData(join(home, 'data'));
  for (const [tier, isPartial] of [
    ['external', true],
    ['mirror', line.startsWith('attachments')],
  ] as const) {
    expect((await arx(home, `login --client-id b --observer-tier ${tier}`)).exit).toBe(0);
    const { status, summary } = JSON.parse((await arx(home, `${line} -o json`)).stdout) as {
      status: string;
      summary: { withheld: number };
    };
    expect([status, summary.withheld > 0]).toEqual([isPartial ? 'partial' : 'stable', isPartial]);
  }
});

test('rows that fail in the middle have no total, and are not all', async () => {
  async function* matching() {
    yield [{ id: 'a' }];
    throw new Error('interrupted');
  }
  const shown = rowsToShow(matching(), undefined, { all: true });
  const read = async () => {
    for await (const _ of shown.pages);
  };
  await expect(read()).rejects.toThrow('interrupted');
  expect([shown.total(), shown.isAll()]).toEqual([undefined, false]);
});

describe('conversations ls --matching', () => {
  test('names the conversations of the messages that a search finds, and how many these are', async () => {
    const found = recordsOf(await arx(dir, 'search the --all -o ndjson'));
    const hits = new Map<string, number>();
    for (const row of found) {
      const id = String(row['conversation_id']);
      hits.set(id, (hits.get(id) ?? 0) + 1);
    }
    expect(found.length).toBeGreaterThan(hits.size);
    const rows = recordsOf(await arx(dir, 'conversations ls --matching the --all -o ndjson'));
    const expected = all['conversations']!.filter(({ id }) => hits.has(id));
    expect(rows.map(({ id, hits: count }) => [id, count])).toEqual(
      expected.map(({ id }) => [id, hits.get(id)]),
    );
    const most = await arx(dir, 'conversations ls --matching the --sort -hits --limit 1 -o table');
    expect(most.stdout).toMatch(/^ID +HITS +MESSAGES /);
    expect(most.stdout).toContain(` ${Math.max(...hits.values())} `);
    const count = await arx(dir, 'conversations ls --matching the --count');
    expect(count.stdout).toBe(`${hits.size}\n`);
    const facet = recordsOf(await arx(dir, 'search the --facet conversation --limit 500 -o ndjson'));
    expect(new Map(facet.map(({ value, messages }) => [value, messages]))).toEqual(hits);
    const subjects = new Map(expected.map(({ id, subject }) => [id, subject]));
    for (const { value, subject } of facet) expect(subject).toBe(subjects.get(value));
  });

  test('finds nothing, and says why', async () => {
    const ran = await arx(dir, 'conversations ls --matching nosuchword -o ndjson');
    expect(ran).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: 'arx: no message matches; 6 files are withheld from you, not searched\n',
    });
  });
});

describe('rows that match', () => {
  const from = (text: string) => (row: Row) => String(row['from']).includes(text);
  test.each<[line: string, name: string, matches: (row: Row) => boolean]>([
    ['attachments ls --name *.PDF', 'attachments', ({ filename }) => filename.endsWith('.pdf')],
    [
      'attachments ls --name *-0[0-5]?-* --type image/png',
      'attachments',
      (row) => /-0[0-5]\d-/.test(row['filename']) && row['content_type'] === 'image/png',
    ],
    ['attachments ls --min-bytes 0.7kB', 'attachments', ({ bytes }) => bytes >= 700],
    ['messages ls --from carvalho', 'messages', from('Carvalho')],
    ['messages ls --from TOMAS', 'messages', from('Tomás')],
    ['messages ls --from "marsh edie@ho*"', 'messages', from('Edie Marsh')],
    ['messages ls --subject "dome motor"', 'messages', ({ subject }) => /dome motor/.test(subject)],
    ['messages ls --since 2019-04 --until 2019-04-10', 'messages', ({ date }) => /^2019-04-0\d/.test(date)],
    [
      'messages ls --since 2019-03-02T02:00:00Z --until 2019-03-02T23:02:00Z',
      'messages',
      ({ id }) => ['msg_2', 'msg_3'].includes(id),
    ],
    [
      'conversations ls --since 2019-05',
      'conversations',
      ({ last_at }) => Date.parse(last_at) >= Date.UTC(2019, 4, 1),
    ],
    [
      'conversations ls --until 2019-03-05',
      'conversations',
      ({ started_at }) => Date.parse(started_at) < Date.UTC(2019, 2, 5),
    ],
    ['messages ls --on 2019-04', 'messages', ({ date }) => String(date).startsWith('2019-04')],
    [
      'conversations ls --on 2019-04',
      'conversations',
      ({ started_at, last_at }) =>
        Date.parse(started_at) < Date.UTC(2019, 4, 1) && Date.parse(last_at) >= Date.UTC(2019, 3, 1),
    ],
    ['conversations ls --subject timing', 'conversations', ({ subject }) => /Timing/.test(subject)],
  ])('%s', async (line, name, matches) => {
    const expected = idsOf(all[name]!.filter((row) => matches(row)));
    expect(expected.length).toBeGreaterThan(1);
    const whole = await arx(dir, `${line} --all -o ndjson`);
    expect({ exit: whole.exit, ids: idsIn(whole) }).toEqual({ exit: 0, ids: expected });
    const page = await arx(dir, `${line} --limit 2 -o ndjson`);
    expect(idsIn(page)).toEqual(expected.slice(0, 2));
    if (expected.length > 2) {
      expect(page.stderr).toContain(`more rows follow; next page: arx ${line.split(' ', 2).join(' ')} `);
      expect(page.stderr).toContain(` --after ${expected[1]}; all rows: arx `);
      const next = await arx(dir, `${line} --limit 500 --after ${expected[1]} -o ndjson`);
      expect(idsIn(next)).toEqual(expected.slice(2));
    }
  });

  test.each(['--from carvalho', '--from "edie mar*"', '--subject glass', '--since 2019-04-20'])(
    'messages ls %s lists what arx search does',
    async (option) => {
      const searched = await arx(dir, `search ${option} --sort oldest --all -o ndjson`);
      const listed = await arx(dir, `messages ls ${option} --all -o ndjson`);
      expect(idsIn(listed).length).toBeGreaterThan(1);
      expect(new Set(idsIn(listed))).toEqual(new Set(idsIn(searched)));
    },
  );

  test('in a walk', async () => {
    const walked = await arx(dir, 'messages ls --walk --from carvalho -o ndjson');
    const listed = await arx(dir, 'messages ls --all --from carvalho -o ndjson');
    expect({ exit: walked.exit, ids: idsIn(walked) }).toEqual({ exit: 0, ids: idsIn(listed) });
  });
});

describe('--type, --city and --source say how many files show no value', () => {
  /** Of a pattern the rows of the list tell, also those that have none. */
  const left = (line: string) =>
    line.includes('*')
      ? '6 rows have no type, or the service does not show it: left out; arx attachments ls --type none lists them'
      : '6 withheld rows do not show their type: they may match, and are left out; arx attachments ls --type none --redacted yes';
  const withheld = () => all['attachments']!.filter(({ redacted }) => redacted === true);

  test.each([
    'ls --type image/png',
    'ls --type image/png --all',
    'ls --type image/png --count',
    'ls --type image/png --sort filename',
    'ls --type image/*  --all',
    'ls --type none/such',
    'ls --type image/png --redacted yes',
    'cities --type image/png',
    'cities --type image/*',
  ])('%s', async (line) => {
    const { exit, stderr } = await arx(dir, `attachments ${line} -o ndjson`);
    expect({ exit, stderr }).toMatchObject({ exit: 0, stderr: expect.stringContaining(left(line)) });
    expect(stderr.split('left out')).toHaveLength(2);
    expect((await arx(dir, `attachments ${line} -o ndjson --strict`)).exit).toBe(3);
    const named = await arx(dir, 'attachments ls --type none --all -o ndjson');
    expect(idsIn(named)).toEqual(idsOf(withheld()));
  });

  test.each([
    ['ls --city lisbon', 'city'],
    ['ls --source local --all', 'source'],
    ['cities --city lisbon', 'city'],
    ['ls --type image/png --city lisbon', 'city and type'],
    ['pull --city lisbon --dry-run', 'city'],
  ])('%s', async (line, columns) => {
    const { stderr } = await arx(dir, `attachments ${line} -o ndjson`);
    const options = columns.split(' and ').map((column) => ` --${column} none`);
    expect(stderr).toContain(
      `6 withheld rows do not show their ${columns}: they may match, and are left out; arx attachments ls${options.join('')} --redacted yes lists them`,
    );
    expect((await arx(dir, `attachments ${line} -o ndjson --strict`)).exit).toBe(3);
    const named = await arx(dir, `attachments ls${options.join('')} --redacted yes --all -o ndjson`);
    expect(idsIn(named)).toEqual(idsOf(withheld()));
  });

  test.each([
    ...['--type image/png', '--type image/*', '--city lisbon', '--source local'].flatMap((option) =>
      ['', ' --all', ' --sort filename', ' --count'].map((how) => `ls ${option}${how}`),
    ),
    ...['cities', 'types', 'senders', 'sources'].map((command) => `${command} --city lisbon`),
  ])('%s is not complete, and claims of no row that it is not withheld', async (line) => {
    const { exit, stdout, stderr } = await arx(dir, `attachments ${line} -o json --strict`);
    const said = JSON.parse(stdout) as { summary?: { complete: boolean; withheld: number | null } };
    const { summary = said } = said;
    expect({ exit, summary }, stderr).toMatchObject({ exit: 3, summary: { complete: false } });
    expect(summary).not.toMatchObject({ withheld: 0 });
    const table = line.includes('--count') ? undefined : await arx(dir, `attachments ${line} -o table`);
    if (table === undefined) return;
    expect(table.stderr).toContain('not complete');
    expect(table.stderr).not.toContain('0 withheld');
  });

  test.each(['--redacted no', '--all', '--city none'])(
    'ls %s is complete where every row that matches is shown',
    async (options) => {
      const { stdout } = await arx(dir, `attachments ls --limit 500 --type none --redacted yes -o json`);
      const rows = (JSON.parse(stdout) as { data: Row[] }).data.length;
      const other = await arx(
        dir,
        `attachments ls --limit 500 ${options} -o json`.replace('--limit 500 --all', '--all'),
      );
      const { summary } = JSON.parse(other.stdout) as { summary: object };
      const shown = options === '--redacted no' ? 0 : rows;
      expect(summary).toMatchObject({ complete: true, withheld: shown });
    },
  );

  test('attachments verify --against catalogue does not know whether the folder is complete', async () => {
    const folder = tempFolder('row-listing-verify');
    await arx(dir, `attachments pull --city lisbon --to ${folder}`);
    const ran = await arx(
      dir,
      `attachments verify ${folder} --against catalogue --city lisbon --strict -o json`,
    );
    expect({ exit: ran.exit, ...JSON.parse(ran.stdout) }, ran.stderr).toMatchObject({
      exit: 3,
      fixity: 'ok',
      completeness: 'unknown',
    });
  });

  test('of those that nothing else excludes', async () => {
    const [one] = withheld();
    const { message_id: message, filename } = one!;
    for (const options of [`--name ${filename}`, `--message ${message}`]) {
      const { stderr } = await arx(dir, `attachments ls --type image/png ${options}`);
      expect(stderr, options).toContain(
        `1 withheld row does not show its type: it may match, and is left out; arx attachments ls --type none --redacted yes ${options} lists it`,
      );
    }
  });

  test('at least, where the service reports drift', async () => {
    const home = tempFolder('row-listing-drift');
    await sampleData(join(home, 'data'));
    const service = await serve(home, ['--drift', '0.21', '--drift-seed', '5']);
    try {
      const ours = { env: { ...env, ARX_TOKEN: await tokenOf(service.base_url, service.owner) } };
      const line = `attachments cities --city lisbon --base-url ${service.base_url}`;
      expect((await arx(home, line, ours)).stderr).toMatch(
        /arx: at least \d withheld rows? do(?:es)? not show/,
      );
    } finally {
      await service.close();
    }
  });

  test.each(['', '--type none', '--type image/png --redacted no', '--type image/png --name x'])(
    'not for %s',
    async (options) => {
      expect((await arx(dir, `attachments ls ${options}`)).stderr).not.toMatch(/no type|their type/);
    },
  );
});

describe('--sort', () => {
  const sizes = (rows: Row[]): unknown[] => rows.map(({ bytes }) => bytes);
  test('orders the whole list and shows its first rows; rows without the value stand last', async () => {
    const known = sizes(all['attachments']!.filter(({ bytes }) => bytes !== null)).toSorted(
      (a, b) => Number(b) - Number(a),
    );
    const first = await arx(dir, 'attachments ls --sort -bytes --limit 5 --json');
    const { data, summary } = JSON.parse(first.stdout);
    expect(sizes(data)).toEqual(known.slice(0, 5));
    expect(summary).toMatchObject({
      rows: 5,
      total: all['attachments']!.length,
      has_more: true,
      complete: false,
    });
    const whole = JSON.parse((await arx(dir, 'attachments ls --sort bytes --all --json')).stdout);
    expect(sizes(whole.data).slice(0, known.length)).toEqual(known.toReversed());
    expect(sizes(whole.data).slice(known.length)).toEqual(Array(6).fill(undefined));
    expect(whole.summary).toMatchObject({ rows: 51, total: 51, complete: true });
  });

  test.each<[line: string, name: string, key: (row: Row) => string | number]>([
    ['attachments ls --sort filename', 'attachments', ({ filename }) => filename],
    ['messages ls --sort from', 'messages', (row) => row['from'].toLowerCase()],
    ['messages ls --sort -date', 'messages', ({ date }) => -Date.parse(date)],
    ['conversations ls --sort -messages', 'conversations', (row) => -row['message_count']],
    ['conversations ls --sort last', 'conversations', (row) => Date.parse(row['last_at'])],
  ])('%s', async (line, name, key) => {
    const expected = all[name]!.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
    expect(idsIn(await arx(dir, `${line} --all -o ndjson`))).toEqual(idsOf(expected));
    const few = await arx(dir, `${line} --limit 3 -o ndjson`);
    expect(idsIn(few)).toEqual(idsOf(expected.slice(0, 3)));
    expect(few.stderr).toContain(`3 of ${expected.length} rows; more: --limit COUNT; all rows: arx `);
  });
});

test.each<[line: string, message: string]>([
  ['messages ls --sort dat', 'did you mean: date'],
  ['attachments ls --sort -byte', 'did you mean: -bytes'],
  ['messages ls --sort date --after msg_1', '--sort does not go with --after'],
  ['messages ls --walk --sort date', '--walk does not go with --sort'],
  ['messages ls --walk --all', '--walk does not go with --all'],
  ['messages ls --since 2019-13', 'there is no month 13'],
  ['conversations ls --until soon', '"soon" is no date'],
  ['messages ls --since 2021 --until 2020', 'no date matches both --since 2021 and --until 2020'],
  ['messages ls --since 2020 --until 2020', 'no date matches both --since 2020 and --until 2020'],
  ['messages ls --on 2020 --until 2019-03', 'no date matches both --on 2020 and --until 2019-03'],
  ['messages ls --on 2019 --since 2020', 'no date matches both --since 2020 and --on 2019'],
  ['messages ls --walk --since 5d --until 2w', 'no date matches both --since 5d and --until 2w'],
  ['attachments ls --since 2021 --until 2020', 'no date matches both --since 2021 and --until 2020'],
  ['attachments types --since 2021 --until 2020', 'no date matches both --since 2021 and --until 2020'],
  ['attachments pull --to x --since 2021 --until 2020', 'no date matches both --since 2021'],
  ['attachments ls --matching "a since:2021 on:2020"', 'no date matches both since:2021 and on:2020'],
  ['search a --since 2021 --before 2020', 'no date matches both since:2021 and before:2020'],
  ['search "since:2021 a before:2020"', 'hint: before: is the first date left out'],
  ['conversations ls --sort hits', '--sort hits goes with --matching QUERY'],
  ['conversations ls --matching "("', '--matching, character'],
  ['messages ls --from "()"', 'has no letter or digit to search for'],
  ['attachments ls --min-bytes many', 'must be a size such as'],
  ['messages ls --before 2019-03', '--until 2019-03'],
  ['attachments ls --after 2019', '--since 2019'],
])('%s: exit 2', async (line, message) => {
  const { exit, stdout, stderr } = await arx(dir, line);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test.each([
  'conversations ls --since 2019-03-03 --until 2019-03-02',
  'search "the since:2019-03 -since:2019-04"',
  'search "the -before:2019-03 before:2019-04"',
])('%s: some rows are on both sides', async (line) => {
  const ran = await arx(dir, `${line} -o ndjson`);
  expect(ran.exit).toBe(0);
  expect(idsIn(ran)).not.toEqual([]);
});

test.each([
  ['attachments ls', 'attachments'],
  ['attachments ls --name *.pdf', 'attachments'],
  ['messages ls', 'messages'],
  ['messages ls --from carvalho', 'messages'],
  ['conversations ls', 'conversations'],
  ['conversations ls --since 2019-04', 'conversations'],
])('%s --count is the number of rows of --all', async (line) => {
  const rows = idsIn(await arx(dir, `${line} --all -o ndjson`)).length;
  expect(rows).toBeGreaterThan(0);
  for (const all of ['', ' --all'])
    expect(await arx(dir, `${line} --count${all}`)).toMatchObject({
      exit: 0,
      stdout: `${rows}\n`,
      stderr: '',
    });
  const { stdout } = await arx(dir, `${line} --count --json`);
  expect(JSON.parse(stdout)).toEqual({ total: rows, complete: true });
  for (const option of ['--limit 3', '--sort -date', '--after x', '--before x'])
    expect((await arx(dir, `${line} --count ${option}`)).exit).toBe(2);
});

describe('--limit with --all', () => {
  const LISTS = ['attachments ls', 'messages ls', 'conversations ls', 'sequence show arc_reconstruction'];

  test.each(LISTS)('%s: all rows, and a notice of what --limit is', async (line) => {
    const whole = await arx(dir, `${line} --all`);
    const ran = await arx(dir, `${line} --all --limit 2`);
    expect([ran.exit, ran.stdout]).toEqual([whole.exit, whole.stdout]);
    expect(ran.stderr).toContain(
      'arx: with --all, --limit is the rows of each request; the first 2 rows: --max-rows 2\n',
    );
    expect(whole.stderr).not.toContain('--limit');
  });

  test.each([...LISTS.slice(0, 3).map((line) => `${line} --sort -id`), 'search the'])(
    '%s: exit 2',
    async (line) => {
      const sorted = line.replace('-id', line.startsWith('conv') ? 'started' : 'date');
      expect(await arx(dir, `${sorted} --all --limit 2`)).toMatchObject({
        exit: 2,
        stdout: '',
        stderr: expect.stringMatching(/--all .*--limit/),
      });
    },
  );
});

describe('totals', () => {
  test.each([
    ['attachments ls --limit 2', '2 of 51 rows · 0 withheld · more rows follow'],
    ['messages ls --limit 1', '1 of 192 rows · 0 withheld · more rows follow'],
    ['conversations ls --limit 500', '60 rows · 0 withheld · complete'],
    ['messages ls --from carvalho --sort date --limit 4', '4 of 29 rows · 0 withheld · more rows follow'],
    // How many rows match is not known before all were read.
    ['messages ls --from carvalho --limit 4', '4 rows · 0 withheld · more rows follow'],
    ['attachments ls --city lisbon --limit 1', '1 row · more rows follow'],
  ])('%s: %s', async (line, summary) => {
    expect((await arx(dir, `${line} -o table`)).stderr).toContain(summary);
  });

  test('that another service states, where they can be right', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({ id: `m${n}` }));
    const stating = (total: number) => (data: readonly unknown[], has_more: boolean) => ({
      data,
      has_more,
      total,
    });
    for (const [total, shown] of [
      [30, '5 of 30 rows'],
      [3, '5 rows'],
    ] as const) {
      const server = await serveStranger({ lists: { '/messages': rows }, body: stating(total) });
      const { stderr } = await arx(dir, `messages ls --limit 5 -o table --base-url ${server.url}`, { env });
      await server.close();
      expect(stderr).toContain(shown);
    }
  });
});

describe('rows that do not show the value', () => {
  const rows = [
    { id: 'a', filename: 'a.pdf', redacted: false, bytes: 5 },
    { id: 'b', filename: 'b', redacted: true, file_url: null },
    { id: 'c', redacted: true, file_url: null },
    { id: 'd', file_name: 'd.pdf', redacted: false, size: 7 },
  ];
  async function listed(line: string, options: Partial<CursorServerOptions> = {}): Promise<Ran> {
    const server = await serveList({ rows, ...options });
    try {
      return await arx(dir, `${line} -o ndjson --base-url ${server.url}`, { env });
    } finally {
      await server.close();
    }
  }

  test('are left out and counted; a withheld name that shows the id is no name', async () => {
    const { exit, stderr, ...ran } = await listed('attachments ls --all --name *');
    expect({ exit, ids: idsIn({ exit, stderr, ...ran }) }).toEqual({ exit: 0, ids: ['a', 'd'] });
    expect(stderr).toContain('2 rows have no filename, or the service does not show it: left out');
    expect((await listed('attachments ls --all --name * --strict')).exit).toBe(3);
  });

  test('also where the service has another name for it', async () => {
    expect(idsIn(await listed('attachments ls --min-bytes 6'))).toEqual(['d']);
    expect(idsIn(await listed('attachments ls --sort -bytes'))).toEqual(['d', 'a', 'b', 'c']);
  });

  test('of which there is no other: exit 3', async () => {
    const ran = await listed('messages ls --since 2019 --all');
    expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit: 3, stdout: '' });
    expect(ran.stderr).toContain('no row shows date, so none can be selected by it');
  });
});

describe('what it costs on a remote service is said before', () => {
  const rows = Array.from({ length: 600 }, (_, n) => ({
    id: `m${n}`,
    from: `Sender ${n % 7}`,
    date: `2020-01-01T00:00:${10 + (n % 50)}Z`,
  }));
  const counting = (data: readonly unknown[], has_more: boolean) => ({ data, has_more, total: rows.length });
  const plain = (data: readonly unknown[], has_more: boolean) => ({ data, has_more });
  async function listed(line: string, body: typeof plain) {
    const server = await serveStranger({ lists: { '/messages': rows }, body });
    try {
      const ran = await arx(dir, `${line} --base-url ${server.url}`, { env });
      return { ...ran, requests: server.requests.length };
    } finally {
      await server.close();
    }
  }
  const toldIn = ({ stderr }: Ran): number => Number(/about (\d+) requests/.exec(stderr)?.[1]);

  test.each(['messages ls --sort date', 'messages ls --from "sender 3" --all'])('%s', async (line) => {
    const known = await listed(line, counting);
    expect(known.stderr).toContain('needs the whole list: about ');
    expect(known.requests / toldIn(known)).toBeGreaterThan(0.7);
    expect(known.requests / toldIn(known)).toBeLessThan(1.4);
    const unknown = await listed(line, plain);
    expect(unknown.stderr).toContain('arx: needs the whole list\n');
    expect((await listed(`${line} -q`, counting)).stderr).toBe('');
  });

  test('at most, where the rows of a page are enough', async () => {
    const rare = await listed('messages ls --from "sender 3" --limit 85', counting);
    expect(rare.stderr).toContain('may need the whole list: at most about 6 requests');
    expect(rare.requests).toBeLessThan(9);
    const first = await listed('messages ls --since 2019 --limit 20', counting);
    expect(first.stderr).not.toContain('whole list');
    expect((await listed('messages ls --all', counting)).stderr).not.toContain('whole list');
  });

  test('nothing in the local archive', async () => {
    expect((await arx(dir, 'messages ls --sort date -o table')).stderr).not.toContain('whole list');
  });
});

describe('dates of files', () => {
  const dateOf = ({ message_id }: Row): string =>
    String(all['messages']!.find(({ id }) => id === message_id)!['date']);

  test('are those of their messages', async () => {
    const files = all['attachments']!;
    const late = files.filter((row) => dateOf(row) >= '2019-05');
    expect(late.length).toBeGreaterThan(2);
    expect(idsIn(await arx(dir, 'attachments ls --since 2019-05 -o ndjson'))).toEqual(idsOf(late));
    const early = await arx(dir, 'attachments ls --all --until 2019-05 -o ndjson');
    expect(idsIn(early)).toEqual(idsOf(files.filter((row) => dateOf(row) < '2019-05')));
    const sorted = files.toSorted((a, b) => Date.parse(dateOf(b)) - Date.parse(dateOf(a)));
    expect(idsIn(await arx(dir, 'attachments ls --sort -date --all -o ndjson'))).toEqual(idsOf(sorted));
    const table = await arx(dir, 'attachments ls --sort -date --limit 1 -o table');
    expect(table.stdout).toContain('2019-05-17 17:47');
  });

  const rows = [
    { id: 'a', message_id: 'm1', redacted: false },
    { id: 'b', message_id: 'm2', redacted: false, created_at: '2022-01-01T00:00:00Z' },
    { id: 'c', message_id: 'm3', redacted: true, file_url: null },
  ];
  const messages = [
    { id: 'm1', date: '2021-01-01T00:00:00Z' },
    { id: 'm2', date: '2000-01-01T00:00:00Z' },
  ];
  async function listed(lists: Record<string, Row[]>, line: string) {
    const server = await serveStranger({ lists });
    try {
      const ran = await arx(dir, `attachments ls ${line} -o ndjson --base-url ${server.url}`, { env });
      return { ...ran, ids: idsIn(ran), asked: requestsFor(server, '/messages').length };
    } finally {
      await server.close();
    }
  }

  test('of another service, and its own ones first', async () => {
    const lists = { '/v1/attachments': rows, '/messages': messages };
    const ran = await listed(lists, '--since 2021 --all');
    expect({ exit: ran.exit, ids: ran.ids }).toEqual({ exit: 0, ids: ['a', 'b'] });
    expect(ran.stderr).toContain('needs the whole list of messages');
    expect(ran.stderr).toContain('1 row has no date, or the service does not show it: left out');
    expect((await listed(lists, '--sort -date')).ids).toEqual(['b', 'a', 'c']);
    const own = await listed({ ...lists, '/v1/attachments': [rows[1]!] }, '--since 2021');
    expect({ ids: own.ids, asked: own.asked }).toEqual({ ids: ['b'], asked: 0 });
  });

  test('that cannot be listed: exit 3, with the rows that have one', async () => {
    const ran = await listed({ '/v1/attachments': rows }, '--since 2021 --all');
    expect({ exit: ran.exit, ids: ran.ids }).toEqual({ exit: 3, ids: ['b'] });
    expect(ran.stderr).toContain('files have the dates of their messages, which cannot be listed');
  });
});

test('the local archive: a row that comes again because it was moved meanwhile is one row', async () => {
  const pages = [['a', 'b'], ['c', 'a'], ['d']];
  const asked: unknown[] = [];
  const limits: unknown[] = [];
  const listing = exactRows(
    async ({ starting_after, limit }) => {
      asked.push(starting_after);
      limits.push(limit);
      const data = pages[asked.length - 1]!.map((id) => ({ id }));
      return { data, has_more: asked.length < pages.length };
    },
    ({ id }) => id,
    {
      isRemote: false,
      strict: false,
      log: () => {},
      notice: () => {},
      world: { signal: new AbortController().signal } as never,
    },
  );
  const ids: string[] = [];
  for await (const { id } of listing.rows) ids.push(id);
  expect({ ids, asked, complete: listing.complete() }).toEqual({
    ids: ['a', 'b', 'c', 'd'],
    asked: [undefined, 'b', 'a'],
    complete: true,
  });
  // Of the largest page, JSON takes several times as long a byte.
  expect(limits).toEqual([200, 200, 200]);
});

test.each(['attachments ls', 'attachments pull', 'attachments types', 'search x'])(
  '%s --type takes one type',
  async (line) => {
    const ran = await arx(dir, `${line} --type image/png,image/jpeg`);
    expect([ran.exit, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/--type:? takes one type; "image\/\*"/),
    ]);
  },
);

test.each(['conversations', 'messages', 'attachments'])(
  'all %s of a service whose ids are no cursors: the first page, and how to read on',
  async (name) => {
    const rows = Array.from({ length: 20 }, (_, index) => ({ id: `row_${index + 1}` }));
    const server = await serveStranger({
      lists: {},
      respond: (path, query) => {
        const cursor = query.get('starting_after');
        if (!path.endsWith(`/${name}`)) return answer(404, '{}');
        if (query.has('ending_before') || (cursor !== null && !/^seal:\d+$/.test(cursor)))
          return answer(400, '{"error":{"code":"invalid_cursor","message":"no cursor"}}');
        const from = Number(cursor?.slice(5) ?? 0);
        const next_cursor = from + 8 < rows.length ? `seal:${from + 8}` : null;
        return answer(200, JSON.stringify({ data: rows.slice(from, from + 8), next_cursor }));
      },
    });
    const ran = await arx(dir, `${name} ls --all -o ndjson --base-url ${server.url}`, { env });
    await server.close();
    expect([ran.exit, idsIn(ran).length]).toEqual([3, 8]);
    expect(ran.stderr).toContain(
      'the list is cut: more rows follow, and the ids of this service are no cursors',
    );
    expect(ran.stderr).toContain('hint: without --all, each page names the --after of the next');
  },
);
