// Requests that fuzzing or readers of the code found interesting: they broke something once, or a fault near them would.

const HOST = 'Host: localhost\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';
const BEARER = 'Authorization: Bearer TOKEN\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const post = (path: string, lines: string, body: string) =>
  `POST ${path} HTTP/1.1\r\n${HOST}${lines}\r\n${body}`;
const sized = (path: string, body: string, lines = BEARER + JSON_TYPE) =>
  post(path, `${lines}Content-Length: ${Buffer.byteLength(body)}\r\n`, body);
const INGEST = '/api/webhooks/ingest';
const event = (payload: string) => `{"id":"e","type":"mirror.detected","payload":${payload}}`;

/** Kept requests as Latin-1 text, by what is interesting. `TOKEN` stands for a valid token. Add every input that fails. */
export const HTTP_CORPUS: readonly (readonly [why: string, bytes: string])[] = [
  ['chunks of one byte', post(INGEST, BEARER + JSON_TYPE + CHUNKED, '1\r\n{\r\n'.repeat(20_000))],
  ['chunks of one byte nobody wants', post('/nowhere', CHUNKED, '1\r\na\r\n'.repeat(20_000))],
  ['a body of a GET', `GET /v1/attachments HTTP/1.1\r\n${HOST}${BEARER}Content-Length: 5\r\n\r\nabcde`],
  ['a body that ends early', post(INGEST, `${BEARER}${JSON_TYPE}Content-Length: 9\r\n`, '{')],
  [
    'a body that ends early, with an Upgrade',
    post(INGEST, `${BEARER}${JSON_TYPE}Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 9\r\n`, '{'),
  ],
  [
    'an unwanted body that ends early, with an Upgrade',
    `POST /v1/events HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Length: 5\r\n\r\n`,
  ],
  ['a chunk that ends early', post(INGEST, BEARER + JSON_TYPE + CHUNKED, '5\r\nab')],
  ['trailers', post(INGEST, BEARER + JSON_TYPE + CHUNKED, '2\r\n{}\r\n0\r\nX: y\r\n\r\n')],
  ['a chunk size of 17 digits', post(INGEST, BEARER + JSON_TYPE + CHUNKED, 'fffffffffffffffff\r\n{}')],
  [
    'a body that waits for 100 Continue',
    sized(INGEST, '{}', `${BEARER}${JSON_TYPE}Expect: 100-continue\r\n`),
  ],
  ['an unwanted body that waits for 100 Continue', sized('/nowhere', '{}', 'Expect: 100-continue\r\n')],
  ['a list of values nested deeply', sized(INGEST, '['.repeat(100_000))],
  ['a payload nested deeply', sized(INGEST, event(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`))],
  ['a payload with NUL', sized(INGEST, event('{"layer":"\\u0000"}'))],
  ['a payload with half of a surrogate pair', sized(INGEST, event('{"layer":"\\ud800"}'))],
  ['a payload whose names are those of objects', sized(INGEST, event('{"layer":"a","__proto__":{"b":1}}'))],
  [
    'a body of line ends',
    sized(INGEST, '\n'.repeat(500_000), `${BEARER}Content-Type: application/x-ndjson\r\n`),
  ],
  ['a token request with another type', sized('/api/auth/token', '{}', 'Content-Type: text/plain\r\n')],
  ['a host of another service', 'GET /api/health HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
  ['an absolute target of another host', `GET http://evil.example/api/health HTTP/1.1\r\n${HOST}\r\n`],
  ['an absolute target without a path', `GET http://localhost?limit=1 HTTP/1.1\r\n${HOST}\r\n`],
  ['a target of spaces', `GET   /api/health   HTTP/1.1\r\n${HOST}\r\n`],
  ['a search for one letter that finds nothing', `GET /v1/search?q=%C3%83 HTTP/1.1\r\n${HOST}${BEARER}\r\n`],
  ['a query of broken escapes', `GET /v1/attachments?origin_city=%ff HTTP/1.1\r\n${HOST}${BEARER}\r\n`],
  ['ten thousand parameters', `GET /messages?${'a&'.repeat(7_000)} HTTP/1.1\r\n${HOST}${BEARER}\r\n`],
  [
    'a thousand ranges',
    `GET /files/att_1/external/x HTTP/1.1\r\n${HOST}Range: bytes=${'0-0,'.repeat(1_000)}\r\n\r\n`,
  ],
  ['an upgrade', `GET /api/health HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n\0\0`],
  ['CONNECT with bytes behind it', 'CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n\x16\x03\x01'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ['a request behind an invalid one', 'x\r\n\r\nGET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['many requests at once', `GET /nowhere HTTP/1.1\r\n${HOST}\r\n`.repeat(300)],
  ['nothing', ''],
];
