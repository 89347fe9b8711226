// GET /v1/search: the same messages as an evaluation of each text, for each tier, on each engine; and nothing withheld.
import { fc, test as property } from '@fast-check/vitest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { matches } from '../../../src/contract/search/match.ts';
import { parseQuery } from '../../../src/contract/search/query.ts';
import { SearchPage, type SearchHit } from '../../../src/contract/search/search.ts';
import { TIERS, type Tier } from '../../../src/contract/tier.ts';
import { createService } from '../../../src/service/index.ts';
import { importItems } from '../../../src/service/import/index.ts';
import { parseMail } from '../../../src/service/mail/mail-record.ts';
import { searchTextOf } from '../../../src/service/mail/search-text.ts';
import type { ImportedMessage } from '../../../src/service/records/import-items.ts';
import { searchWordsOf } from '../../../src/service/records/search-words.ts';
import { mayRead } from '../../../src/service/rules/tiers.ts';
import { createFinder } from '../../../src/service/store/search/find-messages.ts';
import { redact, unredact } from '../../../src/service/store/redaction.ts';
import { createMessageWriter } from '../../../src/service/store/additions/message-batches.ts';
import { sampleArchive, START, tokenFor, type Sample } from '../../support/archive.ts';
import { call } from '../../support/call.ts';
import { sha256Of } from '../../support/digest.ts';
import { ENGINE } from '../../support/engine.ts';
import { runs } from '../../support/runs.ts';
import { readSearchText } from '../../support/search.ts';

const EMPTY = { conversations: 0, messages: 0, attachments: 0 };

type Mail = {
  tier?: Tier;
  subject?: string;
  from?: string;
  /** Milliseconds since the epoch. */
  date?: number | null;
  body?: string;
  /** A text file. */
  file?: { name: string; text: string } | undefined;
  /** Of a chat. */
  channel?: string;
  /** Of a mailing list. */
  listed?: boolean;
};

let serial = 0;

async function mailOf({
  tier = 'external',
  subject = 's',
  from = 'f',
  date = START,
  body = '',
  file,
  listed,
}: Mail) {
  serial += 1;
  const raw = Buffer.from(
    [
      `Message-ID: <${serial}@x>`,
      `From: =?utf-8?B?${Buffer.from(from).toString('base64')}?= <${serial % 5}@x>`,
      `Subject: =?utf-8?B?${Buffer.from(subject).toString('base64')}?=`,
      ...(date === null ? [] : [`Date: ${new Date(date).toUTCString()}`]),
      ...(listed === true ? ['List-Id: <l.x>'] : []),
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(body).toString('base64'),
      ...(file === undefined
        ? []
        : [
            '--b',
            'Content-Type: text/plain; charset=utf-8',
            `Content-Disposition: attachment; filename="${file.name}"`,
            'Content-Transfer-Encoding: base64',
            '',
            Buffer.from(file.text).toString('base64'),
          ]),
      '--b--',
      '',
    ].join('\n'),
  );
  return parseMail({ kind: 'raw', path: 'x', position: serial, raw, sha256: sha256Of(raw) }, tier);
}

function importAll(sample: Sample, messages: readonly ImportedMessage[]) {
  return importItems(
    sample.archive,
    (async function* () {
      yield* messages;
    })(),
  );
}

/** A sample with tokens of all tiers. */
async function searched(messages: readonly Mail[]) {
  const sample = await sampleArchive(EMPTY);
  const mails = await Promise.all(
    messages.map(async (mail) => ({ ...(await mailOf(mail)), channel: mail.channel ?? null })),
  );
  await importAll(sample, mails);
  const tokens = {} as Record<Tier, string>;
  for (const tier of TIERS) tokens[tier] = await tokenFor(sample.service, tier);
  const ask = async (q: string, parameters: Record<string, string> = {}, tier: Tier = 'mirror') => {
    const query = new URLSearchParams({ q, ...parameters }).toString();
    const answer = await call(sample.service, `/v1/search?${query}`, { token: tokens[tier] });
    expect(answer.status, answer.text).toBe(200);
    return SearchPage.parse(answer.json);
  };
  const ids = async (...given: Parameters<typeof ask>): Promise<string> =>
    (await ask(...given)).data.map(({ id }) => id.replace('msg_', '')).join(' ');
  return { sample, mails, ask, ids };
}

