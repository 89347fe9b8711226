// Group B of the bad inputs: JSON that is not what the interface promises; the transport is a plain function here.
import { NEXT_CURSOR } from '../../src/client/shapes/page-facts.ts';
import { describe, expect, test } from 'vitest';
import { createClient, type Client } from '../../src/client/index.ts';
import { UNUSABLE_HASH } from '../../src/contract/attachment-file.ts';
import { exactJsonText } from '../../src/contract/exact-json.ts';
import type { Transport } from '../../src/client/transport.ts';
import type { FaultKind } from '../../src/faults.ts';
import { clientWorld, faultFrom, NOW, TOKEN } from './fixture.ts';

type Body = string | Uint8Array;

function clientFor(
  body: Body | (() => Body),
  status = 200,
  headers: Record<string, string> = {},
  notice?: (line: string) => void,
): Client {
  const transport: Transport = async () => ({
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: (async function* () {
      const given = typeof body === 'function' ? body() : body;
      yield typeof given === 'string' ? new TextEncoder().encode(given) : given;
    })(),
  });
  return createClient({
    baseUrl: 'https://archive.test',
    transport,
    bearer: async () => TOKEN,
    retries: 0,
    world: clientWorld(),
    ...(notice === undefined ? {} : { notice }),
  });
}

