// Filters at a service that is not ours: it may ignore, refuse or compare them in its own way.
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { arx } from '../../support/command.ts';
import { answer, type Misbehaving } from '../../support/misbehaving-server.ts';
import { serveStranger, type StrangerOptions } from '../../support/stranger.ts';
import { sampleData } from '../../support/sample.ts';
import { serve } from '../../support/served.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const env = { LANG: 'C.UTF-8', ARX_TOKEN: 'tok_given' };
const MESSAGES = Array.from({ length: 400 }, (_, n) => ({
  id: `msg_${n + 1}`,
  conversation_id: n === 250 || n === 370 ? 'conv_x' : `conv_${n % 50}`,
}));
const OF_X = [MESSAGES[250], MESSAGES[370]];
const CITIES = ['lisbon', 'porto', 'Lisbon', 'faro'];
const ROWS = Array.from({ length: 240 }, (_, n) => ({
  id: `att_${n + 1}`,
  filename: `${n}.txt`,
  file_url: null,
  sha256: 'a'.repeat(64),
  redacted: false,
  decorative_layer: false,
  first_visible: true,
  origin_city: CITIES[n % 4],
}));
const IN_LISBON = ROWS.filter(({ origin_city }) => origin_city === 'lisbon');

let dir: string;
let server: Misbehaving | undefined;
beforeAll(() => {
  dir = tempFolder('filtered-list');
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function at(options: StrangerOptions, line: string) {
  await server?.close();
  server = await serveStranger(options);
  const ran = await arx(dir, `${line} --json --base-url ${server.url}`, { env });
  const { data, summary, ...rest } = ran.stdout === '' ? ({} as never) : JSON.parse(ran.stdout);
  return { ...ran, data, summary, rest, requests: server.requests.length };
}
const noticesOf = ({ stderr }: { stderr: string }) =>
  stderr.split('\n').filter((line) => !line.startsWith('{') && line !== '');

const ignores: StrangerOptions = { lists: { '/messages': MESSAGES, '/v1/attachments': ROWS } };
const applies: StrangerOptions = {
  ...ignores,
  filter: (row, query) =>
    [['conversation', 'conversation_id'] as const, ['origin_city', 'origin_city'] as const].every(
      ([parameter, field]) => !query.has(parameter) || row[field] === query.get(parameter),
    ),
};
const refuses: StrangerOptions = {
  ...ignores,
  respond: (_, query) =>
    query.has('conversation') || query.has('origin_city')
      ? answer(400, '{"error":{"code":"unknown_parameter","message":"unknown parameter"}}')
      : undefined,
};
const folds: StrangerOptions = {
  ...ignores,
  filter: (row, query) =>
    !query.has('origin_city') ||
    String(row['origin_city']).toLowerCase() === query.get('origin_city')!.toLowerCase(),
};

describe.each([
  ['applies the filter', applies, []],
  ['ignores the filter', ignores, ['arx: the service ignores the filter conversation: applied here']],
  ['refuses the filter', refuses, ['arx: the service refuses the filter conversation: applied here']],
])('a service that %s', (_, options, notices) => {
  test('messages of a conversation by a walk', async () => {
    const ran = await at(options, 'messages ls --conversation conv_x --walk');
    expect(ran.exit).toBe(0);
    expect(ran.data).toEqual(OF_X);
    expect(ran.summary).toMatchObject({ rows: 2, complete: true });
    expect(noticesOf(ran)).toEqual(notices);
  });

  test('one page of messages has the first matching rows, and says whether there are more', async () => {
    const two = await at(options, 'messages ls --conversation conv_x --limit 20');
    expect(two.data).toEqual(OF_X);
    expect(two.summary).toMatchObject({ rows: 2, has_more: false, complete: true });
    expect(two.exit).toBe(0);
    expect(noticesOf(two)).toEqual(notices);
    const one = await at(options, 'messages ls --conversation conv_x --limit 1');
    expect(one.data).toEqual(OF_X.slice(0, 1));
    expect(one.summary).toMatchObject({ rows: 1, has_more: true, complete: false });
  });

  test('its cursors go on, forwards and backwards', async () => {
    const after = await at(options, 'messages ls --conversation conv_x --after msg_251');
    expect(after.data).toEqual(OF_X.slice(1));
    const before = await at(options, 'messages ls --conversation conv_x --before msg_400 --limit 1');
    expect(before.data).toEqual(OF_X.slice(1));
    expect(before.summary).toMatchObject({ has_more: true });
    const between = await at(options, 'messages ls --conversation conv_x --after msg_10 --before msg_371');
    expect(between.data).toEqual(OF_X.slice(0, 1));
    expect(between.summary).toMatchObject({ has_more: false, complete: false });
  });

  test('the files of a city', async () => {
    const all = await at(options, 'attachments ls --city lisbon --all');
    expect({ exit: all.exit, data: all.data }).toEqual({ exit: 0, data: IN_LISBON });
    expect(all.summary).toMatchObject({ rows: 60, complete: true });
    expect(noticesOf(all)).toHaveLength(notices.length);
    const page = await at(options, 'attachments ls --city lisbon --limit 25');
    expect(page.data).toEqual(IN_LISBON.slice(0, 25));
    expect(page.summary).toMatchObject({ rows: 25, complete: false });
  });

  test('a conversation with its messages', async () => {
    const conversations = [{ id: 'conv_1' }, { id: 'conv_x', message_count: 2 }];
    const lists = { ...options.lists, '/v1/conversations': conversations };
    const ran = await at({ ...options, lists }, 'conversations show conv_x');
    expect(ran.rest).toMatchObject({
      id: 'conv_x',
      messages: { data: OF_X, summary: { rows: 2, complete: true } },
    });
    expect(ran.exit).toBe(0);
  });
});

test('a service that compares without case gives only the exact value, and this is said', async () => {
  const all = await at(folds, 'attachments ls --city lisbon --all');
  expect({ exit: all.exit, data: all.data }).toEqual({ exit: 0, data: IN_LISBON });
  expect(noticesOf(all)).toEqual(['arx: the service gives rows with another origin_city too: applied here']);
  const page = await at(folds, 'attachments ls --city lisbon --limit 30');
  expect(page.data).toEqual(IN_LISBON.slice(0, 30));
});

describe('a service that leaves out rows that match, and shows others', () => {
  /** Of lisbon it leaves out every third row, and shows one of another city as the `stray`th of all. */
  const wrong = (stray: number): StrangerOptions => ({
    ...ignores,
    filter: ({ id, origin_city: city }, query) =>
      !query.has('origin_city') ||
      (city === query.get('origin_city') ? IN_LISBON.findIndex((row) => row.id === id) % 3 !== 1 : false) ||
      (id === `att_${stray}` && query.get('origin_city') === 'lisbon'),
    body: (data, has_more) => ({ data: data.slice(0, 10), has_more: has_more || data.length > 10 }),
  });

  test('seen on the first page: the filter is applied here, exact', async () => {
    const ran = await at(wrong(2), 'attachments ls --city lisbon --all');
    expect({ exit: ran.exit, data: ran.data }).toEqual({ exit: 0, data: IN_LISBON });
    expect(noticesOf(ran)).toEqual([
      'arx: the service gives rows with another origin_city too: applied here',
    ]);
  });

  test('seen on a later page: exit 3, with the rows that match', async () => {
    const ran = await at(wrong(118), 'attachments ls --city lisbon --all');
    expect(ran.exit).toBe(3);
    expect(ran.summary.complete).toBe(false);
    expect(ran.stderr).toContain('the service leaves out rows that match the filter origin_city');
    expect(ran.data.every((row: { origin_city: string }) => row.origin_city === 'lisbon')).toBe(true);
  });
});

test('a service that applies a filter gets one request more, and none where its page is the whole list', async () => {
  expect((await at(applies, 'attachments ls --city lisbon --limit 20')).requests).toBe(2);
  expect((await at(applies, 'attachments ls --city lisbon --limit 100')).requests).toBe(1);
});

describe('a service that gives no rows for a filter', () => {
  /** Answers each filter that `isEmpty` with an empty list; the others are applied. */
  const emptyFor = (isEmpty: (value: string) => boolean): StrangerOptions => ({
    ...applies,
    respond: (_, query) =>
      ['conversation', 'origin_city'].some((name) => query.has(name) && isEmpty(query.get(name)!))
        ? answer(200, '{"data":[],"has_more":false}')
        : undefined,
  });
  const never = emptyFor(() => true);
  const notice = (parameter: string) =>
    `arx: the service gives no rows for the filter ${parameter}, although rows have it: applied here`;

  test.each([
    ['attachments ls --city lisbon --all', 'origin_city', IN_LISBON],
    ['attachments ls --city lisbon --limit 7', 'origin_city', IN_LISBON.slice(0, 7)],
    // No row of the first page is of this conversation, but each has one.
    ['messages ls --conversation conv_x', 'conversation', OF_X],
    ['messages ls --conversation conv_x --walk', 'conversation', OF_X],
  ])('%s is filtered here', async (line, parameter, rows) => {
    const ran = await at(never, line);
    expect({ exit: ran.exit, data: ran.data }).toEqual({ exit: 0, data: rows });
    expect(noticesOf(ran)).toEqual([notice(parameter)]);
  });

  test('a single value that it does not find, although rows have it', async () => {
    const ran = await at(
      emptyFor((value) => value === 'Lisbon'),
      'attachments ls --city Lisbon --all',
    );
    expect({ exit: ran.exit, rows: ran.data.length }).toEqual({ exit: 0, rows: 60 });
    expect(noticesOf(ran)).toEqual([notice('origin_city')]);
  });

  test('an empty answer is believed where the filter is seen to work', async () => {
    const ran = await at(applies, 'attachments ls --city nowhere');
    expect({ exit: ran.exit, data: ran.data, summary: ran.summary }).toEqual({
      exit: 0,
      data: [],
      summary: {
        rows: 0,
        total: 0,
        withheld: 0,
        absent: 0,
        has_more: false,
        drift_ratio: null,
        complete: true,
      },
    });
    // The notice about the city is the only one, and not about the filter.
    expect(noticesOf(ran)).toEqual([
      expect.stringMatching(/^arx: no city "nowhere"; arx --base-url \S+ attachments cities lists them$/),
    ]);
    const other = await at(applies, 'messages ls --conversation nowhere');
    expect({ exit: other.exit, data: other.data, notices: noticesOf(other) }).toEqual({
      exit: 0,
      data: [],
      notices: [],
    });
    expect(other.requests).toBe(3);
  });

  test('one empty answer by a fault is asked for again', async () => {
    let count = 0;
    const respond = () => ((count += 1) === 1 ? answer(200, '{"data":[],"has_more":false}') : undefined);
    const ran = await at({ ...applies, respond }, 'attachments ls --city lisbon --limit 100');
    expect({ exit: ran.exit, data: ran.data }).toEqual({ exit: 0, data: IN_LISBON });
    expect(noticesOf(ran)).toEqual([]);
  });

  test('no row shows the field: it cannot be told, exit 3', async () => {
    const respond: StrangerOptions['respond'] = (_, query) =>
      query.has('message_id') ? answer(200, '{"data":[]}') : undefined;
    const ran = await at({ ...applies, respond }, 'attachments ls --message msg_1 --all');
    expect({ exit: ran.exit, data: ran.data }).toEqual({ exit: 3, data: [] });
    expect(ran.stderr).toContain('cannot tell whether the service knows the filter message_id');
    const none = await at({ lists: { '/v1/attachments': [] } }, 'attachments ls --message msg_1');
    expect(none.exit).toBe(0);
  });

  test('of two filters, the one that works is still sent', async () => {
    const rows = ROWS.map((row, n) => ({ ...row, source: n % 8 === 0 ? 'external' : 'gateway' }));
    const lists = { '/v1/attachments': rows };
    const respond: StrangerOptions['respond'] = (_, query) =>
      query.has('source') ? answer(200, '{"data":[]}') : undefined;
    const ran = await at(
      { ...applies, lists, respond },
      'attachments ls --city lisbon --source external --all',
    );
    expect(ran.data).toEqual(rows.filter(({ source }) => source === 'external'));
    expect(noticesOf(ran)).toEqual([notice('source')]);
    expect(server!.requests.at(-1)!.head).toContain('origin_city=lisbon');
  });
});

describe('a service that gives other pages than were asked for', () => {
  /** Gives at most 30 rows and does not say whether more follow. */
  const clamps = (rest: Partial<StrangerOptions> = {}): StrangerOptions => ({
    ...ignores,
    body: (data) => ({ data: data.slice(0, 30) }),
    ...rest,
  });

  test.each(['messages ls', 'attachments ls'])('%s --limit reads on where pages are cut', async (command) => {
    const all = command === 'messages ls' ? MESSAGES : ROWS;
    const some = await at(clamps(), `${command} --limit 100`);
    expect({ exit: some.exit, data: some.data }).toEqual({ exit: 0, data: all.slice(0, 100) });
    expect(some.summary).toMatchObject({ has_more: true, complete: false });
    const most = await at(clamps(), `${command} --limit 500`);
    expect({ exit: most.exit, data: most.data }).toEqual({ exit: 0, data: all });
    expect(most.summary).toMatchObject({ has_more: false, complete: true });
  });

  test('without --limit it is said that more rows may follow', async () => {
    server = await serveStranger(clamps());
    const table = await arx(dir, `messages ls -o table --base-url ${server.url}`, { env });
    expect(table.stdout + table.stderr).toContain(
      '20 rows · 0 withheld · more rows may follow · not complete',
    );
    for (const output of ['tsv', 'ndjson']) {
      const ran = await arx(dir, `messages ls -o ${output} --base-url ${server.url}`, { env });
      expect(ran.stderr).toBe(
        `arx: the service does not say whether more rows follow; next page: arx messages ls -o ${output} --base-url ${server.url} --after msg_20; all rows: arx messages ls -o ${output} --base-url ${server.url} --all\n`,
      );
    }
  });

  test.each([
    ['refuses its cursors', () => answer(400, '{}')],
    ['gives nothing after them', () => answer(200, '{"data":[]}')],
    ['ignores them', () => answer(200, JSON.stringify({ data: MESSAGES.slice(0, 30) }))],
  ])('where it %s, nothing says that the page is the whole list', async (_, reply) => {
    const respond: StrangerOptions['respond'] = (_path, query) =>
      query.has('starting_after') ? reply() : undefined;
    const ran = await at(clamps({ respond }), 'messages ls --limit 500');
    expect({ exit: ran.exit, data: ran.data }).toEqual({ exit: 0, data: MESSAGES.slice(0, 30) });
    expect(ran.summary).toMatchObject({ has_more: null, complete: false });
    expect((await at(clamps({ respond }), 'messages ls --limit 500 --strict')).exit).toBe(3);
  });

  test('more rows than were asked for are left out, and it is said that there are more', async () => {
    const whole = () => answer(200, JSON.stringify({ data: MESSAGES, has_more: false }));
    const ran = await at({ ...ignores, respond: whole }, 'messages ls --limit 5');
    expect({ exit: ran.exit, data: ran.data }).toEqual({ exit: 0, data: MESSAGES.slice(0, 5) });
    expect(ran.summary).toMatchObject({ has_more: true, complete: false });
  });

  test('before a row, the notice names the cursor that leads on', async () => {
    server = await serveStranger(ignores);
    const ran = await arx(dir, `messages ls --before msg_100 --limit 5 --base-url ${server.url}`, { env });
    expect(ran.stderr).toBe(
      `arx: more rows follow; next page: arx messages ls --limit 5 --base-url ${server.url} --before msg_95; all rows: arx messages ls --base-url ${server.url} --all\n`,
    );
  });
});

describe('rows that do not show the field', () => {
  const hidden = ROWS.map((row, n) =>
    n % 8 === 0 ? { ...row, redacted: true, origin_city: undefined } : row,
  );
  const lists = { '/v1/attachments': hidden };
  const known = ROWS.map(({ origin_city }) => origin_city);
  const shown = hidden.filter(({ origin_city }) => origin_city === 'lisbon');

  test('are kept where the service is seen to apply the filter', async () => {
    const filter: StrangerOptions['filter'] = (row, query) =>
      !query.has('origin_city') || known[Number(row.id.slice(4)) - 1] === query.get('origin_city');
    const ran = await at({ lists, filter }, 'attachments ls --city lisbon --all');
    expect(ran.data).toHaveLength(60);
    expect(ran.exit).toBe(0);
    expect(noticesOf(ran)).toEqual([]);
  });

  test.each([
    ['ignores it', { lists }],
    ['refuses it', { ...refuses, lists }],
  ])('are left out where the service %s: exit 3', async (_, options) => {
    for (const line of ['attachments ls --city lisbon --all', 'attachments ls --city lisbon --limit 100']) {
      const ran = await at(options, line);
      expect(ran.exit).toBe(3);
      expect(ran.data).toEqual(shown);
      expect(ran.summary).toMatchObject({ complete: false });
      expect(ran.stderr).toContain('30 rows do not show origin_city');
    }
  });

  test('a pull does not take them either', async () => {
    const ran = await at({ lists }, 'attachments pull --city lisbon --dry-run');
    expect(ran.rest).toMatchObject({ absent: 30, files: 0 });
    expect(ran.exit).toBe(3);
    expect(ran.stderr).toContain('30 rows do not show origin_city');
  });
});

test('a walk with a log says what the log has: all rows where the filter is applied here', async () => {
  const log = 'messages ls --conversation conv_x --walk --freeze';
  expect((await at(ignores, `${log} ignored`)).data).toEqual(OF_X);
  const verified = await arx(dir, 'conversations plot ignored --json');
  expect(JSON.parse(verified.stdout).walk).toMatchObject({ list: 'messages', conversations: 400 });
  expect((await at(applies, `${log} applied`)).data).toEqual(OF_X);
  const applied = await arx(dir, 'conversations plot applied --json');
  expect(JSON.parse(applied.stdout).walk).toMatchObject({
    list: 'messages conversation=conv_x',
    conversations: 2,
  });
});

test('without cursors the rest of a list is not looked at: exit 3', async () => {
  const respond = (_: string, query: URLSearchParams) =>
    query.has('starting_after') ? answer(400, '{"error":{"message":"unknown parameter"}}') : undefined;
  const ran = await at({ ...ignores, respond }, 'messages ls --conversation conv_x');
  expect(ran.exit).toBe(3);
  expect(ran.summary).toMatchObject({ has_more: null, complete: false });
});

describe('events of one effect', () => {
  const events = Array.from({ length: 60 }, (_, n) => ({
    id: `evt_${n}`,
    type: 'mirror.detected',
    status: 'partial',
    payload: {},
    effect: n % 30 === 29 ? 'dead' : 'applied',
  }));
  const lists = { '/api/webhooks/events': events };

  test('at a service that ignores the filter', async () => {
    const ran = await at({ lists }, 'events ls --effect dead');
    expect(ran.data.map(({ id }: { id: string }) => id)).toEqual(['evt_29', 'evt_59']);
    expect(noticesOf(ran)).toEqual(['arx: the service ignores the filter effect: applied here']);
    expect(ran.exit).toBe(0);
  });
});

describe('first messages of conversations', () => {
  test('a service that ignores opening is refused', async () => {
    const twice = MESSAGES.map((row, n) => ({ ...row, conversation_id: `conv_${n >> 1}` }));
    const ran = await at({ lists: { '/messages': twice } }, 'messages ls --opening');
    expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit: 11, stdout: '' });
    expect(ran.stderr).toContain('the service ignores opening');
  });

  test('one faulty page does not hide that a service ignores opening', async () => {
    const twice = MESSAGES.map((row, n) => ({ ...row, conversation_id: `conv_${n >> 1}` }));
    let count = 0;
    // The first page misses every second message, as openings would.
    const respond = () =>
      (count += 1) === 1
        ? answer(
            200,
            JSON.stringify({ data: twice.filter((_, n) => n % 2 === 0).slice(0, 100), has_more: true }),
          )
        : undefined;
    const ran = await at({ lists: { '/messages': twice }, respond }, 'messages ls --opening --walk');
    expect(ran.exit).toBe(11);
    expect(ran.stderr).toContain('the service ignores opening');
  });

  test('one message in each conversation: it cannot be told', async () => {
    const single = MESSAGES.map((row, n) => ({ ...row, conversation_id: `conv_${n}` }));
    const ran = await at({ lists: { '/messages': single } }, 'messages ls --opening');
    expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit: 3, stdout: '' });
  });

  test('a service that applies it', async () => {
    const filter: StrangerOptions['filter'] = ({ id }, query) =>
      query.get('opening') !== 'true' || Number(id.slice(4)) <= 50;
    const twice = [...MESSAGES.slice(50, 60), ...MESSAGES];
    const ran = await at(
      { lists: { '/messages': twice.slice(10) }, filter },
      'messages ls --opening --limit 60',
    );
    expect(ran.exit).toBe(0);
    expect(ran.data).toEqual(MESSAGES.slice(0, 50));
  });
});

