// Requests for fuzzing: mostly of the right structure, each part sometimes wrong in a way that matters to HTTP or to us.
import { EVENT_TYPES } from '../../src/contract/event-types.ts';
import { PARAMETERS } from '../../src/contract/parameters.ts';
import { ROUTES } from '../../src/contract/routes.ts';
import { EDGE_NUMBERS, jsonOf, NASTY_TEXTS, textsOf, type Draw } from './fuzz-inputs.ts';

/** A request before it is bytes. `framing` says how its body is announced. */
export type HttpInput = {
  method: string;
  target: string;
  version: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
  framing: 'length' | 'short' | 'long' | 'chunked' | 'cut-chunks' | 'both' | 'none';
  /** Sizes of the chunks, used in turn. */
  chunkSizes: readonly number[];
  /** Bytes after the request. */
  tail: string;
};

const ODD_METHODS = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'CONNECT', 'get', '', 'G T'];
const IDS = [
  'msg_1',
  'msg_2',
  'conv_1',
  'conv_2',
  'att_1',
  'entry_1',
  'msg_0',
  'msg_01',
  'msg_9007199254740993',
  'arc_reconstruction',
  'mirror_relay',
  '..',
  '.',
  '%2e%2e',
  '%00',
  '%',
  '%ff',
  '%ED%A0%80',
  '__proto__',
  'a'.repeat(300),
  `msg_${'9'.repeat(400)}`,
  'external',
  "x' OR '1'='1",
  ...NASTY_TEXTS.map((text) => encodeURIComponent(text)),
];
const ROUTED = [
  ...Object.values(ROUTES).map(({ method, path }) => ({ method: method as string, path: path as string })),
  { method: 'GET', path: '/files/{id}/{id}/{id}/{id}' },
  { method: 'GET', path: '/messages/{id}/{id}/{id}/{id}' },
];
const ODD_PATHS = ['*', '', '//', '/v1', '/v1/attachments/', '/api/../v1/attachments', 'v1', '/%2F'];
const NAMES = [...new Set(Object.values(PARAMETERS).flatMap((schema) => Object.keys(schema.shape)))];
const VALUES = [
  ...IDS,
  ...EDGE_NUMBERS,
  '500',
  '501',
  'true',
  'false',
  'TRUE',
  'raw',
  'lore',
  'queued',
  'foo%20OR%20(bar)',
  'from:jane',
  '%22a%22',
  'relevance',
  'oldest',
  '2020-01-01',
];
const ODD_QUERIES = ['?', '??', '?&&&=', '?#', `?${'a&'.repeat(300)}`, '?limit', '?=1'];
const ORIGINS = [
  'http://localhost',
  'https://localhost:1',
  'http://evil.example',
  'http://',
  'http://u@localhost',
  'ftp://x',
];

const HEADERS: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['Host', ['localhost', '127.0.0.1:80', '[::1]', 'evil.example', '', 'a b', '[', 'localhost:x']],
  [
    'Authorization',
    [
      'Bearer TOKEN',
      'bearer  TOKEN',
      'Bearer',
      'Basic YTpi',
      `Bearer ${'a'.repeat(8_193)}`,
      'Bearer TOKEN TOKEN',
      'Bearer \xff',
    ],
  ],
  [
    'Content-Type',
    [
      'application/json',
      'application/x-ndjson',
      'application/json;charset=utf-8',
      'application/json;;;',
      'text/plain',
      '',
    ],
  ],
  ['Content-Encoding', ['identity', 'gzip', '']],
  [
    'Range',
    [
      'bytes=0-0',
      'bytes=-1',
      'bytes=5-1',
      'bytes=0-',
      'bytes=0-0,2-3',
      `bytes=${'0-0,'.repeat(500)}1-1`,
      'bytes=99999999999999999999-',
      'x=1-2',
    ],
  ],
  ['If-Range', ['*', '"x"', 'W/"x"', ',,,']],
  ['If-None-Match', ['*', '"x"', '"'.repeat(500)]],
  ['Expect', ['100-continue', 'miracles']],
  ['Connection', ['close', 'keep-alive', 'Upgrade', 'close, Host']],
  ['Upgrade', ['websocket', 'h2c']],
  ['Origin', ['null', 'http://localhost', 'http://evil.example', ',']],
  ['X-Forwarded-For', ['203.0.113.9', '::1%x', ',,,', '\x1b[2J', 'a'.repeat(1_000)]],
  ['Forwarded', ['for=203.0.113.9', 'for="[::1]:x"', ';;;']],
  ['webhook-id', ['1', 'v1,AAAA']],
  ['webhook-timestamp', ['9'.repeat(13), '-1']],
  ['webhook-signature', ['v1,AAAA', 'v1,'.repeat(100)]],
  ['x\0', ['y']],
  ['', ['']],
];
const USUAL: readonly (readonly [string, string])[] = [
  ['Host', 'localhost'],
  ['Authorization', 'Bearer TOKEN'],
  ['Content-Type', 'application/json'],
];

