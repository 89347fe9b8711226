// Lists that contradict themselves: another number of rows than is listed, or other content of one row in another answer.
import { afterEach, describe, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import type { Misbehaving } from '../../support/misbehaving-server.ts';
import { serveStranger, type StrangerOptions } from '../../support/stranger.ts';
import { sha256Of } from '../../support/digest.ts';
import { answer } from '../../support/misbehaving-server.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };
const ROWS = Array.from({ length: 60 }, (_, n) => ({
  id: `att_${n + 1}`,
  filename: `${n}.txt`,
  file_url: `http://files.example/${n}?signature=a`,
  sha256: 'a'.repeat(64),
  redacted: false,
  origin_city: n % 2 === 0 ? 'lisbon' : 'porto',
}));

let server: Misbehaving | undefined;
afterEach(() => server?.close());

async function at(line: string, options: Partial<StrangerOptions>, rows = ROWS) {
  await server?.close();
  server = await serveStranger({
    lists: {
      '/v1/attachments': rows,
      '/v1/conversations': rows,
      '/messages': rows,
      '/api/sequence/relay': rows,
    },
    ...options,
  });
  const ran = await arx(
    tempFolder('contradictions'),
    `${line.replace('BASE', server.url)} --json --base-url ${server.url}`,
    { env },
  );
  const { summary } = ran.stdout === '' ? ({} as never) : JSON.parse(ran.stdout);
  return { exit: ran.exit, stderr: ran.stderr, summary };
}

/** States this in each body. */
const states = (more: object): Partial<StrangerOptions> => ({
  body: (data, has_more) => ({ data, has_more, ...more }),
});

describe('more rows are counted than listed', () => {
  test.each([
    ['total', { total: 90 }],
    ['meta.totalCount', { meta: { totalCount: 90 } }],
    ['page.totalElements', { page: { size: 20, totalElements: 90 } }],
    ['count', { count: 90 }],
  ])('%s: ls --all is exit 3, and a page says so', async (_, more) => {
    const all = await at('attachments ls --all', states(more));
    expect(all).toMatchObject({ exit: 3, summary: { rows: 60, complete: false } });
    expect(all.stderr).toContain('the list may be cut: the service counts 90 rows and lists 60');
    const page = await at('attachments ls --limit 100', states(more));
    expect(page).toMatchObject({ exit: 0, summary: { rows: 60, has_more: false, complete: false } });
    expect(page.stderr).toBe('arx: the service counts 90 rows and lists 60\n');
    expect((await at('conversations ls --limit 100 --strict', states(more))).exit).toBe(11);
  });
});

test('fewer rows are counted than listed: a notice, and exit 11 with --strict', async () => {
  for (const line of ['attachments ls --all', 'conversations ls --limit 30', 'sequence show relay --all']) {
    const ran = await at(line, states({ total: 5 }));
    expect(ran.exit).toBe(0);
    expect(ran.stderr).toMatch(/^arx: the service counts 5 rows and lists \d+\n$/);
    expect((await at(`${line} --strict`, states({ total: 5 }))).stderr).toContain(
      '"exit":11,"class":"protocol"',
    );
  }
});

test.each<[what: string, option: string, more: (shown: number) => object]>([
  ['the number is right', '', () => ({ total: 60 })],
  ['count is the rows of the page', '--limit 20', (shown) => ({ count: shown })],
  ['the number is that of all rows, and rows are filtered', '--city porto', () => ({ total: 60 })],
  ['the number is no number', '', () => ({ total: 'many', count: -1, meta: { total: 1.5 } })],
])('nothing is said where %s', async (_, option, more) => {
  const options: Partial<StrangerOptions> = {
    filter: (row, query) => !query.has('origin_city') || row['origin_city'] === query.get('origin_city'),
    body: (data, has_more) => ({ data, has_more, ...more(data.length) }),
  };
  for (const command of ['attachments ls', 'attachments ls --all']) {
    const { exit, stderr } = await at(`${command} ${option}`, options);
    const others = stderr.replace(/^arx: with --all, --limit is .*\n/, '');
    expect([exit, others]).toEqual([0, '']);
  }
});

describe('a row with other content in another answer', () => {
  /** Each answer has another city in one row, and other signatures in all. */
  function changing(field: string): Partial<StrangerOptions> {
    let count = 0;
    return {
      body: (data, has_more) => {
        count += 1;
        const rows = data.map((row) => ({
          ...row,
          file_url: `${String(row['file_url']).split('?')[0]}?signature=${count}`,
          ...(row.id === 'att_4' ? { [field]: `${count}` } : {}),
        }));
        return { data: rows, has_more };
      },
    };
  }

  test('ls --all says how many rows differ, and in which field', async () => {
    const ran = await at('attachments ls --all', changing('origin_city'));
    expect(ran.exit).toBe(0);
    expect(ran.summary.changed).toBe(1);
    expect(ran.stderr).toBe(
      'arx: 1 row differs from one answer to another (att_4: origin_city): one of them is shown\n',
    );
    expect((await at('attachments ls --all --strict', changing('origin_city'))).exit).toBe(8);
  });

  test.each(['conversations walk', 'messages ls --walk', 'walk BASE/v1/attachments'])(
    '%s says so',
    async (line) => {
      const walked = async (field: string, option = '') => {
        const ran = await at(`${line}${option}`, changing(field));
        return { ...ran, stderr: ran.stderr.split('\n').filter((text) => text.includes('differ')) };
      };
      const said = 'arx: 1 row differs from one answer to another (att_4: origin_city): one of them is shown';
      const ran = await walked('origin_city');
      expect(ran).toMatchObject({ exit: 0, summary: { rows: 60, complete: true, changed: 1 } });
      expect(ran.stderr).toEqual([said]);
      expect((await walked('origin_city', ' --strict')).exit).toBe(8);
      // What a row says about its position is for the walk to judge.
      expect((await walked('sequence')).stderr).toEqual([]);
    },
  );

  test('an id that comes twice in one page', async () => {
    const rows = [...ROWS.slice(0, 3), { ...ROWS[1]!, origin_city: 'oslo' }];
    const ran = await at('attachments ls', {}, rows);
    expect(ran.stderr.split('\n')).toEqual([
      'arx: the page has 1 row twice: others may be missing',
      'arx: 1 row differs from one answer to another (att_2: origin_city): one of them is shown',
      '',
    ]);
    expect(ran.summary).toMatchObject({ changed: 1 });
    expect((await at('attachments ls --strict', {}, rows)).exit).toBe(8);
  });

  test('another signature in an address is no other content', async () => {
    const ran = await at('attachments ls --all', changing('file_url'));
    expect(ran.stderr).toContain('1 row differs');
    const rows = ROWS.slice(0, 3);
    expect(await at('attachments ls --all', changing('file_url'), rows)).toMatchObject({
      exit: 0,
      stderr: '',
    });
  });
});

describe('commands that read the catalogue for files', () => {
  const bytesOf = (n: number): string => `bytes of ${n}`;
  const FILES = ROWS.slice(0, 30).map((row, n) => ({ ...row, sha256: sha256Of(bytesOf(n)) }));

  /** A folder of files that were pulled, and a service that then gives att_4 another value of this field in every second answer. */
  async function pulled(field: string, value: unknown) {
    let count = 0;
    let isChanging = false;
    await server?.close();
    server = await serveStranger({
      lists: { '/v1/attachments': FILES, '/messages': [{ id: 'msg_1' }] },
      respond: (path) => {
        if (path === '/api/content/msg_1')
          return answer(200, JSON.stringify({ view: 'raw', data: { id: 'msg_1', attachments: ['att_4'] } }));
        const file = /^\/files\/(\d+)$/.exec(path)?.[1];
        return file === undefined ? undefined : answer(200, bytesOf(Number(file)));
      },
      body: (data, has_more) => {
        count += 1;
        const rows = data.map((row) => ({
          ...row,
          file_url: `${server!.url}/files/${Number(row.id.slice(4)) - 1}`,
          ...(isChanging && row.id === 'att_4' && count % 2 === 0 ? { [field]: value } : {}),
        }));
        return { data: rows, has_more };
      },
    });
    const dir = tempFolder('contradictions');
    const run = (line: string) => arx(dir, `${line} --base-url ${server!.url}`, { env });
    expect((await run('attachments pull --all --to files')).exit).toBe(0);
    isChanging = true;
    return run;
  }

  const COMMANDS: [line: string][] = [
    ['attachments pull --all --to OUT'],
    ['attachments pull --city porto --to OUT'],
    ['attachments pull att_4 --to OUT'],
    ['attachments pull --all --to OUT --dry-run'],
    ['attachments verify files --against catalogue'],
    ['attachments export files --to OUT'],
    ['attachments show att_4'],
    ['content get msg_1 --save OUT'],
  ];

  test.each(COMMANDS)('%s: a row with other content is a notice, and exit 8 with --strict', async (line) => {
    const run = await pulled('filename', 'other.txt');
    const ran = await run(line.replace('OUT', 'one'));
    expect(ran.stderr).toContain('1 row differs from one answer to another (att_4: filename)');
    // The raw view of a message without its bytes is exit 3 by itself.
    expect(ran.exit).toBe(line.startsWith('content') ? 3 : 0);
    const strict = await run(`${line.replace('OUT', 'two')} --strict`);
    expect(strict.stderr).toContain('[unstable, exit 8]');
  });

  test.each(COMMANDS)('B18 %s: an id with two hashes is exit 11', async (line) => {
    const run = await pulled('sha256', 'b'.repeat(64));
    for (const [at, option] of ['', ' --strict'].entries()) {
      const ran = await run(line.replace('OUT', `out${at}`) + option);
      expect(ran.stderr).toMatch(/id att_4 twice with different hashes: [0-9a-f]{12}… and [0-9a-f]{12}…/);
      expect([11, 12]).toContain(ran.exit);
    }
  });
});

describe('B18 an id with two hashes', () => {
  const OTHER = { ...ROWS[1]!, sha256: 'B'.repeat(64) };

  test.each([
    ['in one page', [...ROWS.slice(0, 3), OTHER], 'attachments ls'],
    ['in one list', [...ROWS, OTHER], 'attachments ls --all'],
    ['on different pages', [...ROWS, OTHER], 'attachments ls --all --limit 20'],
    ['on different pages, with a filter', [...ROWS, OTHER], 'attachments ls --city porto --all --limit 20'],
  ])('%s is exit 11', async (_, rows, line) => {
    for (const option of ['', ' --strict']) {
      const ran = await at(line + option, {}, rows);
      expect(ran.stderr).toContain('id att_2 twice with different hashes: aaaaaaaaaaaa… and bbbbbbbbbbbb…');
      expect(ran.exit).toBe(11);
      expect(ran.summary).toMatchObject({ changed: 1, complete: false });
    }
  });

  test('the same hash in upper case is no other hash', async () => {
    const rows = [...ROWS.slice(0, 3), { ...ROWS[1]!, sha256: 'A'.repeat(64) }];
    expect((await at('attachments ls', {}, rows)).exit).toBe(0);
  });
});
