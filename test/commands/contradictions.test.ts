// Lists that contradict themselves: another number of rows than is listed, or other content of one row in another answer.
import { afterEach, describe, expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import type { Misbehaving } from '../support/misbehaving-server.ts';
import { serveStranger, type StrangerOptions } from '../support/stranger.ts';
import { tempFolder } from '../support/temp-folder.ts';

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
    lists: { '/v1/attachments': rows, '/v1/conversations': rows, '/api/sequence/relay': rows },
    ...options,
  });
  const ran = await arx(tempFolder('contradictions'), `${line} --json --base-url ${server.url}`, { env });
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
    expect((await at(`${line} --strict`, states({ total: 5 }))).stderr).toContain('[protocol, exit 11]');
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
  for (const command of ['attachments ls', 'attachments ls --all'])
    expect(await at(`${command} ${option}`, options)).toMatchObject({ exit: 0, stderr: '' });
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

  test('an id that comes twice in one page', async () => {
    const rows = [...ROWS.slice(0, 3), { ...ROWS[1]!, sha256: 'b'.repeat(64) }];
    const ran = await at('attachments ls', {}, rows);
    expect(ran.stderr).toBe(
      'arx: 1 row differs from one answer to another (att_2: sha256): one of them is shown\n',
    );
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
