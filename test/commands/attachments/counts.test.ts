// `arx attachments cities`, `types`, `sources`, `senders`, and cities that are asked for in another spelling.
import { join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { foldedCity } from '../../../src/commands/attachments/spelling.ts';
import { arx, recordsOf } from '../../support/command.ts';
import { serveList } from '../../support/cursor-server.ts';
import { sampleData } from '../../support/sample.ts';
import { serveStranger } from '../../support/stranger.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };
let dir: string;
beforeAll(async () => {
  dir = tempFolder('counts');
  await sampleData(join(dir, 'data'));
});

type Row = { id: string; redacted?: boolean; [name: string]: unknown };

/** Runs a command about a service that is not ours and lists these rows. */
async function about(rows: readonly Row[], line: string) {
  const server = await serveList({ rows: [...rows] });
  try {
    return await arx(dir, `${line} --base-url ${server.url}`, { env });
  } finally {
    await server.close();
  }
}

describe('bars', () => {
  const rows = [
    ...Array.from({ length: 8 }, (_, at) => ({ id: `a${at}`, origin_city: 'lisbon', redacted: at < 2 })),
    ...Array.from({ length: 4 }, (_, at) => ({ id: `b${at}`, origin_city: 'porto' })),
  ];
  const shown = async (columns: number | undefined, more: Record<string, string>, flags = '') => {
    const server = await serveList({
      rows: rows.map((row) => ({ ...row, sha256: 'a'.repeat(64), file_url: '/x' })),
    });
    try {
      const env = { ARX_TOKEN: 'tok_given', NO_COLOR: '1', ...more };
      const line = `attachments cities --base-url ${server.url} ${flags}`;
      return (await arx(dir, line, { env, ...(columns === undefined ? {} : { columns }) })).stdout.split(
        '\n',
      );
    } finally {
      await server.close();
    }
  };

  test('stand on a terminal only: as long as the files, solid as far as they are available', async () => {
    const wide = await shown(100, { LANG: 'C.UTF-8' });
    expect(wide[2]).toMatch(/^lisbon +8 {2}█{18}░{6} +6 +2/);
    expect(wide[3]).toMatch(/^porto +4 {2}█{12} +4 +0/);
    expect((await shown(80, { LC_ALL: 'C' }))[2]).toMatch(/^lisbon +8 {2}#{9}\.{3} +6 +2/);
    expect((await shown(40, { LANG: 'C.UTF-8' })).join('')).not.toContain('█');
    expect((await shown(undefined, { LANG: 'C.UTF-8' }, '-o table')).join('')).not.toContain('█');
    expect((await shown(undefined, {}))[0]).toBe('lisbon\t8\t6\t2\t0\t0');
  });
});

describe('counts', () => {
  test.each(['city', 'type', 'source'])('by %s are those of the rows of ls --all', async (name) => {
    const field = { city: 'origin_city', type: 'content_type', source: 'source' }[name]!;
    const command = { city: 'cities', type: 'types', source: 'sources' }[name]!;
    const listed = await arx(dir, 'attachments ls --all --json');
    const rows = JSON.parse(listed.stdout).data as Row[];
    expect(rows.length).toBeGreaterThan(5);
    const { stdout, exit } = await arx(dir, `attachments ${command} --json`);
    expect(exit).toBe(0);
    const { data, summary } = JSON.parse(stdout);
    expect(summary).toMatchObject({ files: rows.length, values: data.length, complete: true });
    for (const count of data) {
      const same = rows.filter((row) => (row[field] ?? null) === count.value);
      expect(count.files).toBe(same.length);
      expect(count.withheld).toBe(same.filter(({ redacted }) => redacted).length);
      expect(count.available + count.withheld + count.absent).toBe(count.files);
      expect(count.bytes).toBe(same.reduce((sum, { bytes }) => sum + Number(bytes ?? 0), 0));
    }
    const known = data.filter(({ value }: { value: string | null }) => value !== null);
    expect(known).toEqual(known.toSorted((a: { files: number }, b: { files: number }) => b.files - a.files));
    expect(data.slice(0, known.length)).toEqual(known);
  });

  test.each([
    ['types', 'type', 'content_type'],
    ['cities', 'city', 'origin_city'],
  ])('%s: the rows without a value are those of --%s none', async (command, option, field) => {
    const { data } = JSON.parse((await arx(dir, `attachments ${command} --json`)).stdout);
    const listed = JSON.parse((await arx(dir, `attachments ls --all --${option} none --json`)).stdout);
    const none = data.find(({ value }: { value: string | null }) => value === null);
    expect(listed.data).toHaveLength(none.files);
    expect(listed.data.filter((row: Row) => row[field] !== undefined)).toEqual([]);
    expect((await arx(dir, `attachments ls --${option} none --count`)).stdout).toBe(`${none.files}\n`);
    const counted = JSON.parse((await arx(dir, `attachments ${command} --${option} none --json`)).stdout);
    expect(counted.data).toEqual([none]);
    expect((await arx(dir, `attachments ${command} -o table`)).stdout).toMatch(/^\(none\) /m);
  });

  test('of senders name who sent the message of each file', async () => {
    const messages = JSON.parse((await arx(dir, 'messages ls --walk --json')).stdout).data as Row[];
    const files = JSON.parse((await arx(dir, 'attachments ls --all --json')).stdout).data as Row[];
    const { data } = JSON.parse((await arx(dir, 'attachments senders --json')).stdout);
    const senderOf = new Map(messages.map(({ id, from }) => [id, from ?? null]));
    for (const { value, files: count } of data)
      expect(files.filter(({ message_id: id }) => (senderOf.get(String(id)) ?? null) === value)).toHaveLength(
        count,
      );
  });

  test('of senders of few files look for the messages of these alone', async () => {
    const city = await arx(dir, 'attachments senders --message msg_1 --json -v');
    expect(JSON.parse(city.stdout).data).toMatchObject([{ value: expect.stringContaining('@'), files: 1 }]);
    expect(city.stderr).toContain('looked for 1 message in the list: 2 requests');
    const all = await arx(dir, 'attachments senders --json -v');
    expect(all.stderr).toMatch(/looked for \d\d messages in the list: 1 request\n/);
  });

  test('of senders at a service without messages: the counts, and that the senders are not known', async () => {
    const file = { id: 'a', message_id: 'm', file_url: 'https://files.example/a', redacted: false };
    const server = await serveStranger({ lists: { '/v1/attachments': [file] } });
    try {
      const { stdout, stderr, exit } = await arx(dir, `attachments senders --json --base-url ${server.url}`, {
        env,
      });
      expect(JSON.parse(stdout).data).toMatchObject([{ value: null, files: 1 }]);
      expect(exit).toBe(3);
      expect(stderr).toContain('cannot tell whether there is message m');
    } finally {
      await server.close();
    }
  });

  test.each([
    '--city lisbon',
    '--name *-0*',
    '--min-bytes 700',
    '--on 2019-04',
    '--since 2019-03 --until 2019-05-10 --type image/png',
    '--from carvalho',
    '--matching dome',
  ])('of %s are those of the rows that ls and pull select', async (filter) => {
    const listed = recordsOf(await arx(dir, `attachments ls --all ${filter} -o ndjson`));
    expect(listed.length).toBeGreaterThan(0);
    for (const command of ['types', 'cities', 'sources', 'senders']) {
      const { exit, stdout } = await arx(dir, `attachments ${command} ${filter} --json`);
      const { data, summary } = JSON.parse(stdout);
      expect({ exit, files: summary.files }).toEqual({ exit: 0, files: listed.length });
      if (command === 'types')
        for (const { value, files } of data)
          expect(listed.filter((row) => (row['content_type'] ?? null) === value)).toHaveLength(files);
    }
    const pulled = await arx(dir, `attachments pull ${filter} --to ${filter.replaceAll(/\W/g, '_')} --json`);
    const ids = (rows: readonly Row[]): string[] => rows.map(({ id }) => id).toSorted();
    expect(ids(JSON.parse(pulled.stdout).files)).toEqual(ids(listed as Row[]));
  });

  test.each(['--on nope', '--since 2019-13', '--from "()"', '--matching "from:"'])(
    'of %s: refused before anything is sent',
    async (filter) => {
      const { exit, stdout } = await arx(dir, `attachments types ${filter}`);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    },
  );

  test('of a service that is not ours, with rows that show no city', async () => {
    const { stdout } = await about(
      [
        { id: 'a', origin_city: 'Rome', file_url: 'https://files.example/a', redacted: false, bytes: 5 },
        { id: 'b', redacted: true, file_url: null },
        { id: 'c', origin_city: 'Rome', file_url: null, redacted: false },
      ],
      'attachments cities --json',
    );
    expect(JSON.parse(stdout).data).toEqual([
      { value: 'Rome', files: 2, available: 1, withheld: 0, absent: 1, bytes: 5 },
      { value: null, files: 1, available: 0, withheld: 1, absent: 0, bytes: 0 },
    ]);
  });
});

describe('a city in another spelling', () => {
  const cityRow = (id: string, origin_city: string): Row => ({
    id,
    origin_city,
    file_url: `https://files.example/${id}`,
    redacted: false,
    sha256: 'a'.repeat(64),
  });
  const rows = [cityRow('a', 'São Paulo'), cityRow('b', 'Rome'), cityRow('c', 'São Paulo')];

  test.each([
    ['attachments ls --city sao_paulo', ['a', 'c']],
    ['attachments ls --all --city SAO-PAULO', ['a', 'c']],
    ['attachments ls --all --city rome', ['b']],
  ])('%s', async (line, ids) => {
    const { stdout, stderr, exit } = await about(rows, `${line} --json`);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout).data.map(({ id }: Row) => id)).toEqual(ids);
    expect(stderr).toMatch(/the city ".*" is written (São Paulo|Rome) here/);
  });

  test('is said as it is written where it is counted and pulled', async () => {
    expect(
      JSON.parse((await about(rows, 'attachments types --city sao_paulo --json')).stdout).summary.files,
    ).toBe(2);
    const plan = await about(rows, 'attachments pull --dry-run --city sao_paulo --json');
    expect(plan.stderr).toContain('is written São Paulo here');
    expect(plan.stderr).not.toContain('no attachment has city');
  });

  test('that nobody wrote so: no row, and the nearest name', async () => {
    const { stdout, stderr, exit } = await about(rows, 'attachments ls --all --city rmoe --json');
    expect({ exit, rows: JSON.parse(stdout).data }).toEqual({ exit: 0, rows: [] });
    expect(stderr).toContain('no city "rmoe"; did you mean Rome?');
    const strict = await about(rows, 'attachments ls --all --city rmoe --json --strict');
    expect(strict.exit).toBe(6);
  });

  test.each([
    ['--type txt', 'no type "txt"; did you mean text/plain?'],
    ['--type .txt', 'no type ".txt"; did you mean text/plain?'],
    ['--type pdf', 'no type "pdf"; did you mean application/pdf?'],
    ['--type image', 'no type "image"; did you mean image/*?'],
    ['--type txet/plain', 'no type "txet/plain"; did you mean text/plain?'],
    ['--type video/mp4', 'no type "video/mp4"; arx attachments types lists them'],
    ['--source gatway', 'no source "gatway"; did you mean gateway?'],
    ['--source x --type y', 'no type "y"; arx attachments types lists them'],
    ['--name *.mp4', 'no file was found with a name like *.mp4'],
  ])('%s, which no row has: the nearest', async (options, notice) => {
    const files = [
      { ...cityRow('a', 'Rome'), content_type: 'text/plain', filename: 'a.TXT', source: 'local' },
      { ...cityRow('b', 'Rome'), content_type: 'application/pdf', filename: 'b', source: 'local' },
      { ...cityRow('c', 'Rome'), content_type: 'image/png', filename: 'c.png', source: 'gateway' },
    ];
    for (const command of ['ls', 'ls --all', 'ls --count', 'types']) {
      const { stderr, exit } = await about(files, `attachments ${command} ${options}`);
      // The commands that are proposed name the service.
      const said = stderr.replaceAll(/arx --base-url \S+ /g, 'arx ');
      expect([command, exit, said]).toEqual([command, 0, expect.stringContaining(`arx: ${notice}\n`)]);
    }
  });

  test('a type in another case is the type', async () => {
    const files = [{ ...cityRow('a', 'Rome'), content_type: 'text/plain' }];
    const { stdout, stderr } = await about(files, 'attachments ls --type Text/Plain --json');
    expect(JSON.parse(stdout).data).toHaveLength(1);
    expect(stderr).toContain('the type "Text/Plain" is written text/plain here');
  });

  test('that is written in two ways: both are named, none is chosen', async () => {
    const both = [cityRow('a', 'New York'), cityRow('b', 'new_york')];
    const { stdout, stderr } = await about(both, 'attachments ls --all --city NEWYORK --json');
    expect(JSON.parse(stdout).data).toEqual([]);
    expect(stderr).toContain('is written in 2 ways here: New York, new_york');
  });

  test('property: case, accents, spaces and signs make no difference', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (name) => {
        const folded = foldedCity(name);
        expect(foldedCity(`${name} -_'`)).toBe(folded);
        expect(foldedCity(folded)).toBe(folded);
      }),
    );
  });
});
