// One record as services wrap it: the record that was asked for is found, and what is missing is said by its place.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { createBodyReader } from '../../../src/client/shapes/record-body.ts';
import {
  acknowledgementKind,
  ATTACHMENT,
  CONVERSATION,
  HEALTH,
  tokenKind,
} from '../../../src/client/shapes/record-kinds.ts';
import { RAW } from '../../../src/client/shapes/content-kinds.ts';
import { Fault } from '../../../src/faults.ts';
import { jsonAnswer } from './lists.ts';

const answer = jsonAnswer({});
const GIVEN_AT = Date.parse('2030-03-17T17:46:40Z');
const dropped: string[] = [];
const drop = (field: string): void => void dropped.push(field);
const conversation = createBodyReader(CONVERSATION, drop);

describe('a conversation', () => {
  const record = { id: 'conv_1', subject: 's' };
  test.each<[string, unknown]>([
    ['the body', record],
    ['data', { data: record }],
    ['its name', { conversation: record }],
    ['a result in data', { data: { result: record } }],
    ['a list of one', [record]],
    ['a document', { ok: 1, doc: record }],
    ['names in PascalCase', { Result: { Data: { Id: 'conv_1', Subject: 's', subject: 's' } } }],
    ['one name in two spellings', { data: record, Data: {} }],
    ['three objects around it', { data: { result: { view: 'raw', data: record } } }],
    ['beside another id', { id: 'req_7', data: record }],
    ['JSON:API', { data: { type: 'conversations', id: 'conv_1', attributes: { subject: 's' } } }],
    ['another name of the id', { data: { conversationId: 'conv_1', subject: 's' } }],
  ])('%s', (_, body) => {
    expect(conversation(body, answer, 'conv_1')).toMatchObject(record);
  });

  test.each<[unknown, RegExp]>([
    [{ data: { subject: 's' } }, /at data\.id: /],
    [{}, /at id: /],
    ['x', /at \$: /],
    [null, /at \$: /],
  ])('%j is none', (body, words) => {
    expect(() => conversation(body, answer)).toThrow(words);
  });

  test('a field of another type is left out', () => {
    dropped.length = 0;
    expect(conversation({ data: { id: 4, subject: {}, message_count: '2' } }, answer)).toEqual({
      id: '4',
      message_count: 2,
    });
    expect(dropped).toEqual(['subject']);
  });
});

test('an attribute type of JSON:API counts more than the type of the resource', () => {
  const attributes = { accepted: true, event_id: 'e', type: 'mirror.detected', status: 'queued' };
  const body = { data: { type: 'acknowledgements', id: 'e', attributes } };
  expect(createBodyReader(acknowledgementKind(), drop)(body, answer).type).toBe('mirror.detected');
});

test.each([
  [{ ok: false, error: { code: 'slow_down', request_id: null } }, 'error slow_down'],
  [{ status: 'error', message: 'no such client' }, 'error no such client'],
  [{ errors: [{ title: 'too many' }] }, 'error too many'],
  [{ Success: false, Message: 'no such client' }, 'error no such client'],
  [{ Error: { Code: 'slow_down' } }, 'error slow_down'],
])('a body that reports an error in place of a record: %j', (body, words) => {
  const read = [CONVERSATION, tokenKind(GIVEN_AT), acknowledgementKind(), RAW].map((kind) =>
    createBodyReader<never>(kind as never, drop),
  );
  for (const one of read) expect(() => one(body, answer)).toThrow(`answer has status 200 but says ${words}`);
});

test('a token in data, with numbers as text and its end in seconds', () => {
  const token = {
    access_token: 'abc',
    expires_at: 1_900_000_000,
    scope: [],
    access_tier: 'internal',
    issued_by: 'x',
    timeline_offset_ms: '-4',
    session_drift_ms: 0,
    source_integrity: '1',
  };
  expect(createBodyReader(tokenKind(GIVEN_AT), drop)({ data: token }, answer)).toMatchObject({
    expires_at: '2030-03-17T17:46:40.000Z',
    timeline_offset_ms: -4,
    source_integrity: 1,
  });
});

test.each([
  ['2030-03-17 17:46:40', '2030-03-17T17:46:40.000Z'],
  ['2030-03-17T17:46:40', '2030-03-17T17:46:40.000Z'],
  ['Sun, 17 Mar 2030 17:46:40 GMT', '2030-03-17T17:46:40.000Z'],
  ['2030-03-17T18:46:40+01:00', '2030-03-17T18:46:40+01:00'],
  ['/Date(1900000000000)/', '2030-03-17T17:46:40.000Z'],
])('a token until %s', (expires_at, read) => {
  const token = {
    access_token: 'abc',
    expires_at,
    scope: [],
    access_tier: 'internal',
    issued_by: 'x',
    timeline_offset_ms: 0,
    session_drift_ms: 0,
    source_integrity: 1,
  };
  expect(createBodyReader(tokenKind(GIVEN_AT), drop)(token, answer).expires_at).toBe(read);
});

