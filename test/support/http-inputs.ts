// Requests for fuzzing: mostly of the right structure, each part sometimes wrong in a way that matters to HTTP or to us.
import fc from 'fast-check';
import { PARAMETERS } from '../../src/contract/parameters.ts';
import { ROUTES } from '../../src/contract/routes.ts';

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

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const words = fc.string({ unit: 'binary', maxLength: 40 });

const ODD_METHODS = ['HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'CONNECT', 'get', '', 'G T'];

const id = fc.oneof(
  oneOf('msg_1', 'msg_2', 'conv_1', 'conv_2', 'att_1', 'entry_1', 'msg_0', 'msg_01', 'msg_9007199254740993'),
  oneOf(
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
  ),
  oneOf('a'.repeat(300), `msg_${'9'.repeat(400)}`, 'external', "x' OR '1'='1"),
  words.map((text) => encodeURIComponent(text)),
);
const ROUTED = [
  ...Object.values(ROUTES).map(({ method, path }) => ({ method: method as string, path: path as string })),
  { method: 'GET', path: '/files/{id}/{id}/{id}/{id}' },
  { method: 'GET', path: '/messages/{id}/{id}/{id}/{id}' },
];
const ODD_PATHS = ['*', '', '//', '/v1', '/v1/attachments/', '/api/../v1/attachments', 'v1', '/%2F'];

const NAMES = [...new Set(Object.values(PARAMETERS).flatMap((schema) => Object.keys(schema.shape)))];
const value = fc.oneof(
  id,
  oneOf(
    '1',
    '0',
    '-1',
    '500',
    '501',
    '1e3',
    '9'.repeat(30),
    'true',
    'false',
    'TRUE',
    'raw',
    'lore',
    '',
    'queued',
  ),
);
const pair = fc
  .tuple(fc.oneof({ weight: 9, arbitrary: oneOf(...NAMES) }, { weight: 1, arbitrary: value }), value)
  .map(([name, text]) => `${name}=${text}`);
const query = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 6, arbitrary: fc.array(pair, { maxLength: 6 }).map((pairs) => `?${pairs.join('&')}`) },
  { weight: 1, arbitrary: oneOf('?', '??', '?&&&=', '?#', `?${'a&'.repeat(2_000)}`, '?limit', '?=1') },
);
const origin = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  {
    weight: 1,
    arbitrary: oneOf(
      'http://localhost',
      'https://localhost:1',
      'http://evil.example',
      'http://',
      'http://u@localhost',
      'ftp://x',
    ),
  },
);

const header = fc.oneof(
  fc.tuple(
    fc.constant('Host'),
    oneOf('localhost', '127.0.0.1:80', '[::1]', 'evil.example', '', 'a b', '[', 'localhost:x'),
  ),
  fc.tuple(
    fc.constant('Authorization'),
    oneOf(
      'Bearer TOKEN',
      'bearer  TOKEN',
      'Bearer',
      'Basic YTpi',
      `Bearer ${'a'.repeat(8_193)}`,
      'Bearer TOKEN TOKEN',
      'Bearer \xff',
    ),
  ),
  fc.tuple(
    fc.constant('Content-Type'),
    oneOf(
      'application/json',
      'application/x-ndjson',
      'application/json;charset=utf-8',
      'application/json;;;',
      'text/plain',
      '',
    ),
  ),
  fc.tuple(fc.constant('Content-Encoding'), oneOf('identity', 'gzip', '')),
  fc.tuple(
    fc.constant('Range'),
    oneOf(
      'bytes=0-0',
      'bytes=-1',
      'bytes=5-1',
      'bytes=0-',
      'bytes=0-0,2-3',
      `bytes=${'0-0,'.repeat(1_000)}1-1`,
      'bytes=99999999999999999999-',
      'x=1-2',
    ),
  ),
  fc.tuple(oneOf('If-Range', 'If-None-Match'), oneOf('*', '"x"', 'W/"x"', ',,,', '"'.repeat(500))),
  fc.tuple(fc.constant('Expect'), oneOf('100-continue', 'miracles')),
  fc.tuple(fc.constant('Connection'), oneOf('close', 'keep-alive', 'Upgrade', 'close, Host')),
  fc.tuple(fc.constant('Upgrade'), oneOf('websocket', 'h2c')),
  fc.tuple(fc.constant('Origin'), oneOf('null', 'http://localhost', 'http://evil.example', ',')),
  fc.tuple(
    oneOf('X-Forwarded-For', 'Forwarded'),
    oneOf('203.0.113.9', '::1%x', ',,,', '\x1b[2J', 'a'.repeat(1_000)),
  ),
  fc.tuple(
    oneOf('webhook-id', 'webhook-timestamp', 'webhook-signature'),
    oneOf('1', 'v1,AAAA', '9'.repeat(13), 'v1,'.repeat(100)),
  ),
  fc.tuple(fc.string({ minLength: 1, maxLength: 10 }), fc.string({ maxLength: 30 })),
);