describe('a few mails', () => {
  let bench: Awaited<ReturnType<typeof searched>>;
  const DAY = 86_400_000;
  beforeAll(async () => {
    bench = await searched([
      { subject: 'USB hangs', from: 'Jane Doe', body: 'The hub stops.\n> older words\n', date: START },
      {
        subject: 'Re: USB hangs',
        from: 'Müller',
        channel: 'Café-Ecke',
        body: 'use after free in the hub',
        date: START + DAY,
      },
      { subject: 'Bericht', from: 'Jane Doe', body: '日本語のテキスト', date: START - 400 * DAY },
      {
        subject: 'log',
        body: 'see the file',
        file: { name: 'trace.txt', text: 'oops in kernel' },
        date: null,
      },
      { tier: 'internal', subject: 'secret usb', body: 'for us', listed: true, date: START + 2 * DAY },
      { tier: 'mirror', subject: 'mirror usb', channel: 'board', body: 'for few', date: START + 3 * DAY },
    ]);
  });
  afterAll(() => bench.sample.close());

  test.each<[query: string, ids: string]>([
    ['usb', '6 5 2 1'],
    ['USB hub', '2 1'],
    ['"use after free"', '2'],
    ['"after use"', ''],
    ['han*', '2 1'],
    ['muller', '2'],
    ['from:jane', '1 3'],
    ['from:usb', ''],
    ['subject:usb body:hub', '2 1'],
    ['older', '1'],
    ['body:older', '1'],
    ['file:trace', '4'],
    ['file:oops', '4'],
    ['oops', '4'],
    ['body:oops', ''],
    ['本語', '3'],
    ['"語本"', ''],
    ['usb -hub', '6 5'],
    ['-usb', '3 4'],
    ['-usb -log', '3'],
    ['bericht OR -usb', '3 4'],
    ['since:2026', '6 5 2 1'],
    ['before:2026', '3'],
    ['-since:2026', '3 4'],
    ['since:2026-01-02T03:04:05Z before:2026-01-02T03:04:06Z', '1'],
    ['has:attachment', '4'],
    ['type:text/plain', '4'],
    ['type:text/*', '4'],
    ['type:image', ''],
    ['source:gateway', '5'],
    ['channel:cafe-ecke', '2'],
    ['channel:"Cafe Ecke"', '2'],
    ['channel:board usb', '6'],
    ['-channel:board', '5 2 1 3 4'],
    ['-source:gateway', '6 2 1 3 4'],
    ['*', '6 5 2 1 3 4'],
    ['conversation:conv_1 usb', '1'],
  ])('%s', async (query, ids) => {
    expect(await bench.ids(query, { sort: 'newest' })).toBe(ids);
    expect(await bench.ids(query, { sort: 'oldest' })).toBe(ids.split(' ').toReversed().join(' '));
    const all = await bench.ask(query);
    expect(all.data.map(({ id }) => id).sort()).toEqual(
      ids === ''
        ? []
        : ids
            .split(' ')
            .map((n) => `msg_${n}`)
            .sort(),
    );
    expect(all.total).toBe(all.data.length);
  });

  test.each<[tier: Tier, ids: string]>([
    ['external', '2 1'],
    ['internal', '5 2 1'],
    ['mirror', '6 5 2 1'],
  ])('the tier %s', async (tier, ids) => {
    expect(await bench.ids('usb', { sort: 'newest' }, tier)).toBe(ids);
    expect((await bench.ask('usb', { count: 'true' }, tier)).total).toBe(ids.split(' ').length);
  });

  test('a channel that no message of the reader has is not known to exist', async () => {
    expect((await bench.ask('channel:board', {}, 'internal')).notes).toEqual([
      'no channel "board" in what you may read',
    ]);
    expect((await bench.ask('channel:boart')).notes).toEqual(['no channel "boart"; did you mean board?']);
    expect((await bench.ask('channel:ecke')).notes).toEqual(['no channel "ecke"; did you mean Café-Ecke?']);
    expect((await bench.ask('*', { facet: 'channel' }, 'internal')).counts).toEqual([
      { value: null, messages: 4 },
      { value: 'Café-Ecke', messages: 1 },
    ]);
    const [hit] = (await bench.ask('channel:board')).data;
    expect(hit?.channel).toBe('board');
  });

  test('relevance prefers the subject', async () => {
    expect(await bench.ids('bericht OR hub')).toMatch(/^3/);
    expect((await bench.ask('usb')).order).toBe('relevance');
    expect((await bench.ask('has:attachment')).order).toBe('newest');
  });

  test.each(['relevance', 'newest', 'oldest'])(
    'pages in the order %s hold each message once',
    async (sort) => {
      const whole = (await bench.ask('usb OR jane OR log', { sort })).data.map(({ id }) => id);
      expect(whole).toHaveLength(6);
      const paged: string[] = [];
      for (let more = true; more;) {
        const last = paged.at(-1);
        const page = await bench.ask('usb OR jane OR log', {
          sort,
          limit: '1',
          ...(last === undefined ? {} : { starting_after: last }),
        });
        paged.push(...page.data.map(({ id }) => id));
        more = page.has_more;
        expect(page.total).toBe(6);
        expect(paged.length).toBeLessThan(7);
      }
      expect(paged).toEqual(whole);
    },
  );

  test.each<[facet: string, counts: [string | null, number][]]>([
    [
      'year',
      [
        [null, 1],
        ['2024', 1],
        ['2026', 4],
      ],
    ],
    ['from', [['Jane Doe <1@x>', 1]]],
    [
      'type',
      [
        [null, 5],
        ['text/plain', 1],
      ],
    ],
    ['city', [[null, 6]]],
  ])('the facet %s', async (facet, counts) => {
    const page = await bench.ask('usb OR jane OR log', { facet });
    const found = page.counts!.map(({ value, messages }) => [value, messages]);
    if (facet === 'from') expect(found).toHaveLength(6);
    else expect(found).toEqual(counts);
    expect(page.data).toEqual([]);
  });

  test('snippets mark what matches', async () => {
    const { data } = await bench.ask('"after free" hub');
    const { snippet, marks = [], matched } = data[0] as SearchHit;
    expect(snippet).toBe('use after free in the hub');
    expect(marks.map(({ start, end }) => snippet!.slice(start, end))).toEqual(['after free', 'hub']);
    expect(matched).toEqual(['body']);
    expect((await bench.ask('muller')).data[0]).toMatchObject({ matched: ['from'], marks: [] });
  });

  test('without snippets: the same messages and no field of their texts, though their bytes are damaged', async () => {
    const { sample, ask } = await searched([{ body: 'letter' }, { body: 'letter', subject: 'letter' }]);
    try {
      const whole = await ask('letter');
      const rows = whole.data.map(({ matched: _matched, snippet: _snippet, marks: _marks, ...row }) => row);
      expect(rows).toHaveLength(2);
      await sample.archive.database.run('UPDATE raws SET content = $1', [Buffer.from('damaged')]);
      expect(await ask('letter', { snippets: 'false' })).toEqual({ ...whole, data: rows });
      expect((await ask('letter', { snippets: 'true' })).data[0]).toMatchObject({ snippet: null });
    } finally {
      await sample.close();
    }
  });

  test('a page goes on in the order of a page before, though ranks change with each message', async () => {
    const bodies = ['letter', 'letter letter', 'letter letter letter', 'a letter'];
    const { sample, ask, ids } = await searched(bodies.map((body) => ({ body })));
    try {
      const whole = (await ids('letter')).split(' ');
      for (const added of [false, true]) {
        if (added) await importAll(sample, [await mailOf({ body: 'letter', subject: 'letter' })]);
        const after = await ask('letter', { starting_after: `msg_${whole[0]}`, limit: '2' });
        const before = (await ids('letter')).split(' ');
        const from = before.indexOf(whole[0]!) + 1;
        expect(after.total).toBe(added ? 5 : 4);
        expect(after.data.map(({ id }) => id.replace('msg_', ''))).toEqual(before.slice(from, from + 2));
      }
    } finally {
      await sample.close();
    }
  });

  test('no hit says what each part finds', async () => {
    expect((await bench.ask('usb bericht')).alone).toEqual([
      { query: 'usb', total: 4 },
      { query: 'bericht', total: 1 },
    ]);
    // What is no query with a star behind it has no words that begin with it.
    for (const query of ['nothing', 'z', '\u00c3', 'body:z', 'before:1970', 'source:slack', 'type:none'])
      expect([query, (await bench.ask(query)).alone ?? []]).toEqual([query, []]);
  });

  test('a cursor is a message that the search finds', async () => {
    const token = await tokenFor(bench.sample.service, 'external');
    for (const [cursor, status] of [
      ['msg_1', 200],
      ['msg_3', 404],
      ['msg_5', 404],
      ['msg_99', 404],
    ] as const) {
      const target = `/v1/search?q=usb&sort=newest&starting_after=${cursor}`;
      const answer = await call(bench.sample.service, target, { token });
      expect([cursor, answer.status]).toEqual([cursor, status]);
      if (status === 404)
        expect(answer.json.error.message).toBe(
          `starting_after: ${cursor} is not among the results of this search`,
        );
    }
  });
});

