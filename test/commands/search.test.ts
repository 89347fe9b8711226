// `arx search` at a service without a search, and while an archive is being indexed.
import { beforeAll, describe, expect, test } from 'vitest';
import { arx, exitRecordOf, recordsOf, type Ran } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { serve, tokenOf } from '../support/served.ts';
import { answer } from '../support/misbehaving-server.ts';
import { requestsFor, serveStranger } from '../support/stranger.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { join } from 'node:path';
import { openSqlite } from '../../src/service/store/engines/sqlite.ts';

describe('another service', () => {
  test('has no search: exit 6, and a hint', async () => {
    const stranger = await serveStranger({ lists: { '/messages': [] } });
    try {
      const { exit, stderr, stdout } = await arx(tempFolder('search'), `search x --base-url ${stranger.url}`);
      expect({ exit, stdout }).toEqual({ exit: 6, stdout: '' });
      expect(stderr).toContain('this service has no search [not_found, exit 6]');
      expect(stderr).toContain(`hint: arx --base-url ${stranger.url} messages ls --walk`);
    } finally {
      await stranger.close();
    }
  });

  test('is not asked a wrong query', async () => {
    const stranger = await serveStranger({ lists: {} });
    try {
      const { exit } = await arx(tempFolder('search'), `search '"x' --base-url ${stranger.url}`);
      expect(exit).toBe(2);
      expect(stranger.requests).toEqual([]);
    } finally {
      await stranger.close();
    }
  });
});

test('every message is read, page by page', async () => {
  const dir = tempFolder('search');
  await sampleData(join(dir, 'data'));
  const all = await arx(dir, 'search the --all -o ndjson --sort oldest');
  expect(recordsOf(all)).toHaveLength(190);
  expect(new Set(recordsOf(all).map(({ id }) => String(id))).size).toBe(190);
});

test.each<[words: string, areRead: boolean]>([
  ['', true],
  ['--fields id,marks.start', true],
  ['--fields snippet', true],
  ['--fields id,subject', false],
  ['--no-snippets', false],
])('texts of messages are asked for where they are printed: search x %s', async (words, areRead) => {
  const stranger = await serveStranger({ lists: {} });
  try {
    await arx(tempFolder('search'), `search x ${words} -o ndjson --base-url ${stranger.url}`);
    const targets = requestsFor(stranger, '/v1/search');
    expect(targets).toHaveLength(1);
    expect(targets[0]!.includes('snippets=false')).toBe(!areRead);
  } finally {
    await stranger.close();
  }
});

describe('a value that no message has is named, with one that is near', () => {
  const CASES: readonly (readonly [line: string, notice: string])[] = [
    ['search type:pdf', 'no type "pdf" in what you may read; did you mean type:application/pdf?'],
    ['search --type Image/PNGG', 'no type "image/pngg" in what you may read; did you mean type:image/png?'],
    ['search type:audio', 'no type "audio" in what you may read; arx search --facet type lists them'],
    ['search source:gatway', 'no source "gatway"; did you mean source:gateway?'],
    ['search from:carvalo', 'no sender "carvalo"; did you mean from:carvalho?'],
    ['search --from "ines carvalo"', 'no sender "ines carvalo"; did you mean from:"ines carvalho"?'],
    ['search from:nobodyatall', 'no sender "nobodyatall"; arx search --facet from lists them'],
    ['search "the type:pdf"', 'no type "pdf" in what you may read; did you mean type:application/pdf?'],
    ['search type:pdf --count', 'no type "pdf" in what you may read; did you mean type:application/pdf?'],
    [
      'attachments ls --matching type:pdf',
      'no type "pdf" in what you may read; did you mean type:application/pdf?',
    ],
    ['search city:lisbn', 'no city "lisbn" in what you may read; did you mean lisbon?'],
  ];
  const linesOf = (stderr: string) =>
    stderr.split('\n').filter((line) => /no (type|source|sender|city)/.test(line));

  test('in the local archive', async () => {
    const dir = tempFolder('search');
    await sampleData(join(dir, 'data'));
    for (const [line, notice] of CASES) {
      const ran = await arx(dir, line);
      expect([line, ran.exit, linesOf(ran.stderr)]).toEqual([line, 0, [`arx: ${notice}`]]);
      expect(ran.stderr).toContain('arx: no message matches');
    }
    for (const line of [
      'search "type:image type:text"',
      'search "since:2100 source:gateway"',
      'search -- -type:pdf',
    ])
      expect([line, linesOf((await arx(dir, line)).stderr)]).toEqual([line, []]);
  });

  test('at a service', async () => {
    const dir = tempFolder('search');
    await sampleData(join(dir, 'data'));
    const served = await serve(dir);
    try {
      const env = { LANG: 'C.UTF-8', ARX_TOKEN: await tokenOf(served.base_url, served.owner) };
      for (const [line, notice] of CASES.slice(0, 5)) {
        const ran = await arx(dir, `${line} --base-url ${served.base_url}`, { env });
        const said = notice.replace('arx search', `arx --base-url ${served.base_url} search`);
        expect([line, ran.exit, linesOf(ran.stderr)]).toEqual([line, 0, [`arx: ${said}`]]);
      }
    } finally {
      await served.close();
    }
  });
});

