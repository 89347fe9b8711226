// Fields as services spell and type them: what can be meant is read, what cannot is left out with one notice, and no page is lost.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../../src/faults.ts';
import { conversationParser, jsonAnswer } from './lists.ts';
import { createRecordListParser } from '../../../src/client/record-list.ts';
import type { ListParser } from '../../../src/client/list-parser.ts';
import { RAW } from '../../../src/client/shapes/content-kinds.ts';
import { ATTACHMENTS, CONVERSATIONS, MESSAGES } from '../../../src/client/shapes/list-kinds.ts';
import { createBodyReader } from '../../../src/client/shapes/record-body.ts';

describe('ids', () => {
  test.each<[string, object[], string, string[]]>([
    ['numbers', [{ id: 7 }, { id: 8 }], 'id', ['7', '8']],
    ['integers beyond 2^53', [{ id: '9007199254740993' }], 'id', ['9007199254740993']],
    ['_id', [{ _id: 'a' }, { _id: 'b' }], '_id', ['a', 'b']],
    ['an id of MongoDB', [{ _id: { $oid: 'a' } }, { _id: { $oid: 'b' } }], '_id.$oid', ['a', 'b']],
    ['uuid', [{ uuid: 'a' }, { uuid: 'b' }], 'uuid', ['a', 'b']],
    ['the name of the record', [{ conversation_id: 'a' }], 'conversation_id', ['a']],
    ['the same in camelCase', [{ conversationId: 'a' }], 'conversationId', ['a']],
    [
      'not what is equal in all rows',
      [
        { id: 1, key: 'a' },
        { id: 1, key: 'b' },
      ],
      'key',
      ['a', 'b'],
    ],
    ['not what some rows lack', [{ id: 'x', key: 'a' }, { key: 'b' }], 'key', ['a', 'b']],
    [
      'a row twice is drift and no reason for another id',
      [
        { id: 'a', key: 1 },
        { id: 'a', key: 1 },
        { id: 'b', key: 2 },
      ],
      'id',
      ['a', 'a', 'b'],
    ],
  ])('%s', (_, rows, place, ids) => {
    const { read, guess } = conversationParser();
    expect(read(rows).data.map(({ id }) => id)).toEqual(ids);
    expect(guess()?.id).toBe(place);
  });

  test('they are bound: a later row without it is named, though another field would do', () => {
    const { read, guess } = conversationParser();
    read([
      { id: 'a', key: 'x' },
      { id: 'b', key: 'y' },
    ]);
    expect(() => read({ data: [{ id: 'c' }] })).toThrow('this answer is no list, as earlier ones have');
    expect(() => read([{ id: 'c' }, { key: 'z' }])).toThrow('conversations: row 2 of a page has no id at id');
    expect(guess()?.id).toBe('id');
  });

  test.each([
    [{ id: 'x'.repeat(1001) }],
    [{ id: '' }],
    [{ id: '\ud800' }],
    [{ id: true }],
    [{ colour: 'red' }],
    [null],
    [7],
  ])('a row that cannot be a cursor: %j', (row) => {
    expect(() => conversationParser().read({ data: [row] })).toThrow(/row 1 of a page has no id at id$/);
  });
});

test('fields in another spelling and of other types', () => {
  const { read, notices, lines } = conversationParser();
  const [row] = read([
    {
      id: 7,
      firstMessageId: 12,
      messageCount: '3',
      StartedAt: 1_700_000_000,
      lastAt: 1_700_000_000_123,
      integrity: '0.5',
    },
  ]).data;
  expect(row).toMatchObject({
    id: '7',
    first_message_id: '12',
    message_count: 3,
    started_at: '2023-11-14T22:13:20.000Z',
    last_at: '2023-11-14T22:13:20.123Z',
    integrity: 0.5,
    // What was received stays under its own name.
    firstMessageId: 12,
    messageCount: '3',
  });
  expect(notices).toEqual([]);
  expect(lines).toEqual([
    'conversations: rows in the body itself, ids at id, first_message_id at firstMessageId, ' +
      'message_count at messageCount, started_at at StartedAt, last_at at lastAt',
  ]);
});

test.each<[what: string, row: object, read: object]>([
  [
    'values of MongoDB',
    {
      id: { $oid: 'a' },
      first_message_id: { $oid: 'm' },
      message_count: { $numberInt: '3' },
      startedAt: { $date: '2023-11-14T22:13:20Z' },
      updatedAt: { $date: { $numberLong: '1700000000000' } },
    },
    {
      first_message_id: 'm',
      message_count: 3,
      started_at: '2023-11-14T22:13:20Z',
      last_at: '2023-11-14T22:13:20.000Z',
    },
  ],
  [
    'an object that only looks like one',
    { id: 'a', kind: { $oid: 'a', more: 1 } },
    { kind: { $oid: 'a', more: 1 } },
  ],
  [
    'null as text',
    { id: 'a', subject: 'null', first_message_id: 'null', started_at: '', last_at: 'NULL' },
    { subject: 'null', first_message_id: null, started_at: null, last_at: null },
  ],
])('%s', (_what, row, read) => {
  const { data } = conversationParser().read([{ ...row, _id: 'a' }]);
  expect(data[0]).toMatchObject(read);
});