describe('what a redaction closes', () => {
  const FILE = { name: 'plantedname.txt', text: 'plantedtext' };
  const all = ['plantedname', 'plantedtext', 'file:planted*', 'type:text/plain', '"plantedname txt"'];

  test('is not found from its commit on, and found again when it is lifted', async () => {
    const { sample, ids } = await searched([{ body: 'letter', file: FILE }, { body: 'letter' }]);
    try {
      for (const query of all) expect([query, await ids(query)]).toEqual([query, '1']);
      await redact(sample.archive, 'att_1', 'x');
      for (const query of all) expect([query, await ids(query)]).toEqual([query, '']);
      expect(await ids('letter', { sort: 'newest' })).toBe('2 1');
      await unredact(sample.archive, 'att_1');
      for (const query of all) expect([query, await ids(query)]).toEqual([query, '1']);
    } finally {
      await sample.close();
    }
  });

  test('leaves the index in the transaction of the redaction, before any search', async () => {
    const { sample } = await searched([{ body: 'letter', file: FILE }]);
    try {
      const inIndex = async () => {
        const { expression } = parseQuery('planted*', START);
        const search = { expression, filters: [], reader: 'mirror' as const, labelsOf: () => [] };
        const finder = await createFinder(sample.archive.database, { ...search, matches: async () => true });
        return finder.count();
      };
      expect(await inIndex()).toBe(1);
      await redact(sample.archive, 'att_1', 'x');
      expect(await inIndex()).toBe(0);
    } finally {
      await sample.close();
    }
  });

  test('N5 what waits to be indexed counts where its message is readable, and for nobody else', async () => {
    const { sample } = await searched([
      { body: 'letter', file: FILE },
      { body: 'letter', file: { name: 'other.txt', text: 'other' }, tier: 'internal' },
    ]);
    try {
      // A service that cannot write leaves it as it is.
      const archive = { ...sample.archive, readOnly: true };
      const service = createService(archive, { assetUrl: 'http://files.test', version: '0' });
      const indexed = async () => {
        const counts: number[] = [];
        for (const tier of TIERS) {
          const token = await tokenFor(service, tier);
          const { json } = await call(service, '/v1/search?q=letter', { token });
          counts.push((json as SearchPage).index.indexed);
        }
        return counts;
      };
      expect(await indexed()).toEqual([2, 2, 2]);
      await redact(sample.archive, 'att_2', 'x');
      expect(await indexed()).toEqual([2, 1, 1]);
      await redact(sample.archive, 'att_1', 'x');
      expect(await indexed()).toEqual([1, 0, 0]);
    } finally {
      await sample.close();
    }
  });

  test('stays closed in a message that is imported later', async () => {
    const { sample, ids } = await searched([{ body: 'letter', file: FILE }]);
    try {
      await redact(sample.archive, 'att_1', 'x');
      await importAll(sample, [await mailOf({ body: 'letter', file: { ...FILE, name: 'othername.txt' } })]);
      for (const query of [...all, 'othername']) expect([query, await ids(query)]).toEqual([query, '']);
      expect(await ids('letter', { sort: 'newest' })).toBe('2 1');
    } finally {
      await sample.close();
    }
  });

  test('a message whose tier is raised leaves the lower tier', async () => {
    const { sample, mails, ids } = await searched([{ body: 'letter' }]);
    try {
      expect(await ids('letter', {}, 'external')).toBe('1');
      const writer = createMessageWriter(sample.archive, readSearchText);
      await writer.setTiers(mails.map(({ sha256 }) => ({ sha256, tier: 'mirror' })));
      expect(await ids('letter', {}, 'external')).toBe('');
      expect(await ids('letter', {}, 'mirror')).toBe('1');
    } finally {
      await sample.close();
    }
  });
});