const TEXTS = ['msg_1', 'att_1', 'internal', 'external', 'mirror', '\0', '\ud800', 'evt_1', '1'.repeat(250)];
const EVENTS = [...EVENT_TYPES, 'other'].flatMap((type) => [
  { id: 'evt_1', type, payload: { id: 'msg_1', entry: 'entry_1', sequence: 1 } },
  { id: 'evt_2', type, payload: { id: 'att_1', source: 'mirror', decorative_layer: true } },
  { id: 'evt_3', type, payload: { contact: 'a', layer: 'b', name: 'c', drift_ratio: 0.5 } },
]);
const events = jsonOf(EVENTS, TEXTS);
const logins = jsonOf([{ client_id: 'me', observer_tier: 'internal', requested_tier: 'external' }], TEXTS);
const bodies = textsOf({
  corpus: [
    ...EVENTS.slice(0, 6).map((event) => JSON.stringify(event)),
    '{"id":1e400}',
    '['.repeat(5_000),
    '\xef\xbb\xbf{}',
    '{"a":1,"a":2}',
    '\n'.repeat(500),
  ],
  tokens: [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '\n',
    '"id":',
    '"type":',
    '"payload":',
    '"__proto__":',
    '\\u0000',
    '\\ud800',
    '"',
  ],
});
const BODY_FRAMINGS: readonly HttpInput['framing'][] = ['length', 'chunked'];
const ODD_FRAMINGS: readonly HttpInput['framing'][] = ['short', 'long', 'cut-chunks', 'both', 'none'];
const CHUNK_SIZES = [1, 2, 7, 100, 4_096];
const TAILS = ['\r\n', 'GET / HTTP/1.1\r\n\r\n', '\0', 'x'];
const ODD_VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', '', 'XTTP/1.1'];

/** Draws a request. `TOKEN` in a header stands for a valid token. */
export function httpInput(draw: Draw): HttpInput {
  /** Mostly `usual`, now and then one of the others. */
  const mostly = <T>(usual: T, odd: readonly T[]): T => (draw.below(20) === 0 ? draw.of(odd) : usual);
  const { method, path } = draw.of(ROUTED);
  const place = mostly(
    path.replaceAll(/\{\w+\}/g, () => draw.of(IDS)),
    ODD_PATHS,
  );
  const isPosted = method !== 'GET';
  return {
    method: mostly(method, ODD_METHODS),
    target: (draw.below(13) === 0 ? draw.of(ORIGINS) : '') + place + queryOf(draw),
    version: mostly('HTTP/1.1', ODD_VERSIONS),
    headers: headersOf(draw),
    body: isPosted ? bodyOf(path, draw) : Buffer.from(mostly('', ['{}'])),
    framing: mostly(draw.of(BODY_FRAMINGS), ODD_FRAMINGS),
    chunkSizes: Array.from({ length: 1 + draw.below(4) }, () => draw.of(CHUNK_SIZES)),
    tail: mostly('', TAILS),
  };
}

function queryOf(draw: Draw): string {
  const kind = draw.below(10);
  if (kind < 3) return '';
  if (kind === 3) return draw.of(ODD_QUERIES);
  const pair = () => `${draw.below(10) === 0 ? draw.of(VALUES) : draw.of(NAMES)}=${draw.of(VALUES)}`;
  return `?${Array.from({ length: draw.below(5) }, pair).join('&')}`;
}

function headersOf(draw: Draw): HttpInput['headers'] {
  const headers = draw.below(5) === 0 ? USUAL.filter(() => draw.below(2) === 0) : [...USUAL];
  for (let more = draw.below(8) - 4; more > 0; more -= 1) {
    const [name, values] = draw.of(HEADERS);
    headers.push([name, draw.of(values)]);
  }
  return headers;
}

function bodyOf(path: string, draw: Draw): Buffer {
  const kind = draw.below(10);
  if (kind === 0) return Buffer.from(bodies(draw), 'latin1');
  const value = path === ROUTES.token.path ? logins : events;
  if (kind > 1) return Buffer.from(JSON.stringify(value(draw)));
  return Buffer.from(Array.from({ length: draw.below(4) }, () => JSON.stringify(value(draw))).join('\n'));
}

/** Returns the bytes of a request, without the end of the connection. */
export function bytesOf(input: HttpInput, token: string): Buffer {
  const { method: verb, target, version, headers, body: content, framing, tail } = input;
  const length = (more: number): [string, string][] => [
    ['Content-Length', String(content.byteLength + more)],
  ];
  const chunked: [string, string][] = [['Transfer-Encoding', 'chunked']];
  const announced = {
    length: content.byteLength === 0 ? [] : length(0),
    short: length(-1),
    long: length(5),
    chunked,
    'cut-chunks': chunked,
    both: [...length(0), ...chunked],
    none: [],
  }[framing];
  const lines = [...headers, ...announced].map(
    ([name, value]) => `${name}: ${value.replace('TOKEN', token)}\r\n`,
  );
  const head = Buffer.from(`${verb} ${target} ${version}\r\n${lines.join('')}\r\n`, 'latin1');
  const isChunked = framing === 'chunked' || framing === 'cut-chunks' || framing === 'both';
  return Buffer.concat([head, isChunked ? chunksOf(input) : content, Buffer.from(tail, 'latin1')]);
}

function chunksOf({ body: content, chunkSizes, framing }: HttpInput): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, nth = 0; at < content.byteLength; nth += 1) {
    const chunk = content.subarray(at, at + chunkSizes[nth % chunkSizes.length]!);
    parts.push(Buffer.from(`${chunk.byteLength.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
    at += chunk.byteLength;
  }
  if (framing !== 'cut-chunks') parts.push(Buffer.from('0\r\n\r\n'));
  return Buffer.concat(parts);
}