test('conversations show, without a list of messages, shows those of the record: exit 3', async () => {
  const messages = { data: [{ id: 'msg_1' }], has_more: false };
  const lists = { '/v1/conversations': [{ id: 'conv_1', messages }] };
  const ran = await at({ lists }, 'conversations show conv_1');
  expect(ran.exit).toBe(3);
  expect(ran.rest).toMatchObject({
    id: 'conv_1',
    messages: { data: [{ id: 'msg_1' }], summary: { complete: false } },
  });
  expect(ran.stderr).toMatch(/"message":"conv_1: its messages cannot be listed: /);
});

test('of two filters only the one that is refused is applied here', async () => {
  const rows = ROWS.map((row, n) => ({ ...row, source: n % 8 === 0 ? 'external' : 'gateway' }));
  const respond: StrangerOptions['respond'] = (_, query) =>
    query.has('source') ? answer(422, '{"error":{"code":"unknown_parameter"}}') : undefined;
  const lists = { '/v1/attachments': rows };
  const line = 'attachments ls --city lisbon --source external --all';
  const ran = await at({ ...applies, lists, respond }, line);
  expect(ran.exit).toBe(0);
  expect(ran.data).toEqual(rows.filter(({ source }) => source === 'external'));
  expect(noticesOf(ran)).toEqual(['arx: the service refuses the filter source: applied here']);
  expect(server!.requests.at(-1)!.head).toContain('origin_city=lisbon');
});

test('a row without the field redacted is not redacted', async () => {
  const rows = ROWS.map((row, n) => ({ ...row, redacted: n % 3 === 0 ? true : undefined }));
  const lists = { '/v1/attachments': rows };
  const ran = await at({ lists }, 'attachments ls --redacted no --all');
  expect({ exit: ran.exit, rows: ran.data.length }).toEqual({ exit: 0, rows: 160 });
  expect(noticesOf(ran)).toEqual(['arx: the service ignores the filter redacted: applied here']);
});

test('no service can hide a row behind the name of a filter', async () => {
  const rows = [{ id: 'msg_1' }, { id: 'msg_2', conversation_id: '__proto__' }];
  const ran = await at({ lists: { '/messages': rows } }, 'messages ls --conversation __proto__');
  expect(ran.data).toEqual(rows.slice(1));
  expect(ran.exit).toBe(3);
});

test.each(['conversations', 'messages', 'attachments'])(
  '%s ls: a cursor that is ignored is exit 11',
  async (name) => {
    const respond = (path: string, query: URLSearchParams) =>
      query.has('starting_after') || query.has('ending_before')
        ? answer(200, JSON.stringify({ data: lists[path]!.slice(0, 20), has_more: true }))
        : undefined;
    const lists: StrangerOptions['lists'] = {
      '/messages': MESSAGES,
      '/v1/attachments': ROWS,
      '/v1/conversations': MESSAGES,
    };
    const id = name === 'attachments' ? 'att_200' : 'msg_200';
    for (const cursor of ['--after', '--before']) {
      const ran = await at({ lists, respond }, `${name} ls ${cursor} ${id} --limit 20`);
      expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit: 11, stdout: '' });
      expect(ran.stderr).toContain(`the service ignores ${cursor} ${id}`);
      expect(await at({ lists }, `${name} ls ${cursor} ${id} --limit 20`)).toMatchObject({ exit: 0 });
    }
  },
);