test('an archive without an index is indexed by its first search', async () => {
  const { sample, ask, ids } = await searched(
    Array.from({ length: 600 }, (_, n) => ({ body: `letter ${n}` })),
  );
  try {
    const { database } = sample.archive;
    for (const tier of TIERS) {
      const [table, clear] = [`search_${tier}`, database.engine === 'sqlite'];
      await database.run(
        clear ? `INSERT INTO ${table} (${table}) VALUES ('delete-all')` : `DELETE FROM ${table}`,
      );
    }
    await database.run(`DELETE FROM meta WHERE key = 'search'`);
    const page = await ask('letter');
    expect(page.index).toEqual({ of: 600, indexed: 600, withheld: 0, withheld_files: 0 });
    expect(page.total).toBe(600);
    expect(await ids('letter 599')).toBe('600');
  } finally {
    await sample.close();
  }
});

test('an index of another version is made again', async () => {
  const { sample, ids } = await searched([{ body: 'letter' }]);
  try {
    await sample.archive.database.run(
      `UPDATE meta SET value = '{"version":0.5,"upto":1}' WHERE key = 'search'`,
    );
    expect(await ids('letter')).toBe('1');
  } finally {
    await sample.close();
  }
});

test('a phrase at the end of a long message is found', async () => {
  const words = Array.from({ length: 20_000 }, (_, n) => `word${n}`);
  const { sample, ids } = await searched([
    { body: `${words.join(' ')} needle in haystack` },
    { body: `${words.join(' ')} haystack in needle` },
    { body: `${'the '.repeat(400)} the end of it` },
  ]);
  try {
    expect(await ids('"needle in haystack"')).toBe('1');
    expect(await ids('"needle in haystack" OR "end of"', { sort: 'newest' })).toBe('3 1');
    expect(await ids('-"needle in haystack"', { sort: 'newest' })).toBe('3 2');
    expect(await ids('"the end of it"')).toBe('3');
    expect(await ids('"word19998 word19999"', { sort: 'newest' })).toBe('2 1');
  } finally {
    await sample.close();
  }
});

