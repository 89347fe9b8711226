// The readable text of a message: visible parts, charsets, size limits, redacted files.
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { MAX_TEXT_BYTES } from '../../../src/contract/content.ts';
import { readMessageText } from '../../../src/service/mail/message-text.ts';
import { sha256Of } from '../../support/digest.ts';

const read = (mail: string) => readMessageText('rfc822', Buffer.from(mail, 'latin1'));
const parts = (...bodies: string[]) =>
  ['Content-Type: multipart/mixed; boundary=b\n', ...bodies.map((body) => `--b\n${body}`), '--b--\n'].join(
    '\n',
  );

test.each<[name: string, mail: string, text: string | null, html: string | null]>([
  ['an empty mail', '', null, null],
  ['a text mail', 'Subject: x\n\nhello\n', 'hello\n', null],
  ['CRLF', 'Subject: x\r\n\r\na\r\nb\r\n', 'a\nb\n', null],
  ['HTML', 'Content-Type: text/html\n\n<p>\n', null, '<p>\n'],
  ['text and HTML', parts('\n1\n', 'Content-Type: text/html\n\n<p>'), '1\n\n', '<p>\n'],
  ['two text parts', parts('\n1', '\n2'), '1\n\n2\n', null],
  [
    'an inline part with a file name',
    parts('\n1', 'Content-Disposition: inline; filename=x\n\n2'),
    '1\n\n2\n',
    null,
  ],
  ['an attachment', parts('\n1', 'Content-Disposition: attachment\n\n2'), '1\n', null],
  ['a text type that is not shown', parts('\n1', 'Content-Type: text/calendar\n\n2'), '1\n', null],
  [
    'a forwarded mail',
    parts('\n1', 'Content-Type: message/rfc822\n\nSubject: =?utf-8?q?=C3=A9?=\nX: z\nFrom: a@b\n\n2', '\n3'),
    '1\n\nFrom: a@b\nSubject: é\n\n2\n\n3\n',
    null,
  ],
  [
    'a mail inside a report',
    parts('\n1', 'Content-Type: message/rfc822\n\nSubject: y\n\n2').replace('mixed', 'report'),
    '1\n',
    null,
  ],

  ['base64', 'Content-Transfer-Encoding: base64\n\naGkKaG8=\n', 'hi\nho', null],
  [
    'quoted-printable',
    'Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n=C3=A9=\n!',
    'é!\n',
    null,
  ],
  ['UTF-8 without a declared charset', '\n\xc3\xa9', 'é\n', null],
  ['invalid UTF-8', '\n\xe9', '\ufffd\n', null],
  ['latin-1', 'Content-Type: text/plain; charset="ISO-8859-1"\n\n\xe9', 'é\n', null],
  ['cp932', 'Content-Type: text/plain; charset=cp932\n\n\x82\xa0', 'あ\n', null],
  ['x-gbk', 'Content-Type: text/plain; charset=x-gbk\n\n\xc4\xe3', '你\n', null],
  ['an unknown charset', 'Content-Type: text/plain; charset=none\n\n\xe9', 'é\n', null],
])('%s', async (_name, mail, text, html) => {
  expect(await read(mail)).toMatchObject({ text, html });
});

test('headers are in order, repeated and unfolded', async () => {
  const { headers } = await read('Received: a\n b\nSUBJECT: =?utf-8?q?x?=\nReceived: c\n\nNot: this');
  expect(headers).toEqual([
    ['Received', 'a b'],
    ['SUBJECT', '=?utf-8?q?x?='],
    ['Received', 'c'],
  ]);
});

test('headers after a line that is no field are shown', async () => {
  const { headers, text } = await read('From: a@b\nno field\nSubject: x\n\nbody\n');
  expect(headers).toContainEqual(['Subject', 'x']);
  expect(text).toBe('body\n');
});

describe('limits the size of', () => {
  test.each<[name: string, body: string]>([
    ['letters', 'a'.repeat(3_000_000)],
    ['lines', 'a\n'.repeat(1_000_000)],
    ['control characters', '\0'.repeat(3_000_000)],
    ['bytes that do not decode', '\xff'.repeat(3_000_000)],
    ['surrogate pairs', 'a' + '\xf0\x9f\x98\x80'.repeat(700_000)],
  ])('%s', async (_name, body) => {
    const mail = parts(`\n${body}`, `Content-Type: text/html\n\n${body}`);
    const { text, html, truncated } = await read(mail);
    expect(truncated).toEqual(['text', 'html']);
    expect(html).toBe(text);
    const bytes = Buffer.byteLength(JSON.stringify(text));
    expect(bytes).toBeLessThanOrEqual(MAX_TEXT_BYTES);
    expect(bytes).toBeGreaterThan(0.98 * MAX_TEXT_BYTES);
    expect(text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  test('headers', async () => {
    const { headers, truncated } = await read(`${'To: a@b\n'.repeat(100_000)}\nx`);
    expect(truncated).toEqual(['headers']);
    expect(headers).toHaveLength((128 * 1024) / 8);
  });

  test('parts', async () => {
    const { text, truncated } = await read(parts(...Array.from({ length: 10_050 }, () => '\n1')));
    expect(truncated).toBeUndefined();
    expect(text).toHaveLength(3 * 9_999 + `1\n${'--b\n\n1\n'.repeat(50)}--b--\n`.length);
  });

  test.each(['slack', 'file'] as const)('the text of the format %s', async (format) => {
    const source = JSON.stringify({ text: 'a'.repeat(2 * MAX_TEXT_BYTES) });
    expect(await readMessageText(format, Buffer.from(source))).toMatchObject({
      truncated: ['text'],
      html: null,
    });
  });
});

test('a file with many lines is not text', async () => {
  const file = `Content-Type: application/octet-stream; name=x\n\n${'a\n'.repeat(1_000_000)}`;
  expect(await read(file)).toEqual({
    headers: [['Content-Type', 'application/octet-stream; name=x']],
    text: null,
    html: null,
  });
});

describe('redacted files', () => {
  const mail = Buffer.from(parts('\nletter', 'Content-Disposition: inline; filename=x\n\nsecret'));
  const hash = (text: string) => sha256Of(text);
  test('are left out of the text', async () => {
    expect((await readMessageText('rfc822', mail, { redacted: new Set([hash('secret')]) })).text).toBe(
      'letter\n',
    );
  });
  test('that are not found leave only the headers', async () => {
    const read = await readMessageText('rfc822', mail, {
      redacted: new Set([hash('secret'), hash('other')]),
    });
    expect(read).toMatchObject({ headers: [['Content-Type', expect.any(String)]], text: null, html: null });
  });
});

property.prop([
  fc.array(
    fc.constantFrom(
      '--b',
      '--b--',
      '',
      'Content-Type: multipart/mixed; boundary=b',
      'Content-Type: message/rfc822',
      'Content-Transfer-Encoding: base64',
      'Content-Type: text/html; charset=utf-16',
      'x',
      '\xff',
    ),
    { maxLength: 40 },
  ),
])('reads any structure without an error', async (lines) => {
  const { headers } = await read(lines.join('\n'));
  expect(Array.isArray(headers)).toBe(true);
});

property.prop([fc.uint8Array({ maxLength: 400 }), fc.constantFrom('rfc822', 'slack', 'file')], {
  numRuns: 300,
})('readMessageText never throws, whatever the bytes', async (bytes, format) => {
  const text = await readMessageText(format, bytes);
  expect(Array.isArray(text.headers)).toBe(true);
});