test('an attachment without values, as text', () => {
  const notices: string[] = [];
  const parser = createRecordListParser(ATTACHMENTS, { notice: (line) => notices.push(line) });
  const row = { id: 'a', file_url: 'null', sha256: '', filename: 'null', bytes: 'null', redacted: 'N' };
  const [read] = parser.parse(jsonAnswer([row])).body.data;
  expect(read).toMatchObject({ id: 'a', file_url: null, filename: 'null', redacted: false });
  expect(read).not.toHaveProperty('bytes');
  expect(notices).toEqual([]);
});

test('a notice shows no control characters of a field name', () => {
  const { read, notices } = conversationParser();
  read([{ id: 'a', 'message\n_\u2028count': 'many' }]);
  expect(notices).toEqual([
    'conversations: field message _ count is no usable number in some rows; left out',
  ]);
});

test('two spellings of one field are ambiguous, and neither is used', () => {
  const [row] = conversationParser().read([{ id: 1, messageCount: 3, MessageCount: 4 }]).data;
  expect(row).not.toHaveProperty('message_count');
});

test('a field of another type is left out with one notice for all rows', () => {
  const { read, notices } = conversationParser();
  const rows = [
    { id: 'a', message_count: 'several', subject: ['x'] },
    { id: 'b', message_count: -1, integrity: 7 },
    { id: 'c', message_count: 2, subject: 'kept' },
  ];
  expect(read(rows).data).toEqual([{ id: 'a' }, { id: 'b' }, rows[2]]);
  read(rows.map((row) => ({ ...row, seen: true })));
  expect(notices).toEqual([
    'conversations: field subject is no usable text in some rows; left out',
    'conversations: field message_count is no usable number in some rows; left out',
    'conversations: field integrity is no usable number in some rows; left out',
  ]);
});

test('a field that is null is left out without a notice', () => {
  const { read, notices } = conversationParser();
  const row = { id: 'a', message_count: null, integrity: null, sequence: null, subject: 'x' };
  expect(read([row]).data).toMatchObject([{ id: 'a', subject: 'x' }]);
  expect(notices).toEqual([]);
});

test('messages: senders as objects, files as a list, relationships of JSON:API', () => {
  const list = createRecordListParser(MESSAGES, {});
  const attributes = {
    from: { name: 'Ana', email: 'ana@x' },
    attachments: [{ id: 1 }, { id: 2 }],
    date: false,
  };
  const relationships = {
    conversation: { data: { type: 'conversation', id: 'conv_9' } },
    odd: { data: null },
  };
  const row = { type: 'message', id: '1', attributes, relationships };
  expect(list.parse(jsonAnswer({ data: [row] })).body.data).toEqual([
    {
      id: '1',
      type: 'message',
      from: 'Ana <ana@x>',
      attachments: 2,
      conversation_id: 'conv_9',
      relationships,
    },
  ]);
});