test('--fields matched --no-snippets is exit 2, and nothing is asked', async () => {
  const ran = await arx(tempFolder('search'), 'search x --no-snippets --fields id,matched');
  expect(ran).toMatchObject({ exit: 2, stdout: '' });
  expect(ran.stderr).toContain('--fields matched does not go with --no-snippets');
});

test.each([
  ['search --since nonsense', '--since: "nonsense" is no date', '--since 2021, --since 2021-03,'],
  ['search x since:2020 --before nonsense', '--before: "nonsense" is no date', '--before 2021,'],
  ['search "a b" --city x --on 2021-13', '--on: there is no month 13', '--on 2021,'],
  ['search x --conversation nonsense', '--conversation: "nonsense" is no id', '--conversation conv_1'],
  ['search \u200bx --from -', '--from: "-" has no letter', 'leave it out'],
  ['search since:nonsense --on 2021', 'query, character 7: "nonsense" is no date', 'since:2021'],
  ['search "(x" --on 2021', 'query, character 1: this ( is not closed', ''],
  ['attachments ls --matching "(x"', '--matching, character 1: this ( is not closed', ''],
  ['conversations ls --matching since:z', '--matching, character 7: "z" is no date', ''],
])('%s names what is wrong: %s', async (line, message, hint) => {
  const ran = await arx(tempFolder('search'), line);
  expect(ran).toMatchObject({ exit: 2, stdout: '' });
  expect(ran.stderr).toContain(`arx: ${message}`);
  expect(ran.stderr).toContain(`hint: ${hint}`);
});

test('--on is the filter on:', async () => {
  const dir = tempFolder('search');
  await sampleData(join(dir, 'data'));
  // One after the other: the first search makes the index.
  const option = await arx(dir, 'search the --on 2019-03 --count');
  const filter = await arx(dir, 'search the on:2019-03 --count');
  expect(Number(option.stdout)).toBeGreaterThan(0);
  expect(option.stdout).toBe(filter.stdout);
});

test('an archive without an index is indexed at the first search', async () => {
  const dir = tempFolder('search');
  await sampleData(join(dir, 'data'));
  const database = await openSqlite({ path: join(dir, 'data', 'archive.db'), sleep: async () => {} });
  for (const tier of ['external', 'internal', 'mirror'])
    await database.run(`INSERT INTO search_${tier} (search_${tier}) VALUES ('delete-all')`);
  await database.run(`DELETE FROM meta WHERE key = 'search'`);
  await database.close();
  const counted = await arx(dir, 'search subject:noctilucent --count');
  expect(counted).toMatchObject({ exit: 0, stderr: '' });
  expect(Number(counted.stdout)).toBeGreaterThan(0);
});