const HASH = 'a'.repeat(64);
const ROW = {
  id: 'att_1',
  filename: 'a.png',
  file_url: null,
  sha256: HASH,
  redacted: false,
  decorative_layer: false,
  first_visible: true,
};
const LORE = {
  id: 'msg_1',
  glyph_trigger: 'entry_1',
  classification: 'seed_token',
  sequence_status: 'non_linear',
  integrity: 0.5,
  origin: 'derived',
  source: 'external',
};
const GOOD_TOKEN = {
  access_token: 'arx_abc',
  expires_at: new Date(NOW + 3_600_000).toISOString(),
  scope: ['read:messages'],
  access_tier: 'internal',
  issued_by: 'mirror',
  timeline_offset_ms: -4,
  session_drift_ms: 9,
  source_integrity: 1,
};
const REQUEST = { client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' };

const rows = (change: object): string =>
  JSON.stringify({ status: 'stable', data: [ROW, { ...ROW, ...change }] });
const lore = (change: object): string => JSON.stringify({ view: 'lore', data: { ...LORE, ...change } });
const token = (change: object): string => JSON.stringify({ ...GOOD_TOKEN, ...change });

const list = (client: Client): Promise<unknown> => client.attachments();
const raw = (client: Client): Promise<unknown> => client.content('msg_1', { view: 'raw' });
const content = (client: Client): Promise<unknown> => client.content('msg_1', { view: 'lore' });
const piped = (client: Client): Promise<unknown> =>
  client.content('msg_1', { view: 'lore', include_pipeline: true });
const login = (client: Client): Promise<unknown> => client.token(REQUEST);

describe('B: bodies that are refused as protocol faults', () => {
  const cases: [
    id: string,
    what: string,
    body: Body,
    call: (client: Client) => Promise<unknown>,
    words: RegExp,
  ][] = [
    ['B1', 'not JSON', `{"data":[${TOKEN}`, list, /^answer is not JSON \(\d+ bytes\)$/],
    ['B1', 'two byte order marks', '\u{feff}\u{feff}{"data":[]}', list, /answer is not JSON/],
    ['B1', 'two documents', '{"data":[]}{"data":[]}', list, /^answer is not JSON/],
    ['B2', 'number', '7', list, /^attachments: answer is no list$/],
    ['B2', 'string', '"x"', list, /^attachments: answer is no list$/],
    ['B2', 'null', 'null', list, /^attachments: answer is no list$/],
    ['B2', 'array for a record', '[]', (client) => client.health(), /at \$: /],
    ['B2', 'object without rows', '{"status":"stable"}', list, /^attachments: answer has no list in it$/],
    [
      'B4',
      'redacted true, then false',
      rows({}).replace('"redacted":false', '"redacted":true,"redacted":false'),
      list,
      /^answer has two values for one key: redacted$/,
    ],
    [
      'B4',
      'a key twice, once with an escape',
      rows({}).replace('"file_url":null', '"file_url":null,"file\\u005furl":"https://a.example/"'),
      list,
      /^answer has two values for one key: file_url$/,
    ],
    [
      'B4',
      'two tokens',
      token({}).replace('{', '{"access_token":"a",'),
      login,
      /^answer has two values for one key: access_token$/,
    ],
    [
      'B5',
      'six million brackets',
      Buffer.concat([Buffer.alloc(6e6, '['), Buffer.alloc(6e6, ']')]),
      list,
      /more than 200 levels/,
    ],
    ['B5', 'millions of values', `{"data":[${'0,'.repeat(2e6)}0]}`, list, /more than 2000000 values/],
    [
      'B5',
      '200,000 fields of other names',
      `{"data":[{${Array.from({ length: 200_000 }, (_, n) => `"k${n}":0`).join(',')}}]}`,
      list,
      /more than 150000 different field names/,
    ],
    [
      'B5',
      '200,000 fields of other names, in many rows and with white space',
      `{"data":[${Array.from({ length: 200_000 }, (_, n) => `{"k${n}" : 0}`).join(', ')}]}`,
      list,
      /more than 150000 different field names/,
    ],
    [
      'B5',
      '400,000 numbers beyond the range',
      `{"data":[${'1e400,'.repeat(4e5)}0]}`,
      list,
      /more than 300000 numbers that would be rounded/,
    ],
    ['B5', 'depth 100,000', '['.repeat(100_000) + ']'.repeat(100_000), list, /more than 200 levels/],
    [
      'B5',
      'depth in an unknown field',
      `{"data":[],"x":${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`,
      list,
      /200 levels/,
    ],
    [
      'B6',
      '16 MiB and one byte',
      new Uint8Array(16 * 1024 * 1024 + 1).fill(32),
      list,
      /larger than 16777216 bytes/,
    ],
    ['B7', 'integrity -1', lore({ integrity: -1 }), content, /at data\.integrity: /],
    ['B7', 'integrity 2', lore({ integrity: 2 }), content, /at data\.integrity: /],
    ['B7', 'integrity 1e400', lore({}).replace('0.5', '1e400'), content, /at data\.integrity: /],
    ['B7', 'integrity null', lore({ integrity: null }), content, /at data\.integrity: /],
    ['B7', 'integrity absent', lore({ integrity: undefined }), content, /at data\.integrity: /],
    ['B14', 'empty token', token({ access_token: '' }), login, /at access_token: /],
    ['B14', 'token of 1 MB', token({ access_token: 'a'.repeat(1e6) }), login, /at access_token: /],
    [
      'B14',
      'token with CR LF',
      token({ access_token: `${TOKEN}\r\nx: y` }),
      login,
      /at access_token: must be visible ASCII/,
    ],
    ['B14', 'token with a space', token({ access_token: 'a b' }), login, /at access_token: /],
    ['B14', 'token beyond ASCII', token({ access_token: 'aü' }), login, /at access_token: /],
    ['B17', 'invalid UTF-8', Uint8Array.from([0x22, 0xc3, 0x28, 0x22]), list, /not valid UTF-8/],
    ['B17', 'encoded surrogate', Uint8Array.from([0x22, 0xed, 0xa0, 0x80, 0x22]), list, /not valid UTF-8/],
    ['B19', 'pipeline missing when asked', lore({}), piped, /at data\.pipeline: asked for, but missing$/],
    [
      'B19',
      'assets no array',
      lore({ pipeline: { provider: 'p', assets: {} } }),
      piped,
      /at data\.pipeline: asked for, but missing$/,
    ],
    ['B19', 'lore asked, raw given', '{"view":"raw","data":{"id":"msg_1"}}', content, /at view: /],
    [
      'L4',
      'token already over',
      token({ expires_at: '2026-01-02T03:04:05.000Z' }),
      login,
      /expired at 2026-01-02T03:04:05/,
    ],
  ];
  test.each(cases)('%s %s', async (_id, _what, body, call, words) => {
    const fault = await faultFrom(call(clientFor(body)), 'protocol');
    expect(fault.message).toMatch(words);
    // Bodies of 12 MB take the runner seconds, on a busy machine many.
  });
});

test.each([
  ['B15', 'scope', { read: true }],
  ['L4', 'expires_at', 'soon'],
])('%s of a token that is otherwise usable, an unusable %s is left out', async (_id, name, value) => {
  const { body } = await clientFor(token({ [name]: value })).token(REQUEST);
  expect([body.access_token, Object.keys(body).includes(name)]).toEqual(['arx_abc', false]);
});

describe('B: bodies that are taken as they are', () => {
  test('B3 __proto__, constructor and toString are plain unknown keys', async () => {
    const body = '{"data":[],"__proto__":{"x":1},"constructor":{"y":2},"toString":3,"hasOwnProperty":4}';
    const reply = await clientFor(body).attachments();
    expect(reply.body.data).toEqual([]);
    expect(({} as { x?: number }).x).toBeUndefined();
    expect((reply.body as { x?: number }).x).toBeUndefined();
    expect(Object.getPrototypeOf(reply.body)).toBe(Object.prototype);
  });

  test.each([
    ['{"status":"partial","data":[ROW]}', { status: 'partial' }],
    ['{"object":"list","data":[ROW],"has_more":true}', { has_more: true, object: 'list' }],
    ['{"items":[ROW],"next":"att_1"}', { next: 'att_1', has_more: true, [NEXT_CURSOR]: 'att_1' }],
    ['[ROW]', {}],
  ])('the plausible list %s', async (form, expected) => {
    const reply = await clientFor(form.replace('ROW', JSON.stringify(ROW))).attachments();
    expect(reply.body).toEqual({ data: [ROW], ...expected });
  });

  test('B8 X6 numbers that 64 bits cannot hold are kept as they were received', async () => {
    const numbers = '[9007199254740993,1e400,-1e400,1e-400,1.5,0.1000000000000000055]';
    const body = rows({ x: 'X' }).replace('"X"', numbers);
    const { body: page } = await clientFor(body).attachments();
    expect(exactJsonText((page.data[1] as { x?: unknown }).x)).toBe(numbers);
  });

  test.each([
    ['id', '9007199254740993', '"9007199254740993"'],
    ['integrity', '0.90000000000000002', '0.90000000000000002'],
    ['integrity', '1e400', undefined],
    ['bytes', '9007199254740993', undefined],
    ['bytes', '5.0000000000000000001', undefined],
    ['first_seen', '1700000000.123456789', '1700000000.123456789'],
    ['redacted', '1.0000000000000000001', 'true'],
  ])('B8 the field %s with the number %s', async (field, number, shown) => {
    const notices: string[] = [];
    const body = rows({ [field]: 'X' }).replace('"X"', number);
    const { body: page } = await clientFor(body, 200, {}, (line) => void notices.push(line)).attachments();
    const value = (page.data[1] as Record<string, unknown>)[field];
    expect(value === undefined ? undefined : exactJsonText(value)).toBe(shown);
    const isUsed = shown === undefined || shown === 'true';
    expect(notices).toEqual(isUsed ? [expect.stringContaining(`field ${field} is no`)] : []);
  });

  test('B8 ids that differ in their last digit are two rows, and a change of it is a change', async () => {
    const row = (id: string, x: string) =>
      JSON.stringify({ ...ROW, id: 'I', x: 'X' })
        .replace('"I"', id)
        .replace('"X"', x);
    const answers = ['1', '2'].map(
      (last) =>
        `{"data":[${row('9007199254740992', '1')},${row('9007199254740993', `900719925474099${last}e9`)}]}`,
    );
    const client = clientFor(() => answers.shift()!);
    const { body: page } = await client.attachments();
    expect(page.data.map(({ id }) => id)).toEqual(['9007199254740992', '9007199254740993']);
    await client.attachments();
    expect([...client.changesOf('attachments')]).toEqual([
      ['9007199254740993', { fields: ['x'], hashes: [] }],
    ]);
  });

  test('B16 unknown values and fields pass through', async () => {
    const reply = await clientFor(lore({ classification: 'never seen', extra: { a: [1] } })).content('msg_1');
    expect(reply.body).toEqual({
      view: 'lore',
      data: { ...LORE, classification: 'never seen', extra: { a: [1] } },
    });
  });

  test('B15 unknown scopes are kept', async () => {
    const reply = await clientFor(token({ scope: ['read:dreams'] })).token(REQUEST);
    expect(reply.body.scope).toEqual(['read:dreams']);
  });

  test.each<[string, object, object]>([
    ['B7 integrity 1.01', { integrity: 1.01 }, {}],
    ['B12 redacted "false"', { redacted: 'false' }, { redacted: false }],
    ['B12 redacted 0', { redacted: 0 }, { redacted: false }],
    ['B12 redacted "False"', { redacted: 'False' }, { redacted: false }],
    // Nothing is fetched by a guess.
    ['B12 redacted "perhaps"', { redacted: 'perhaps' }, { redacted: true }],
    [
      'B12 Redacted "perhaps"',
      { redacted: undefined, Redacted: 'perhaps' },
      { Redacted: 'perhaps', redacted: true },
    ],
    [
      'B12 isRedacted "yes"',
      { redacted: undefined, isRedacted: 'yes' },
      { isRedacted: 'yes', redacted: true },
    ],
    [
      'B12 is_redacted true',
      { redacted: undefined, is_redacted: true },
      { is_redacted: true, redacted: true },
    ],
    ['B19 filename null', { filename: null }, { filename: undefined }],
    ['B9 sha256 of 63', { sha256: 'a'.repeat(63) }, { sha256: undefined, [UNUSABLE_HASH]: true }],
  ])('%s in a row does not lose the page', async (_, change, expected) => {
    const reply = await clientFor(rows(change)).attachments();
    expect(reply.body.data).toEqual([ROW, { ...ROW, ...expected }]);
  });

  test('B17 lone surrogates written as escapes pass', async () => {
    const reply = await clientFor(rows({ filename: '\ud800' })).attachments();
    expect(reply.body.data[1]?.filename).toBe('\ud800');
  });

  test.each([['{"view":"raw","data":{"id":"m","subject":"7"}}'], ['{"data":{"body":"x"},"more":1}']])(
    'a raw view of another service: %s',
    async (body) => {
      expect((await clientFor(body).content('msg_1', { view: 'raw' })).body).toEqual(JSON.parse(body));
    },
  );

  test('a body without content-type, and one of +json', async () => {
    for (const type of ['application/problem+json; charset=utf-8', 'text/json', 'APPLICATION/JSON']) {
      expect((await clientFor('[]', 200, { 'content-type': type }).attachments()).body).toMatchObject({
        data: [],
      });
    }
  });
});

test.each(['text/plain', 'text/html; charset=utf-8', 'application/octet-stream'])(
  'JSON that is called %s is read, other text is not',
  async (type) => {
    const headers = { 'content-type': type };
    expect((await clientFor('{"data":[]}', 200, headers).attachments()).body).toEqual({ data: [] });
    for (const body of ['[1] text', '"text"', '{"data":[', 'OK'])
      expect((await faultFrom(clientFor(body, 200, headers).attachments(), 'protocol')).message).toMatch(
        /^expected JSON, got /,
      );
  },
);

test('B1 a byte order mark before JSON is ignored', async () => {
  expect((await clientFor('\u{feff}{"data":[]}').attachments()).body).toEqual({ data: [] });
});

test.each([
  ['a message', '{"ok":false,"error":{"code":"not_found","request_id":null}}', raw],
  ['a search', '{"success":false,"message":"not_found"}', (client: Client) => client.search({ q: 'x' })],
])('%s: an error with status 200 is none', async (_, body, ask) => {
  const { message } = await faultFrom(ask(clientFor(body)), 'protocol');
  expect(message).toBe('answer has status 200 but says error not_found');
});

test('a number that would be rounded, where one is needed', async () => {
  const body = lore({ integrity: 0 }).replace('"integrity":0', '"integrity":9007199254740993');
  const { message } = await faultFrom(content(clientFor(body)), 'protocol');
  expect(message).toMatch(/at data\.integrity: expected number, received one that would be rounded$/);
});

describe('error answers', () => {
  const error = (code: string): string =>
    JSON.stringify({ error: { code, message: 'The words.', request_id: 'req_1', integrity: 0.9 } });
  const cases: [status: number, body: string, kind: FaultKind, message: string][] = [
    [400, error('limit_out_of_range'), 'usage', 'the words'],
    [422, error('request_invalid'), 'usage', 'the words'],
    [413, error('payload_too_large'), 'usage', 'the words'],
    [400, error('never_seen'), 'protocol', 'the service refused the request: the words'],
    [400, 'oops', 'protocol', 'the service refused the request: status 400'],
    [400, error('observer_not_permitted'), 'forbidden', 'the words'],
    [401, error('token_invalid'), 'auth', 'the words'],
    [401, error('token_expired'), 'auth', 'token has expired'],
    [403, error('scope_missing'), 'forbidden', 'the words'],
    [404, '<html>', 'not_found', 'the service has no /v1/attachments: status 404'],
    [405, error('method_not_allowed'), 'protocol', 'the service does not offer /v1/attachments: the words'],
    [409, error('sequence_conflict'), 'conflict', 'the words'],
    [410, '', 'not_found', 'the service has no /v1/attachments: status 410'],
    [429, '', 'busy', 'the service cannot answer now: status 429'],
    [500, error('internal'), 'busy', 'the service cannot answer now: the words'],
  ];
  test.each(cases)('%i %s is %s', async (status, body, kind, message) => {
    const fault = await faultFrom(clientFor(body, status).attachments(), kind);
    expect(fault.message).toBe(message);
    expect(fault.detail.status).toBe(status);
    if (body.includes('req_1')) expect(fault.detail).toMatchObject({ request_id: 'req_1', integrity: 0.9 });
  });

  test('request id and integrity come from the headers where the body has none', async () => {
    const fault = await faultFrom(
      clientFor('', 404, { 'x-request-id': 'req_h', 'x-integrity': '0.25' }).attachments(),
      'not_found',
    );
    expect(fault.detail).toMatchObject({ request_id: 'req_h', integrity: 0.25 });
  });

  test('an error that echoes the token, and a wrong integrity', async () => {
    const body = JSON.stringify({
      error: { code: TOKEN, message: `bad ${TOKEN}`, request_id: TOKEN, integrity: 7 },
    });
    const fault = await faultFrom(clientFor(body, 403).attachments(), 'forbidden');
    expect(fault.message).toBe('the service refused the request: bad [token]');
    expect(fault.detail).toMatchObject({ code: '[token]', request_id: '[token]' });
    expect(fault.detail.integrity).toBeUndefined();
  });

  test('an outcome of a batch that echoes the token', async () => {
    const error = { code: TOKEN, message: `bad ${TOKEN}` };
    const body = JSON.stringify({
      status: 'partial',
      data: [{ accepted: false, event_id: null, error }],
    });
    const event = { id: 'evt_1', type: 'mirror.detected', payload: { layer: 'x' } };
    const [fault] = await clientFor(body).ingestBatch([{ event, text: JSON.stringify(event) }]);
    expect(fault).toMatchObject({
      message: 'the service refused the request: bad [token]',
      detail: { code: '[token]' },
    });
  });

  test('of a batch, what contradicts itself is not accepted, and an error of some refuses not all', async () => {
    const events = ['evt_1', 'evt_2'].map((id) => {
      const event = { id, type: 'mirror.detected', payload: { layer: 'x' } };
      return { event, text: JSON.stringify(event) };
    });
    const [one, other] = events.map(({ event: { id, type } }) => ({
      accepted: true,
      event_id: id,
      type,
      status: 'queued',
    }));
    const data = [one, { ...other, error: { code: 'odd', message: 'odd' } }];
    const outcomes = await clientFor(JSON.stringify({ status: 'queued', data })).ingestBatch(events);
    expect(outcomes).toMatchObject([one, { kind: 'unconfirmed' }]);
    const some = JSON.stringify({ accepted: 1, errors: [{ index: 1, message: 'odd' }] });
    await faultFrom(clientFor(some).ingestBatch(events), 'unconfirmed');
  });

  test('M1 a conflict is never tried again', async () => {
    let asked = 0;
    const client = createClient({
      baseUrl: 'https://archive.test',
      transport: async () => {
        asked += 1;
        return { status: 409, headers: {}, body: (async function* () {})() };
      },
      bearer: async () => TOKEN,
      world: clientWorld(),
    });
    await faultFrom(client.conversations({ starting_after: 'b', ending_before: 'a' }), 'conflict');
    expect(asked).toBe(1);
  });
});