describe('other names of fields', () => {
  const EPOCH = 1_700_000_000;
  const DATE = '2023-11-14T22:13:20.000Z';
  const messages = (): ListParser<object> => createRecordListParser(MESSAGES, {});
  const conversations = (): ListParser<object> => createRecordListParser(CONVERSATIONS, {});
  const attachments = (): ListParser<object> => createRecordListParser(ATTACHMENTS, {});

  test.each<[string, () => ListParser<object>, object, object]>([
    [
      'camelCase',
      messages,
      { sender: 'ana', sentAt: EPOCH, title: 'T' },
      { from: 'ana', date: DATE, subject: 'T' },
    ],
    ['snake_case', messages, { from_address: 'a@x', sent_at: DATE }, { from: 'a@x', date: DATE }],
    ['milliseconds as text', messages, { internalDate: `${EPOCH}000` }, { date: DATE }],
    [
      'an author and a creation',
      messages,
      { author: { name: 'Ana' }, createdAt: DATE },
      { from: 'Ana', date: DATE },
    ],
    ['several senders', messages, { from: [{ name: 'Ana', email: 'a@x' }, 'bo'] }, { from: 'Ana <a@x>, bo' }],
    ['the likelier name', messages, { created_at: '2020-01-01', sentAt: DATE }, { date: DATE }],
    ['the field itself', messages, { from: 'bo', sender: 'ana' }, { from: 'bo' }],
    ['a field that is null', messages, { from: null, sender: 'ana' }, { from: null }],
    ['two spellings of a name', messages, { sentAt: DATE, sent_at: DATE }, { date: undefined }],
    [
      'values that are not meant',
      messages,
      { sender: 17, author: '', sent: true, time: 12, timestamp: 'soon' },
      { from: undefined, date: undefined },
    ],
    ['a count of files', messages, { attachmentCount: '2' }, { attachments: 2 }],
    [
      'conversations',
      conversations,
      { createdAt: EPOCH, updatedAt: EPOCH, totalMessages: 3, title: 'T' },
      { started_at: DATE, last_at: DATE, message_count: 3, subject: 'T' },
    ],
    [
      'attachments',
      attachments,
      { name: 'a.txt', mimeType: 'text/plain', sizeBytes: '12', city: 'oslo' },
      { filename: 'a.txt', content_type: 'text/plain', bytes: 12, origin_city: 'oslo' },
    ],
    [
      'attachments in camelCase',
      attachments,
      { fileName: 'a.txt', contentType: 'text/plain', contentLength: 12, originCity: 'oslo' },
      { filename: 'a.txt', content_type: 'text/plain', bytes: 12, origin_city: 'oslo' },
    ],
    [
      'a type of another kind, and a size without its unit',
      attachments,
      { type: 'attachment', size: 12 },
      { content_type: undefined, bytes: undefined },
    ],
  ])('%s', (_, parser, fields, expected) => {
    const [row] = parser().parse(jsonAnswer([{ id: 'a1', ...fields }])).body.data;
    // What was received stays, but for a field that is repaired.
    expect(row).toMatchObject({
      ...fields,
      ...Object.fromEntries(Object.entries(expected).filter(([, v]) => v !== undefined)),
    });
    for (const [name, value] of Object.entries(expected))
      expect([name, (row as Record<string, unknown>)[name]]).toEqual([name, value]);
  });

  test('the raw view of a message', () => {
    const read = createBodyReader(RAW, () => undefined);
    const record = { id: 'msg_1', sender: { email: 'a@x' }, sentAt: EPOCH, body: 'b' };
    expect(read({ view: 'raw', data: record }, jsonAnswer({}))).toEqual({
      ...record,
      from: 'a@x',
      date: DATE,
    });
  });
});

test('rows of our own shape stay as they are, with every unknown field', () => {
  const { read } = conversationParser();
  const row = { id: 'conv_1', subject: null, extra: { deep: [1] }, toString: 'x', message_count: 4 };
  expect(read({ object: 'list', data: [row], has_more: true }).data).toEqual([row]);
});

const HEX = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const BASE64 = Buffer.from(HEX, 'hex').toString('base64');
describe('a hash is used only where it is certainly a SHA-256', () => {
  test.each<[string, object, string | undefined]>([
    ['sha256', { sha256: HEX }, HEX],
    ['sha256 in capitals', { sha256: HEX.toUpperCase() }, HEX.toUpperCase()],
    ['sha256 in base64', { sha256: BASE64 }, HEX],
    ['sha-256 in another spelling', { sha_256: HEX }, HEX],
    ['a prefix', { hash: `sha256:${HEX}` }, HEX],
    ['a digest of an HTTP field', { digest: `sha-256=:${BASE64}:` }, HEX],
    ['an integrity of a script', { checksum: `sha256-${BASE64}` }, HEX],
    ['an algorithm beside it', { hash: HEX, hash_algorithm: 'SHA-256' }, HEX],
    ['an object that names it', { checksum: { algorithm: 'sha256', value: HEX } }, HEX],
    ['an object by algorithm', { hashes: { md5: 'x', sha256: HEX } }, HEX],
    ['64 digits that may be of any algorithm', { hash: HEX }, undefined],
    ['base64 that may be of any algorithm', { content_hash: BASE64 }, undefined],
    ['another algorithm', { hash: HEX, algorithm: 'sha3-256' }, undefined],
    ['another prefix', { digest: `blake3:${HEX}` }, undefined],
    ['too short', { sha256: HEX.slice(2) }, undefined],
    ['too long', { sha256: `${HEX}00` }, undefined],
    ['two that differ', { sha256sum: HEX, digest: `sha256:${'0'.repeat(64)}` }, undefined],
    ['none', {}, undefined],
  ])('%s', (_, fields, expected) => {
    const list = createRecordListParser(ATTACHMENTS, {});
    const [row] = list.parse(jsonAnswer([{ id: 'att_1', ...fields }])).body.data;
    expect(row?.sha256).toBe(expected);
  });
});

property.prop([
  fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 }), { maxLength: 4 }),
  fc.jsonValue(),
])('any rows are read or refused with a Fault', (rows, extra) => {
  for (const kind of [ATTACHMENTS, MESSAGES]) {
    const list = createRecordListParser<never>(kind as never, {});
    const page = (data: object[]) => jsonAnswer({ data, has_more: extra, next: extra, status: extra });
    const strange = rows.map((row, at) => ({ ...row, id: at, sha256: extra, from: extra, date: extra }));
    for (const data of [rows, strange]) {
      try {
        expect(list.parse(page(data)).body.data).toHaveLength(data.length);
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
      }
    }
  }
});
