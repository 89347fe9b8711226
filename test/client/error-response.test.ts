// What is said of refusals by other services: their words, wherever they stand, and what they lack.
import { describe, expect, test } from 'vitest';
import { faultOfResponse } from '../../src/client/error-response.ts';
import { hintText, type Fault } from '../../src/faults.ts';

const said = (status: number, body: unknown, path = '/v1/conversations') => {
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
  return faultOfResponse({ status, headers: {}, bytes }, new URL(path, 'http://other'));
};

const hintOf = ({ detail: { hint } }: Fault) => (hint === undefined ? undefined : hintText(hint));

describe('the words of the service are found', () => {
  test.each<[string, unknown]>([
    ['interface', { error: { code: 'bad_limit', message: 'The limit is too high.' } }],
    ['text as error', { error: 'the limit is too high' }],
    ['OAuth', { error: 'invalid_request', error_description: 'the limit is too high' }],
    ['JSON:API', { errors: [{ status: '400', title: 'Bad', detail: 'The limit is too high' }] }],
    ['RFC 9457', { type: 'about:blank', title: 'Bad', detail: 'The limit is too high', status: 400 }],
    ['ASP.NET', { Message: 'The limit is too high' }],
    ['names in PascalCase', { Error: { Code: 'BadLimit', Message: 'The limit is too high' } }],
    ['FastAPI', { detail: [{ loc: ['query', 'limit'], msg: 'the limit is too high' }] }],
    ['a list of texts', { errors: ['the limit is too high'] }],
    ['a message alone', { message: 'The limit is too high' }],
  ])('%s', (_, body) => {
    const fault = said(400, body);
    expect([fault.kind, fault.message]).toEqual([
      'protocol',
      'the service refused the request: the limit is too high',
    ]);
  });

  test.each([
    ['no JSON', '<h1>no</h1>'],
    ['an array', [1]],
    ['null', null],
    ['errors of another type', { errors: 'many' }],
    ['an empty list of errors', { errors: [] }],
    ['messages of other types', { message: 7, detail: { a: 1 }, error: ['x'] }],
  ])('%s: only the status is known', (_, body) => {
    expect(said(400, body).message).toBe('the service refused the request: status 400');
  });

  test.each([
    ['No such sequence\n', 'the service has no sequence nosuch: no such sequence', undefined],
    [
      '<h1>no</h1>',
      'the service has no sequence nosuch: status 404',
      'check the base URL, as in --base-url http://other',
    ],
    [
      ' \n',
      'the service has no sequence nosuch: status 404',
      'check the base URL, as in --base-url http://other',
    ],
  ])('plain text: %j', (text, message, hint) => {
    const bytes = new TextEncoder().encode(text);
    const url = new URL('http://other/v2/archive/api/sequence/nosuch');
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    const fault = faultOfResponse({ status: 404, headers, bytes }, url);
    expect([fault.message, hintOf(fault)]).toEqual([message, hint]);
  });

  test('"I" stays a capital letter', () => {
    expect(said(400, { message: 'I do not know the parameter source' }).message).toContain(': I do not know');
  });
});

test.each([
  ['observer_not_permitted', 'msg_1 is above the tier external', 'internal'],
  ['observer_not_permitted', 'msg_1 is above the tier internal', 'mirror'],
  ['observer_not_permitted', 'Not for you', 'internal'],
  ['scope_missing', 'the token lacks the scope read:sequence', 'internal'],
  ['scope_missing', 'the token lacks the scope read:mirror', 'mirror'],
])('%s, %s: the hint names a higher tier', (code, message, tier) => {
  expect(hintOf(said(403, { error: { code, message } }))).toBe(
    `arx login --observer-tier ${tier} asks for more rights, where the service gives them`,
  );
});

describe('404 of another service names what it does not have', () => {
  test.each([
    ['/api/sequence/no_such_order', 'the service has no sequence no_such_order: nothing here'],
    ['/api/content/msg_9', 'the service has no message msg_9: nothing here'],
    ['/api/webhooks/events', 'the service has no /api/webhooks/events: nothing here'],
    // The row of the cursor may be what is missing.
    ['/v1/conversations?starting_after=x', 'the service refused the request: nothing here'],
  ])('%s', (path, message) => {
    const fault = said(404, { message: 'Nothing here' }, path);
    expect([fault.kind, fault.message, hintOf(fault)]).toEqual(['not_found', message, undefined]);
  });

  test.each([405, 501])('%i names what it does not offer', (status) => {
    const words = (body: unknown): string => said(status, body, '/api/sequence/arc').message;
    expect(words({})).toBe(`the service does not offer sequence arc: status ${status}`);
    expect(words({ error: { code: 'method_not_allowed', message: 'Nothing here' } })).toBe(
      'the service does not offer sequence arc: nothing here',
    );
  });

  test('without a word of the service the base URL may be wrong', () => {
    const fault = said(404, '<h1>Not Found</h1>', '/api/content/msg_9');
    expect([fault.message, hintOf(fault)]).toEqual([
      'the service has no message msg_9: status 404',
      'check the base URL',
    ]);
  });
});

