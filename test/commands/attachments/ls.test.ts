// `arx attachments ls --strict`: a page that is not the whole list is exit 3.
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { serveList, type CursorServerOptions } from '../../support/cursor-server.ts';
import { sampleData } from '../../support/sample.ts';
import { tempFolder } from '../../support/temp-folder.ts';

let dir: string;
beforeAll(async () => {
  dir = tempFolder('ls');
  await sampleData(join(dir, 'data'));
});

test.each([
  ['--redacted no --limit 1', 0],
  ['--redacted no --limit 1 --strict', 3],
  ['--redacted no --limit 500 --strict', 0],
  ['--redacted no --after att_1 --limit 500 --strict', 3],
  ['--redacted no --all --strict', 0],
])('%s: exit %i', async (line, code) => {
  const { exit, stderr } = await arx(dir, `attachments ls ${line}`);
  expect(exit).toBe(code);
  if (code !== 0)
    expect(stderr).toMatch(/^arx: the page is not the whole list \[partial, exit 3\]\n.*--all/m);
});

describe('--all at a service that is not ours', () => {
  const ROWS = Array.from({ length: 90 }, (_, n) => ({
    id: `att_${n + 1}`,
    filename: `${n}.txt`,
    file_url: n % 9 === 0 ? null : `https://files.example/${n}`,
    sha256: 'a'.repeat(64),
    redacted: n % 9 === 0,
    decorative_layer: false,
    first_visible: true,
  }));
  const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };

  async function listed(options: Omit<CursorServerOptions, 'rows'>, flags = '') {
    const server = await serveList({ rows: ROWS, ...options });
    try {
      const line = `attachments ls --all --limit 20 --json --base-url ${server.url} ${flags}`;
      const ended = await arx(dir, line, { env });
      const { status, data, summary } = ended.stdout === '' ? ({} as never) : JSON.parse(ended.stdout);
      return { ...ended, status, data, summary, requests: server.requests.length };
    } finally {
      await server.close();
    }
  }

  test.each<[string, Omit<CursorServerOptions, 'rows'>, number, number]>([
    ['with every cursor', {}, 90, 0],
    ['without both at once', { both: 'refuses' }, 90, 0],
    ['forward only', { before: 'refuses' }, 90, 0],
    ['that ignores ending_before', { before: 'ignores' }, 90, 0],
    // What one page gives is all that can be had, and it says that there is more.
    ['that ignores cursors', { after: 'ignores', before: 'ignores' }, 20, 3],
    // Nothing can be asked for after the first page either.
    ['that refuses them', { after: 'refuses', before: 'refuses' }, 20, 3],
    [
      'without cursors, all in one page',
      { after: 'ignores', limit: () => 20, body: (data) => ({ data, has_more: false }) },
      20,
      0,
    ],
    [
      'without cursors, which says of cut pages that nothing follows',
      { after: 'ignores', body: (data) => ({ data, has_more: false }) },
      20,
      3,
    ],
  ])('%s', async (_, options, rows, exit) => {
    const { data, status, summary, requests, ...ended } = await listed(options);
    expect(ended.exit).toBe(exit);
    expect(data).toEqual(ROWS.slice(0, rows));
    expect(summary).toMatchObject({
      rows,
      withheld: Math.ceil(rows / 9),
      complete: exit === 0,
    });
    expect(status).toBe('partial');
    expect(requests).toBeLessThan(40);
  });

  test('a part of it needs cursors', async () => {
    expect(await listed({}, '--after att_80')).toMatchObject({ exit: 0, data: ROWS.slice(80) });
    expect(await listed({ after: 'ignores' }, '--after att_80')).toMatchObject({ exit: 11, stdout: '' });
  });

  test('pages that lie: complete is exact, the rest is so far and exit 8', async () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const { data, summary, exit } = await listed({ drift: 0.21, seed });
      expect(exit).toBe(summary.complete ? 0 : 8);
      expect(data).toEqual(summary.complete ? ROWS : ROWS.slice(0, data.length));
    }
  });
});