test('a word whose first place is beyond the last that is stored ends no phrase', async () => {
  const words = Array.from({ length: 16_400 }, (_, n) => `word${n}`);
  const { sample, ask } = await searched([{ body: `${words.join(' ')} needle` }]);
  // Not by the messages that are shown, since these are compared with their texts.
  const count = async (query: string) => (await ask(query, { count: 'true' })).total;
  try {
    for (let n = 16_370; n < 16_380; n += 1)
      expect([n, await count(`"word${n} needle"`), await count(`"word${n} word${n + 1}"`)]).toEqual([
        n,
        0,
        1,
      ]);
    expect(await count('"word16399 needle"')).toBe(1);
  } finally {
    await sample.close();
  }
});

test('a long message is read only where its stored places do not show that it matches', async () => {
  const text = `${'the '.repeat(400)} the end of it`;
  const { sample } = await searched([{ body: text }, { body: `${text}, more or less` }, { body: 'the end' }]);
  const find = async (query: string) => {
    const { expression } = parseQuery(query, START);
    let reads = 0;
    const finder = await createFinder(sample.archive.database, {
      expression,
      filters: [],
      reader: 'mirror',
      labelsOf: () => [],
      matches: () => Promise.resolve((reads += 1) > 0),
    });
    return { found: await finder.count(), reads };
  };
  try {
    expect(await find('"end of it"')).toEqual({ found: 2, reads: 0 });
    expect(await find('"the the the"')).toEqual({ found: 2, reads: 0 });
    expect(await find('"end of it" -"no phrase"')).toEqual({ found: 2, reads: 0 });
    expect(await find('"the end of"')).toEqual({ found: 2, reads: ENGINE === 'postgres' ? 2 : 0 });
    expect(await find('"end of it" -"it end"')).toEqual({ found: 2, reads: ENGINE === 'postgres' ? 2 : 0 });
  } finally {
    await sample.close();
  }
});