describe('an end that no row has is named', () => {
  const lists: StrangerOptions['lists'] = {
    '/messages': MESSAGES,
    '/v1/attachments': ROWS,
    '/v1/conversations': MESSAGES,
    '/api/sequence/mirror_relay': MESSAGES,
  };
  const isUnknown = (query: URLSearchParams) =>
    ['starting_after', 'ending_before'].some(
      (name) => query.has(name) && !/^(msg|att)_\d+$/.test(query.get(name)!),
    );
  const kinds: Record<string, StrangerOptions> = {
    'with 404': { lists },
    'with 400': { lists, respond: (_, query) => (isUnknown(query) ? answer(400, '{}') : undefined) },
    'with an empty page': {
      lists,
      respond: (_, query) => (isUnknown(query) ? answer(200, '{"data":[]}') : undefined),
    },
  };

  test.each(
    Object.keys(kinds).flatMap((kind) =>
      [
        'messages ls --after gone',
        'messages ls --after msg_3 --before gone',
        'messages ls --after gone --before msg_9',
        'messages ls --walk --after msg_3 --before gone',
        'attachments ls --all --after gone --before att_9',
        'conversations walk --after msg_3 --before gone',
        'conversations ls --before gone',
        'sequence show mirror_relay --before gone',
        'sequence show mirror_relay --all --after gone',
      ].map((line) => [kind, line] as const),
    ),
  )('by a service that answers %s: %s', async (kind, line) => {
    const ran = await at(kinds[kind]!, line);
    expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit: 6, stdout: '' });
    expect(ran.stderr).toContain(`${/--\w+ gone/.exec(line)![0]}: the list has no such row`);
  });

  test('not where the service refuses each cursor, nor for the rows at the ends', async () => {
    const respond: StrangerOptions['respond'] = (_, query) =>
      query.has('ending_before') ? answer(404, '{}') : undefined;
    const ran = await at({ lists, respond }, 'messages ls --before msg_9');
    expect(ran.stderr).not.toContain('no such row');
    for (const end of ['--after msg_400', '--before msg_1'])
      expect((await at({ lists }, `messages ls ${end}`)).exit).toBe(0);
  });
});