test.each<[number, string, string, string | undefined]>([
  [
    405,
    'protocol',
    'the answer is a web page, not that of an archive service: status 405',
    'check the base URL',
  ],
  // `python3 -m http.server` answers every POST so.
  [
    501,
    'protocol',
    'the answer is a web page, not that of an archive service: status 501',
    'check the base URL',
  ],
  [
    404,
    'protocol',
    'the answer is a web page, not that of an archive service: status 404',
    'check the base URL',
  ],
  // The page of a proxy before a service that is away, or that needs a token.
  [502, 'busy', 'the service cannot answer now: status 502', undefined],
  [401, 'auth', 'the service refused the request: status 401', 'arx login'],
])('a web page with status %i', (status, kind, message, hint) => {
  const bytes = new TextEncoder().encode('<!doctype html><title>Welcome</title>');
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  const fault = faultOfResponse({ status, headers, bytes }, new URL('http://other/v1/conversations'));
  expect([fault.kind, fault.message, hintOf(fault)]).toEqual([kind, message, hint]);
});

test.each([
  ['/v1/attachments?limit=5', 'protocol'],
  ['/api/auth/token', 'protocol'],
  // A page of a proxy or framework for a row that has gone, or for a route that a service may lack.
  ['/v1/attachments?starting_after=att_9', 'not_found'],
  ['/v1/attachments/att_9', 'not_found'],
  ['/messages', 'not_found'],
])('a web page with status 404 at %s', (path, kind) => {
  const bytes = new TextEncoder().encode('<!doctype html><title>Not found</title>');
  const headers = { 'content-type': 'text/html' };
  expect(faultOfResponse({ status: 404, headers, bytes }, new URL(`http://other${path}`)).kind).toBe(kind);
});

describe('a service without logins', () => {
  const elsewhere = 'or --token-file FILE or ARX_TOKEN gives a token that comes from elsewhere';
  test.each<[number, unknown, string, string, string]>([
    [404, '', '', 'status 404', 'check the base URL'],
    [404, { detail: 'Not Found' }, '', 'not found', 'check the base URL'],
    [
      404,
      { error: { code: 'not_found', message: 'No such page.' } },
      '',
      'no such page',
      'check the base URL',
    ],
    [404, { error: { code: 'gone_away' } }, '', 'gone_away', 'check the base URL'],
    [404, {}, '/v1', 'status 404', 'a base URL ends before /api and /v1: --base-url http://other'],
    [404, {}, '/web', 'status 404', 'check the base URL, as in --base-url http://other'],
    [405, {}, '', 'status 405', 'check the base URL'],
    [410, {}, '', 'status 410', 'check the base URL'],
    [501, {}, '', 'status 501', 'check the base URL'],
  ])('%i %j, base %s', (status, body, base, reason, hint) => {
    const fault = said(status, body, `${base}/api/auth/token`);
    expect([fault.kind, fault.message, hintOf(fault)]).toEqual([
      'protocol',
      `the service has no logins at ${base}/api/auth/token: ${reason}`,
      `${hint}; ${elsewhere}`,
    ]);
    // Callers tell from a status that a record is missing.
    expect(fault.detail.status).toBeUndefined();
  });
});

test('what a server lacks by its status, it lacks later too', () => {
  expect([501, 505].map((status) => said(status, '').kind)).toEqual(['protocol', 'protocol']);
});

test.each([
  ['/v1/attachments/att_9', 'no attachment att_9 in this archive', 'arx attachments ls --all lists them'],
  ['/api/content/msg_9', 'no message msg_9 in this archive', 'arx messages ls lists them'],
  [
    '/v1/conversations/conv_9',
    'no conversation conv_9 in this archive',
    'arx conversations ls lists them; the number of an id is that of its first message',
  ],
  ['/api/sequence/x', 'no sequence x in this archive', 'their names: arx help sequence show'],
])('a record that is not there: %s', (path, message, hint) => {
  const fault = said(404, { code: 'not_found', message: 'x y' }, path);
  expect([fault.message, hintOf(fault)]).toEqual([message, hint]);
});
