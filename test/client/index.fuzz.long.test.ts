// Fuzzing of responses: each is a reply, or a Fault that a message can show: without a control character and without a token.
import { test } from 'vitest';
import type * as z from 'zod';
import { createClient, type Client } from '../../src/client/index.ts';
import { faultOfResponse } from '../../src/client/error-response.ts';
import { createRecordListParser, createSequenceParser } from '../../src/client/record-list.ts';
import { parseResponseWith, type ApiResponse } from '../../src/client/response.ts';
import { redactFault, redactSecrets } from '../../src/client/safe-text.ts';
import {
  ATTACHMENTS,
  CONVERSATIONS,
  EVENTS,
  MESSAGES,
  POSITIONS,
} from '../../src/client/shapes/list-kinds.ts';
import { createBodyReader } from '../../src/client/shapes/record-body.ts';
import {
  acknowledgementKind,
  ATTACHMENT,
  CONVERSATION,
  HEALTH,
  tokenKind,
} from '../../src/client/shapes/record-kinds.ts';
import { LORE, RAW } from '../../src/client/shapes/content-kinds.ts';
import { createUnknownListParser } from '../../src/client/unknown-list.ts';
import { Fault, type FaultKind } from '../../src/faults.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../support/fuzz.ts';
import { jsonOf, textsOf, type Draw } from '../support/fuzz-inputs.ts';
import { clientWorld, TOKEN } from './fixture.ts';

/** Stored beside the token that is sent. */
const STORED = 'stored/Qx7vB2nM9kL4jH6g';
const SECRETS = [TOKEN, STORED];

/** Bodies of every route, of our service and others. Those that failed once belong here. */
const BODIES: readonly unknown[] = [
  {
    status: 'stable',
    data: [
      {
        id: 'att_1',
        filename: 'a.png',
        sha256: 'a'.repeat(64),
        bytes: 3,
        content_type: 'image/png',
        redacted: false,
        file_url: 'https://archive.test/f',
        origin_city: 'oslo',
      },
    ],
    has_more: true,
    drift_ratio: 0.1,
    integrity: 0.9,
  },
  { status: 'partial', data: [{ id: 'att_2', redacted: true, reason: 'sealed' }], has_more: false },
  {
    data: [{ id: 'conv_1', subject: 'a', message_count: 2, started_at: '2020-01-01T00:00:00Z' }],
    has_more: false,
  },
  {
    messages: { msg_1: { from: 'a@b', date: '2020-01-01' }, msg_2: {}, 10: {}, 9: {} },
    next: 'msg_2',
    total: 2,
  },
  {
    value: [{ '@id': 'x', properties: { id: 1 } }],
    '@odata.nextLink': 'https://archive.test/next?starting_after=1',
  },
  { entries: ['a', 'b'], name: 'arc' },
  {
    status: 'ok',
    service: 'arx',
    version: '1',
    time: '2026-01-02T03:04:05Z',
    counts: { messages: 1 },
    asset_url: 'https://archive.test',
  },
  {
    id: 'msg_1',
    view: 'raw',
    headers: [['From', 'a@b']],
    body: 'text',
    raw_sha256: 'b'.repeat(64),
    from: 'a@b',
    date: '2020-01-01T00:00:00Z',
  },
  { id: 'msg_1', view: 'lore', text: 'words', layers: [] },
  { error: { code: 'not_found', message: 'no such record', request_id: 'req_1', integrity: 0.5 } },
  { error: 'invalid_token', error_description: `token ${TOKEN} is unknown` },
  { errors: [{ title: 'wrong', detail: STORED }] },
  { title: 'Not allowed', detail: TOKEN, status: 403 },
  {
    access_token: 'new-token',
    expires_at: '2027-01-01T00:00:00Z',
    scope: ['read:messages'],
    access_tier: 'internal',
    issued_by: 'mirror',
    timeline_offset_ms: 0,
    session_drift_ms: 0,
    source_integrity: 1,
  },
  { accepted: true, event_id: 'evt_1', type: 'mirror.detected', received_at: '2026-01-02T03:04:05Z' },
  [{ id: 'a' }, { id: 'b' }],
  [],
];
const json = jsonOf(BODIES, [
  TOKEN,
  STORED,
  `Bearer ${TOKEN}`,
  'msg_1',
  9007199254740993n.toString(),
  '2020-02-31T00:00:00Z',
  'https://evil.test/x',
]);
const texts = textsOf({
  corpus: [
    ...BODIES.map((body) => JSON.stringify(body)),
    `<p>${TOKEN}</p>`,
    `<html>Authorization: Bearer ${STORED}</html>`,
    '{"a":1,"a":2}',
    '{"id":1e400,"n":9007199254740993}',
  ],
  tokens: [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"id":',
    '"data":',
    '"error":',
    'null',
    'true',
    '"redacted":true',
    '"',
    '\\u0000',
    '\\ud800',
    '\\u002f',
    TOKEN,
    STORED,
    TOKEN.slice(5, 20),
    '<p>',
    '1e400',
    '0.10000000000000001',
  ],
});
const STATUSES = [
  200, 200, 200, 200, 206, 201, 204, 205, 299, 100, 301, 302, 304, 400, 401, 403, 404, 408, 409, 410, 418,
  425, 429, 500, 501, 503, 599, 600, 0,
] as const;
const TYPES = [
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'application/problem+json',
  'text/html',
  '',
  'text/json',
  `text/${TOKEN}`,
  'application/\u0080',
] as const;
const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['retry-after', ['0', '1', '-5', '86400', 'abc', '9'.repeat(30), 'Fri, 31 Dec 1999 23:59:59 GMT']],
  ['location', ['/x', 'https://evil.test/', `https://evil.test/${TOKEN}`, `https://${STORED}.test/`, '::']],
  ['x-request-id', ['req_1', TOKEN, 'a b', '\u001b[2J']],
  ['x-integrity', ['0.5', '2', TOKEN]],
  ['x-drift-ratio', ['0.1', STORED]],
  ['date', ['Fri, 02 Jan 2026 03:04:05 GMT', 'x']],
  ['content-encoding', ['identity', 'gzip', 'x', `gzip, ${TOKEN}`]],
];
const EVENT = { id: 'evt_1', type: 'mirror.detected', payload: {} } as const;
const CALLS: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => client.attachments(),
  (client) => client.conversations({ limit: 2 }),
  (client) => client.messages({ starting_after: 'msg_1' }),
  (client) => client.events(),
  (client) => client.sequence('arc'),
  (client) => client.attachment('att_1'),
  (client) => client.conversation('conv_1'),
  (client) => client.content('msg_1', {}),
  (client) => client.content('msg_1', { view: 'raw' }),
  (client) => client.search({ q: 'a' }),
  (client) => client.health(),
  (client) => client.token({ client_id: 'me', observer_tier: 'internal', requested_tier: 'internal' }),
  (client) => client.ingest(EVENT),
  (client) => client.get('/api/health'),
];
/** Everything that a service can cause. The others are failures of ours. */
const KINDS: ReadonlySet<FaultKind> = new Set([
  'protocol',
  'network',
  'auth',
  'forbidden',
  'not_found',
  'conflict',
  'busy',
  'usage',
  'integrity',
  'unconfirmed',
]);