const text = fc.oneof(
  words,
  oneOf('msg_1', 'att_1', 'internal', 'external', 'mirror', '\0', '\ud800', 'evt_1', '1'.repeat(250)),
);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    oneOf<unknown>(null, true, 0, -1, 1e308, 2 ** 53 + 2),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(oneOf('id', 'entry', 'sequence', 'layer', '__proto__', 'a\0'), tie('json'), { maxKeys: 4 }),
  ),
}));
const EVENT_TYPES = [
  'message.reordered',
  'attachment.reclassified',
  'contact.flagged',
  'sequence.diverged',
  'mirror.detected',
  'other',
];
const event = fc.record(
  {
    id: text,
    type: oneOf(...EVENT_TYPES),
    payload: fc.oneof(
      fc.record({ id: text, entry: text, sequence: fc.oneof(fc.integer(), fc.double()) }),
      fc.record({ id: text, source: text, decorative_layer: fc.boolean() }, { requiredKeys: ['id'] }),
      fc.record({ contact: text, layer: text, name: text, drift_ratio: fc.double() }),
      json,
    ),
  },
  { requiredKeys: [] },
);
const TIERS = oneOf('external', 'internal', 'mirror', 'other');
const tokenRequest = fc.record(
  { client_id: text, observer_tier: TIERS, requested_tier: TIERS },
  { requiredKeys: [] },
);
const jsonText = (one: unknown): string => JSON.stringify(one) ?? '';
const bodyOf = (path: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: (path === ROUTES.token.path ? tokenRequest : event).map(jsonText) },
    { weight: 1, arbitrary: json.map(jsonText) },
    { weight: 1, arbitrary: fc.array(event, { maxLength: 4 }).map((all) => all.map(jsonText).join('\n')) },
    {
      weight: 1,
      arbitrary: oneOf('{"id":1e400}', '['.repeat(50_000), '\ufeff{}', '{"a":1,"a":2}', '\n'.repeat(5_000)),
    },
    { weight: 1, arbitrary: words },
  );

const USUAL: [string, string][] = [
  ['Host', 'localhost'],
  ['Authorization', 'Bearer TOKEN'],
  ['Content-Type', 'application/json'],
];

/** Mostly `usual`, now and then one of the others. */
const mostly = <T>(usual: fc.Arbitrary<T>, ...odd: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 19, arbitrary: usual }, { weight: 1, arbitrary: oneOf(...odd) });

/** Draws a request. `TOKEN` in a header stands for a valid token. */
export const httpInput: fc.Arbitrary<HttpInput> = oneOf(...ROUTED).chain((route) =>
  fc.record({
    method: mostly(fc.constant(route.method), ...ODD_METHODS),
    target: fc
      .tuple(
        origin,
        mostly(
          fc
            .array(id, { minLength: 4, maxLength: 4 })
            .map((ids) => route.path.replace(/\{\w+\}/g, () => ids.pop() ?? '')),
          ...ODD_PATHS,
        ),
        query,
      )
      .map((parts) => parts.join('')),
    version: mostly(fc.constant('HTTP/1.1'), 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', '', 'XTTP/1.1'),
    headers: fc
      .tuple(
        fc.oneof({ weight: 4, arbitrary: fc.constant(USUAL) }, { weight: 1, arbitrary: fc.subarray(USUAL) }),
        fc.array(header, { maxLength: 3, size: 'xsmall' }),
      )
      .map(([usual, more]) => [...usual, ...more]),
    body: (route.method === 'GET' ? mostly(fc.constant(''), '{}') : bodyOf(route.path)).map((content) =>
      Buffer.from(content),
    ),
    framing: mostly(
      oneOf<HttpInput['framing']>('length', 'chunked'),
      'short',
      'long',
      'cut-chunks',
      'both',
      'none',
    ),
    chunkSizes: fc.array(oneOf(1, 2, 7, 100, 4_096), { minLength: 1, maxLength: 4 }),
    tail: mostly(fc.constant(''), '\r\n', 'GET / HTTP/1.1\r\n\r\n', '\0', 'x'),
  }),
);

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