test.each(['search x', 'search x --count', 'conversations ls --matching x', 'attachments ls --matching x'])(
  'while messages are not indexed yet it is not known that none matches: %s',
  async (line) => {
    const page = {
      object: 'list',
      data: [],
      has_more: false,
      total: 0,
      order: 'newest',
      index: { of: 9, indexed: 1 },
      notes: [],
      status: 'stable',
      drift_ratio: 0,
      integrity: 1,
    };
    const stranger = await serveStranger({
      lists: { '/v1/conversations': [{ id: 'c1' }], '/v1/attachments': [{ id: 'a1', message_id: 'm1' }] },
      respond: (path) => (path === '/v1/search' ? answer(200, JSON.stringify(page)) : undefined),
    });
    try {
      const ran = await arx(tempFolder('search'), `${line} --strict --base-url ${stranger.url}`);
      expect([ran.exit, ran.stderr]).toEqual([
        3,
        expect.stringMatching(/^arx: 8 .*not indexed yet.* \[partial/m),
      ]);
      expect(ran.stderr).not.toContain('[not_found');
    } finally {
      await stranger.close();
    }
  },
);

test('--after a message that the search does not find', async () => {
  const dir = tempFolder('search');
  await sampleData(join(dir, 'data'));
  const ran = await arx(dir, 'search subject:noctilucent --after msg_3');
  expect(ran).toMatchObject({ exit: 6, stdout: '' });
  expect(ran.stderr).toContain('arx: --after: msg_3 is not among the results of this search [not_found');
});

test.each(['search body:the', 'attachments ls --redacted no', 'messages ls --sort date'])(
  'a page that is not the whole list names the command for all rows: %s',
  async (line) => {
    const dir = tempFolder('search');
    await sampleData(join(dir, 'data'));
    const ran = await arx(dir, `${line} --strict --limit 1 --json`);
    const { next } = exitRecordOf(ran);
    expect({ exit: ran.exit, next }).toEqual({ exit: 3, next: `arx ${line} --strict --json --all` });
  },
);

test('characters that cannot be seen are left out of a query', async () => {
  const dir = tempFolder('search');
  await sampleData(join(dir, 'data'));
  expect(await arx(dir, 'search gla\u00adss --count')).toMatchObject({ exit: 0, stdout: '13\n' });
});

test.each([
  ['body:the --limit 4', 3],
  ['body:the --all', 0],
  ['body:the --facet from --limit 1', 3],
  ['body:the --facet from --limit 500', 0],
  ['body:the --count', 0],
])('search %s --strict: exit %i, since a cut list is no whole one', async (line, exit) => {
  const dir = tempFolder('search');
  await sampleData(join(dir, 'data'));
  expect(await arx(dir, `search ${line}`)).toMatchObject({ exit: 0 });
  expect(await arx(dir, `search ${line} --strict`)).toMatchObject({ exit });
});

test('an option behind -- is not searched as words', async () => {
  for (const option of ['--count', '--no-snippets', '--limit=3', '--json']) {
    const ran = await arx(tempFolder('search-minus'), `search -- usb -hub ${option}`);
    expect([ran.exit, ran.stderr]).toEqual([
      2,
      expect.stringContaining(`${option} stands behind --, where every word is searched`),
    ]);
    expect(ran.stderr).toContain('hint: options stand before it: arx search --count -- usb -hub');
  }
});

describe('messages above the tier of the reader', () => {
  const above = async (tiers: readonly string[]): Promise<string> => {
    const dir = tempFolder('search-tier');
    await sampleData(join(dir, 'data'));
    const database = await openSqlite({ path: join(dir, 'data', 'archive.db'), sleep: async () => {} });
    await database.run(`UPDATE messages SET tier = 'mirror' WHERE tier IN (${tiers.join(', ')})`);
    await database.run(`DELETE FROM meta WHERE key IN ('search', 'summary')`);
    for (const tier of ['external', 'internal', 'mirror'])
      await database.run(`INSERT INTO search_${tier} (search_${tier}) VALUES ('delete-all')`);
    await database.close();
    return dir;
  };

  test.each([
    'search letter',
    'search letter --strict',
    'search letter --count',
    'search letter --facet year',
    'search "from:nobody"',
    'conversations ls --matching letter',
    'attachments ls --matching letter',
    'attachments cities --matching letter',
    'attachments pull --matching letter --to q --strict',
    'attachments pull --matching letter --to q',
  ])('where it reads none, it is not known that none matches: %s', async (line) => {
    const dir = await above([`'external'`, `'internal'`]);
    const ran = await arx(dir, line);
    expect([ran.exit, ran.stderr]).toEqual([
      3,
      expect.stringMatching(/^arx: no message was searched: all \d+ are above your tier \[partial/m),
    ]);
    expect(ran.stderr).not.toMatch(/not_found|no message matches|no sender/);
  });

  test('where it reads some, a search that finds nothing says how many it did not read', async () => {
    const dir = await above([`'internal'`]);
    const said = /^arx: no message matches; \d+ of \d+ messages are above your tier, not searched/m;
    const ran = await arx(dir, 'search nosuchword --json');
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringMatching(said)]);
    const { summary } = JSON.parse(ran.stdout) as { summary: { complete: boolean; index: object } };
    expect(summary).toMatchObject({ complete: false, index: { withheld: expect.any(Number) as number } });
    const strict = await arx(dir, 'search nosuchword --strict --count');
    expect([strict.exit, strict.stderr]).toEqual([3, expect.stringMatching(said)]);
    expect((await arx(dir, 'search from:nobodyatall')).stderr).toContain(
      'arx: no sender "nobodyatall" in what you may read; ',
    );
  });

  test.each([
    ['search from:eve', 'no sender "eve" in what you may read; '],
    ['search type:x/y', 'no type "x/y" in what you may read; '],
    ['search city:lisbn', 'no city "lisbn" in what you may read'],
  ])('where it reads some, a value may be that of a message above: %s', async (line, words) => {
    const dir = await above([`'internal'`]);
    expect(await arx(dir, line)).toMatchObject({ exit: 0, stderr: expect.stringContaining(words) });
  });

  const unsearched = /^arx: \d+ of \d+ messages are above your tier, not searched/m;

  test.each([
    'search the --json',
    'search the --count --json',
    'search the --all --json',
    'search --facet year --json',
    'conversations ls --matching the --json',
    'conversations ls --matching the --all --json',
    'conversations ls --matching the --count --json',
    'attachments ls --matching letter --json',
    'attachments ls --matching letter --all --json',
    'attachments ls --matching letter --count --json',
    'attachments types --matching letter --json',
  ])('where it finds some, more may match: %s', async (line) => {
    const dir = await above([`'internal'`]);
    const ran = await arx(dir, line);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringMatching(unsearched)]);
    const { summary, ...count } = JSON.parse(ran.stdout) as { summary?: object };
    expect(summary ?? count).toMatchObject({ complete: false });
  });

  test.each([
    'search the --all -o ndjson',
    'search the --count',
    'search --facet year',
    'conversations ls --matching the --all',
    'attachments ls --matching letter --name *.jpg --all',
    'attachments pull --matching letter --name *.jpg --to q',
  ])('where it finds some, more may match, which is exit 3 with --strict: %s', async (line) => {
    const dir = await above([`'internal'`]);
    const { exit, stderr } = await arx(dir, `${line} --strict`);
    expect([exit, stderr]).toEqual([3, expect.stringMatching(unsearched)]);
    expect(stderr).not.toContain('not_found');
  });
});