type Response = { status: number; headers: Record<string, string>; body: Buffer; call: number };

function makeResponse(draw: Draw): Response {
  const headers: Record<string, string> = { 'content-type': draw.of(TYPES) };
  if (draw.below(4) === 0) {
    const [name, values] = draw.of(HEADERS);
    headers[name] = draw.of(values);
  }
  const body =
    draw.below(4) === 0 ? Buffer.from(texts(draw), 'latin1') : Buffer.from(JSON.stringify(json(draw)));
  return { status: draw.of(STATUSES), headers, body, call: draw.below(CALLS.length) };
}

const show = ({ status, headers, body, call }: Response): string =>
  `call ${call}, ${status} ${JSON.stringify(headers)} ${JSON.stringify(body.toString('latin1'))}`;

const world = clientWorld();

function clientOf({ status, headers, body }: Response): Client {
  const chunks = async function* () {
    yield body;
  };
  return createClient({
    baseUrl: 'https://archive.test',
    transport: async () => ({ status, headers, body: chunks() }),
    bearer: async () => TOKEN,
    secrets: async () => SECRETS,
    retries: 0,
    world,
  });
}

function checkFault(error: unknown): void {
  if (!(error instanceof Fault)) throw error;
  const { kind, message, detail } = error;
  if (!KINDS.has(kind)) throw new Error(`Fault '${kind}': ${message}`);
  if (!/^\P{C}{1,600}$/u.test(message) || message.includes('[object'))
    throw new Error(`message ${JSON.stringify(message)}`);
  const { hint = '', code = '', request_id: id = '', kept = '' } = detail;
  const shown = [message, hint, code, id, kept].join('\n');
  if (redactSecrets(shown, SECRETS) !== shown) throw new Error(`a token is in ${JSON.stringify(shown)}`);
}

/** Readers of bodies, without the client around them. Each input gets one of its own, since they remember rows. */
const READERS: readonly (() => (answer: ApiResponse) => unknown)[] = [
  () => createRecordListParser(ATTACHMENTS, {}).parse,
  () => createRecordListParser(CONVERSATIONS, {}).parse,
  () => createRecordListParser(MESSAGES, {}).parse,
  () => createRecordListParser(EVENTS, {}).parse,
  () => createSequenceParser(POSITIONS, {}).parse,
  () => createUnknownListParser({ name: 'orders' }).parse,
  ...[ATTACHMENT, CONVERSATION, tokenKind(0), HEALTH, acknowledgementKind(), LORE, RAW].map((kind) => () => {
    const read = createBodyReader<z.ZodRawShape>(kind, () => {});
    return (answer: ApiResponse) => parseResponseWith(answer, (body) => read(body, answer, 'msg_1'));
  }),
];
const URLS = [
  '/v1/attachments',
  '/v1/attachments/att_1',
  `/messages?starting_after=${TOKEN}`,
  `/v1/content/${STORED}`,
  '/nowhere',
].map((path) => new URL(path, 'https://archive.test'));

test('any body is read, or is a Fault', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: makeResponse,
    check({ status, headers, body, call }) {
      const answer = { status, headers, bytes: new Uint8Array(body) };
      // As the sender does it with what a reader throws.
      if (status >= 300) return checkFault(faultOfResponse(answer, URLS[call % URLS.length]!, SECRETS));
      try {
        READERS[call % READERS.length]!()(answer);
      } catch (error) {
        checkFault(error instanceof Fault ? redactFault(error, SECRETS) : error);
      }
    },
    show,
  }),
);

test('any response to a call is a reply, or a Fault without a token', { timeout: FUZZ_TIMEOUT_MS }, () =>
  fuzz({
    make: makeResponse,
    async check(response) {
      try {
        await CALLS[response.call]!(clientOf(response));
      } catch (error) {
        checkFault(error);
      }
    },
    show,
    // A client, a deadline and a stack trace for each.
    inputs: 60_000,
  }),
);