test.each<[object, object]>([
  [{ expires_in: 3600 }, { expires_at: '2030-03-17T18:46:40.000Z' }],
  [{ expires_in: '3600' }, { expires_at: '2030-03-17T18:46:40.000Z' }],
  [{ expiresIn: 60 }, { expires_at: '2030-03-17T17:47:40.000Z' }],
  [{ expires_in: 0 }, { expires_at: '2030-03-17T17:46:40.000Z' }],
  [{ expires_in: 3600, expires_at: null }, { expires_at: '2030-03-17T18:46:40.000Z' }],
  [{ expires_in: 60, expires_at: '2031-01-01T00:00:00Z' }, { expires_at: '2031-01-01T00:00:00Z' }],
  [{ expires_in: 60, scope: 'read:messages read:sequence' }, { scope: ['read:messages', 'read:sequence'] }],
  [{ expires_in: 60, scope: 'read:messages, read:sequence' }, { scope: ['read:messages', 'read:sequence'] }],
  [{ expires_in: 60, scope: '' }, { scope: [] }],
])('a token as OAuth writes it: %j', (fields, read) => {
  const token = {
    access_token: 'abc',
    scope: [],
    access_tier: 'internal',
    issued_by: 'x',
    timeline_offset_ms: 0,
    session_drift_ms: 0,
    source_integrity: 1,
    ...fields,
  };
  expect(createBodyReader(tokenKind(GIVEN_AT), drop)(token, answer)).toMatchObject(read);
});

test.each(['soon', -1e300, {}, undefined])(
  'a token for %j seconds has no end that is known',
  (expires_in) => {
    const token = { access_token: 'abc', token_type: 'Bearer', expires_in };
    const read = createBodyReader(tokenKind(GIVEN_AT), drop)(token, answer);
    expect([read.access_token, read.expires_at]).toEqual(['abc', undefined]);
  },
);

test('a token that is named so, with its type', () => {
  const token = { token: 'abc', token_type: 'Bearer', Expires_In: 60 };
  const read = createBodyReader(tokenKind(GIVEN_AT), drop)(token, answer);
  expect(read).toMatchObject({ access_token: 'abc', expires_at: '2030-03-17T17:47:40.000Z' });
});

test.each([{}, { access_token: '' }, { access_token: 'a b' }, { token: 'abc' }])(
  'without a usable access_token it is no token: %j',
  (token) => {
    expect(() => createBodyReader(tokenKind(GIVEN_AT), drop)(token, answer)).toThrow('at access_token: ');
  },
);

test.each<[object, string]>([
  [{ status: 'ok' }, 'ok'],
  [{ data: { status: 200 } }, '200'],
  [{ healthy: true }, 'ok'],
  [{ ok: 0 }, 'not ok'],
  [{ state: 'green' }, 'green'],
  [{ Healthy: 'True' }, 'ok'],
  [{ IsHealthy: 'No' }, 'not ok'],
])('health %j is %s', (body, status) => {
  expect(createBodyReader(HEALTH, drop)(body, answer).status).toBe(status);
});

test('an acknowledgement whose id is a number', () => {
  const body = { data: { accepted: 'true', event_id: 7, type: 't', status: 'queued' } };
  expect(createBodyReader(acknowledgementKind(), drop)(body, answer)).toMatchObject({
    accepted: true,
    event_id: '7',
  });
});

test.each<[unknown, string[][]]>([
  [[['From', 'a']], [['From', 'a']]],
  [
    { From: 'a', Received: ['x', 'y'] },
    [
      ['From', 'a'],
      ['Received', 'x'],
      ['Received', 'y'],
    ],
  ],
  [[{ name: 'From', value: 'a' }], [['From', 'a']]],
])('headers %j', (headers, pairs) => {
  expect(createBodyReader(RAW, drop)({ id: 'm', headers }, answer).headers).toEqual(pairs);
});

property.prop([fc.jsonValue()])('any JSON is a record or a Fault', (body) => {
  for (const kind of [ATTACHMENT, CONVERSATION, HEALTH, RAW] as const) {
    try {
      createBodyReader(kind as typeof CONVERSATION, drop)(body, answer, 'x');
    } catch (error) {
      expect(error).toBeInstanceOf(Fault);
    }
  }
});
