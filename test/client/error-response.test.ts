// What is said of refusals by other services: their words, wherever they stand, and what they lack.
import { describe, expect, test } from 'vitest';
import { faultOfResponse } from '../../src/client/error-response.ts';

const said = (status: number, body: unknown, path = '/v1/conversations') => {
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
  return faultOfResponse({ status, headers: {}, bytes }, new URL(path, 'http://other'));
};

describe('the words of the service are found', () => {
  test.each<[string, unknown]>([
    ['interface', { error: { code: 'bad_limit', message: 'The limit is too high.' } }],
    ['text as error', { error: 'the limit is too high' }],
    ['OAuth', { error: 'invalid_request', error_description: 'the limit is too high' }],
    ['JSON:API', { errors: [{ status: '400', title: 'Bad', detail: 'The limit is too high' }] }],
    ['RFC 9457', { type: 'about:blank', title: 'Bad', detail: 'The limit is too high', status: 400 }],
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

  test('"I" stays a capital letter', () => {
    expect(said(400, { message: 'I do not know the parameter source' }).message).toContain(': I do not know');
  });
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
    expect([fault.kind, fault.message, fault.detail.hint]).toEqual(['not_found', message, undefined]);
  });

  test('without a word of the service the base URL may be wrong', () => {
    const fault = said(404, '<h1>Not Found</h1>', '/api/content/msg_9');
    expect([fault.message, fault.detail.hint]).toEqual([
      'the service has no message msg_9: status 404',
      'check the base URL',
    ]);
  });
});

test.each([
  ['/v1/attachments/att_9', 'no attachment att_9 in this archive', 'arx attachments ls --all lists them'],
  ['/api/content/msg_9', 'no message msg_9 in this archive', 'arx messages ls lists them'],
  ['/v1/conversations/conv_9', 'no conversation conv_9 in this archive', 'arx conversations ls lists them'],
  ['/api/sequence/x', 'no sequence x in this archive', 'arx help sequence show names them'],
])('a record that is not there: %s', (path, message, hint) => {
  const fault = said(404, { code: 'not_found', message: 'x y' }, path);
  expect([fault.message, fault.detail.hint]).toEqual([message, hint]);
});