describe('drawn texts and queries', () => {
  /** 10,000 take eight minutes on each engine of a busy machine. */
  const QUERIES = Number(process.env['ARX_TEST_QUERIES'] ?? runs({ quick: 100, long: 120 }));
  const WORDS = [
    'usb',
    'hub',
    'Free',
    'frei',
    'é',
    'e',
    '日',
    '本',
    '日本',
    'กิน',
    '한글',
    'x1',
    '12',
    'ß',
    'ΣΑΣ',
    'ﬁ',
    'kernel',
    'kern',
  ];
  const text = fc
    .array(fc.constantFrom(...WORDS, '\n', '\n> ', '-', '.'), { maxLength: 8 })
    .map((words) => words.join(' '));
  const mail = fc.record({
    tier: fc.constantFrom(...TIERS),
    subject: text,
    from: text,
    body: text,
    date: fc.oneof(
      fc.constant(null),
      fc.integer({ min: 0, max: 800 }).map((day) => START - day * 86_400_000),
    ),
    file: fc.option(fc.record({ name: fc.constantFrom('usb.txt', 'kernel-log.txt', 'x'), text }), {
      nil: undefined,
    }),
  });
  const term = fc
    .tuple(
      fc.constantFrom('', '', '', 'from:', 'subject:', 'body:', 'file:', 'quoted:', 'unquoted:'),
      fc.constantFrom(...WORDS, '"usb hub"', '"free kernel"', 'us*', 'ker*', '"日本"', '"hub fr"*'),
    )
    .map((parts) => parts.join(''));
  const expression: fc.Memo<string> = fc.memo((depth) =>
    depth <= 1
      ? term
      : fc.oneof(
          term,
          fc.tuple(expression(), expression()).map(([a, b]) => `${a} ${b}`),
          fc.tuple(expression(), expression()).map(([a, b]) => `(${a} OR ${b})`),
          expression().map((a) => `-(${a})`),
        ),
  );

  let bench: Awaited<ReturnType<typeof searched>>;
  let texts: { n: number; tier: Tier; day: number; words: ReturnType<typeof searchWordsOf> }[];
  const REDACTED = 'secretword';
  beforeAll(async () => {
    const drawn = fc.sample(mail, { numRuns: 400, seed: 16 });
    bench = await searched(
      drawn.map((one, index) =>
        index % 9 === 0
          ? { ...one, file: { name: `${REDACTED}.txt`, text: `${REDACTED} ${index % 4}` } }
          : one,
      ),
    );
    const files = await bench.sample.archive.database.all<{
      n: number;
      message: number;
      filename: string;
      sha256: string;
    }>('SELECT n, message, filename, sha256 FROM attachments');
    for (const { n, filename } of files)
      if (filename.startsWith(REDACTED)) await redact(bench.sample.archive, `att_${n}`, 'x');
    texts = await Promise.all(
      bench.mails.map(async (message, index) => ({
        n: index + 1,
        tier: message.tier,
        day: message.date_ms === null ? 0 : Math.floor(message.date_ms / 86_400_000),
        words: searchWordsOf(
          await searchTextOf(
            {
              format: 'rfc822',
              subject: message.subject,
              sender: message.sender,
              raw: message.raw,
              mentions: null,
              files: message.attachments.map((file) => ({
                ...file,
                withheld: file.filename.startsWith(REDACTED),
              })),
            },
            async () => undefined,
          ),
        ),
      })),
    );
  });
  afterAll(() => bench.sample.close());

  property.prop([expression(4), fc.constantFrom(...TIERS)], { numRuns: QUERIES })(
    'find what an evaluation of each text finds, in the same order',
    async (query, tier) => {
      const parsed = parseQuery(query, START).expression!;
      const expected = texts
        .filter((one) => mayRead(tier, one.tier) && matches(parsed, one.words))
        .toSorted((a, b) => b.day - a.day || b.n - a.n)
        .map(({ n }) => `msg_${n}`);
      const page = await bench.ask(query, { sort: 'newest', limit: '500' }, tier);
      expect([query, page.data.map(({ id }) => id)]).toEqual([query, expected]);
      expect(page.total).toBe(expected.length);
      const ranked = await bench.ask(query, { limit: '500' }, tier);
      expect(ranked.data.map(({ id }) => id).sort()).toEqual(expected.sort());
    },
    300_000 + 1_000 * QUERIES,
  );

  test('and nothing that is redacted', async () => {
    for (const query of [REDACTED, `file:${REDACTED}`, 'secret*', `usb ${REDACTED}`]) {
      for (const tier of TIERS) {
        const page = await bench.ask(query, {}, tier);
        expect([query, page.total, page.data]).toEqual([query, 0, []]);
        expect(page.alone?.some(({ query: part, total }) => /secret/.test(part) && total > 0)).toBe(false);
      }
    }
  });
});