test('sequence show: a cursor that is ignored is exit 11', async () => {
  const path = '/api/sequence/arc_reconstruction';
  const data = Array.from({ length: 60 }, (_, n) => ({ id: `entry_${n}`, sequence: n }));
  const lists = { [path]: data };
  const line = 'sequence show arc_reconstruction --after entry_30 --limit 5';
  expect((await at({ lists }, line)).data.map(({ id }: { id: string }) => id)[0]).toBe('entry_31');
  const respond = () => answer(200, JSON.stringify({ data: data.slice(0, 5), has_more: true }));
  const ran = await at({ lists, respond }, line);
  expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit: 11, stdout: '' });
});

test('our own service as a strict one refuses parameters, and refuses values as ever', async () => {
  const own = join(dir, 'strict');
  await sampleData(join(own, 'data'));
  const line = 'messages ls --conversation conv_1 --fields id -o tsv';
  const expected = (await arx(own, line)).stdout;
  expect(expected).toContain('msg_1\n');
  const served = await serve(own, ['--list-variants', 'strict']);
  try {
    const login = await arx(
      own,
      `login --client-id a --observer-tier internal --requested-tier internal --base-url ${served.base_url}`,
    );
    expect(login.exit).toBe(0);
    const ran = await arx(own, `${line} --base-url ${served.base_url}`);
    expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit: 0, stdout: expected });
    expect(ran.stderr).toBe('arx: the service refuses the filter conversation: applied here\n');
  } finally {
    await served.close();
  }
  expect(await arx(own, 'messages ls --conversation nonsense')).toMatchObject({ exit: 2, stdout: '' });
  expect(await arx(own, 'messages ls --conversation conv_999')).toMatchObject({ exit: 6, stdout: '' });
});

test('our own service lists only rows that show the field, and is asked once for withheld ones', async () => {
  const own = join(dir, 'own');
  await sampleData(join(own, 'data'));
  const { exit, stdout, stderr } = await arx(own, 'attachments ls --city lisbon --limit 2 --json -v');
  expect(exit).toBe(0);
  expect(JSON.parse(stdout).data.map((row: object) => 'origin_city' in row)).toEqual([true, true]);
  expect(stderr.match(/GET \/v1\/attachments/g)).toHaveLength(2);
});