describe('where files are withheld', () => {
  let home: string;
  beforeAll(async () => {
    home = tempFolder('search-withheld-files');
    await sampleData(join(home, 'data'));
  });
  const NOTICE = '6 files are withheld from you, not searched';
  const complete = ({ stdout }: Ran): unknown => {
    const said = JSON.parse(stdout) as { summary?: { complete: unknown }; complete?: unknown };
    return (said.summary ?? said).complete;
  };

  test.each([
    'city:lisbon',
    'city:lisbon --count',
    '-- -city:lisbon',
    'type:text/csv --limit 500',
    'file:csv',
    'clouds --all',
    'clouds OR subject:glass --count',
    '-- -file:csv subject:glass',
    'file:zzzz',
    'type:no/such --count',
    '--facet city --limit 500',
    '--facet type --limit 500',
  ])('a search that is about files says so: %s', async (line) => {
    const ran = await arx(home, `search --json ${line}`);
    expect([ran.exit, complete(ran), ran.stderr]).toEqual([0, false, expect.stringContaining(NOTICE)]);
    const strict = await arx(home, `search --json --strict ${line}`);
    expect([strict.exit, complete(strict)], strict.stderr).toEqual([3, false]);
  });

  test('of messages that the other conditions exclude, they cannot match; else they are named', async () => {
    const rowsOf = async (line: string) => recordsOf(await arx(home, `${line} --all -o ndjson`));
    const withheld = await rowsOf('attachments ls --redacted yes');
    const messages = await rowsOf('messages ls');
    const owners = new Set(withheld.map((row) => row['message_id']));
    const conversations = new Set(
      messages.filter(({ id }) => owners.has(id)).map((row) => row['conversation_id']),
    );
    const other = messages.find((row) => !conversations.has(row['conversation_id']));
    const free = `conversation:${String(other?.['conversation_id'])}`;
    const [owned = ''] = [...conversations].map((id) => `conversation:${String(id)}`);
    for (const search of [free, 'since:2100', '-has:attachment', `${free} -source:none`])
      for (const line of [`-- file:zzzz ${search}`, `--facet city -- ${search}`]) {
        const ran = await arx(home, `search --json ${line}`);
        expect([line, complete(ran), ran.stderr]).toEqual([
          line,
          true,
          expect.not.stringContaining('withheld'),
        ]);
        const strict = await arx(home, `search --json --strict ${line}`);
        expect([line, strict.exit], strict.stderr).not.toEqual([line, 3]);
      }
    const mayMatch = await arx(home, `search --json --strict file:zzzz ${owned}`);
    expect([mayMatch.exit, mayMatch.stderr]).toEqual([
      3,
      expect.stringMatching(/\d files? (is|are) withheld from you \(att_\d+[^)]*\), not searched/),
    ]);
  });

  test.each([
    'subject:glass --all',
    'from:jane body:the --count',
    'has:attachment --all',
    'since:2019 --count',
    'subject:nosuchword',
    '--facet year',
    '--facet from --limit 500',
  ])('a search that is about messages does not: %s', async (line) => {
    const ran = await arx(home, `search --json ${line}`);
    expect([ran.exit, complete(ran)]).toEqual([0, true]);
    expect(ran.stderr).not.toContain('withheld');
  });

  test.each([
    ['city:berlin', 'no city "berlin" in what you may read'],
    ['type:no/such', 'no type "no/such" in what you may read'],
    ['from:nobodyatall', 'no sender "nobodyatall"; '],
    ['source:nosuch', 'no source "nosuch"; '],
  ])('%s: %s', async (query, words) => {
    expect((await arx(home, `search ${query}`)).stderr).toContain(words);
  });

  test.each<[string, boolean]>([
    ['conversations ls --matching clouds --all', false],
    ['attachments ls --matching clouds --count', false],
    ['conversations ls --matching subject:clouds --all', true],
    ['attachments ls --matching subject:clouds --count', true],
  ])('%s is complete: %s', async (line, isComplete) => {
    const ran = await arx(home, `${line} --json`);
    expect(complete(ran), ran.stderr).toBe(isComplete);
  });
});