describe('planted words', () => {
  const PLANTED = runs({ quick: 2_000, long: 5_000 });
  const word = (n: number) => `planted${n.toString(36)}q`;
  const QUERIES = ['letter', 'letter OR common', 'subject:letter', '-absent', 'common has:attachment'];
  const VIEWS: Record<string, string>[] = [
    { sort: 'relevance', limit: '500' },
    { sort: 'oldest', limit: '500' },
    ...['year', 'from', 'type', 'city', 'conversation'].map((facet) => ({ facet, limit: '500' })),
  ];

  test('in rows above the tier and in redacted files change nothing that a reader gets', async () => {
    const visible = Array.from({ length: 30 }, (_, n) => ({
      subject: `letter ${n}`,
      from: `writer ${n % 3}`,
      body: 'common text',
      date: START - n * 86_400_000,
    }));
    const { sample, ask } = await searched([...visible, { body: 'absent', subject: 'x' }]);
    try {
      const views = async () => {
        const seen: unknown[] = [];
        for (const query of QUERIES) {
          for (const view of VIEWS) {
            const { total, data, counts, values } = await ask(query, view, 'external');
            seen.push([query, view, total, data, counts, values]);
          }
        }
        return seen;
      };
      const before = await views();
      // Ten planted words in each message; those of visible messages stand in redacted files.
      const hidden: Mail[] = Array.from({ length: PLANTED / 10 }, (_, n) => {
        const [a, b, c, d, e, f, g, h, i, j] = Array.from({ length: 10 }, (_none, at) => word(10 * n + at));
        return {
          tier: n % 2 === 0 ? 'internal' : 'mirror',
          subject: `letter common ${a} ${b}`,
          from: `${c} ${d}`,
          body: `letter common ${e}\n> ${f} ${g}`,
          date: START - n * 86_400_000,
          file: { name: `${h}.txt`, text: `common ${i} ${j}` },
        };
      });
      await importAll(sample, await Promise.all(hidden.map(mailOf)));
      expect(await views()).toEqual(before);
      const closed = Array.from({ length: 20 }, (_, n) => ({
        subject: 'closed',
        body: 'closed',
        file: { name: `${word(PLANTED + n)}.txt`, text: word(PLANTED + 100 + n) },
      }));
      const mails = await Promise.all(closed.map(mailOf));
      await importAll(sample, mails);
      const files = await sample.archive.database.all<{ n: number; filename: string }>(
        'SELECT n, filename FROM attachments ORDER BY n DESC LIMIT 20',
      );
      for (const { n } of files) await redact(sample.archive, `att_${n}`, 'x');
      expect((await ask('closed', {}, 'external')).total).toBe(20);

      const words = [
        ...Array.from({ length: PLANTED }, (_, n) => word(n)),
        ...closed.flatMap(({ file }) => [file.name.replace('.txt', ''), file.text]),
      ];
      for (let at = 0; at < words.length; at += 60) {
        const query = words.slice(at, at + 60).join(' OR ');
        for (const view of VIEWS.slice(1)) {
          const page = await ask(query, view, 'external');
          expect([at, view, page.total, page.data, page.counts ?? []]).toEqual([at, view, 0, [], []]);
        }
        const [first, second] = words.slice(at);
        const alone = await ask(`${first} ${second ?? 'absent'} ${first}*`, {}, 'external');
        expect([alone.total, alone.alone!.slice(0, 1)]).toEqual([0, [{ query: first, total: 0 }]]);
      }
      // They are there, for those who may see them.
      expect((await ask(`${word(0)} OR ${word(11)}`, {}, 'mirror')).total).toBe(2);
    } finally {
      await sample.close();
    }
  }, 300_000);
});
