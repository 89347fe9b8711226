// A mail as a record: structure, attachments with their exact bytes, key, sender, nature.
import { fc, test as property } from '@fast-check/vitest';
import { decodeWords } from 'postal-mime';
import { describe, expect, test } from 'vitest';
import { parseMail } from '../../../src/service/mail/mail-record.ts';
import { sha256Of } from '../../support/digest.ts';

function read(text: string) {
  const raw = Buffer.from(text, 'latin1');
  return parseMail({ kind: 'raw', path: 'x', position: 0, raw, sha256: sha256Of(raw) }, 'internal');
}

const multipart = (...parts: string[]) =>
  [
    'Content-Type: multipart/mixed; boundary="b c"',
    '',
    'preamble',
    ...parts.map((part) => `--b c\n${part}`),
    '--b c--',
    'x',
  ].join('\n');

describe('attachments', () => {
  const TEXT = 'Content-Type: text/plain; charset=utf-8\n\ntext\n';
  test.each<[name: string, mail: string, files: [filename: string, type: string, content: string][]]>([
    ['a text part is no attachment', TEXT, []],
    ['an HTML part is no attachment', multipart(TEXT, 'Content-Type: text/html\n\n<p>'), []],
    [
      'a text part that declares itself an attachment',
      multipart('Content-Disposition: attachment\n\na'),
      [['part-1', 'text/plain', 'a']],
    ],
    [
      'a text part with a file name',
      multipart('Content-Type: text/x-patch; name="a.patch"\n\n1\n'),
      [['a.patch', 'text/x-patch', '1\n']],
    ],
    [
      'any other type',
      multipart(TEXT, 'Content-Type: application/pgp-signature\n\nsig'),
      [['part-2', 'application/pgp-signature', 'sig']],
    ],
    ...['../k', 'image/*', 'image/png"', 'a/b\x1b[2J', 'a/b,(', '\xe9/b'].map(
      (type): [string, string, [string, string, string][]] => [
        `a type that is none: ${JSON.stringify(type)}`,
        multipart(`Content-Type: ${type}\n\n1`),
        [['part-1', 'application/octet-stream', '1']],
      ],
    ),
    ['CRLF is kept', multipart('Content-Type: a/b\n\n1\r\n2\r'), [['part-1', 'a/b', '1\r\n2']]],
    [
      'base64',
      multipart('Content-Type: A/B; name=x\nContent-Transfer-Encoding: base64\n\naGk=\n'),
      [['x', 'a/b', 'hi']],
    ],
    [
      'a mail whose body is a file',
      'Content-Type: image/gif\n\nGIF89a\n',
      [['part-1', 'image/gif', 'GIF89a\n']],
    ],
    [
      'a file name by RFC 2231',
      multipart("Content-Disposition: attachment; filename*0*=utf-8''%C3%A9; filename*1=.txt\n\n1"),
      [['é.txt', 'text/plain', '1']],
    ],
    [
      'a file name by RFC 2047',
      multipart('Content-Disposition: attachment; filename="=?utf-8?q?=C3=A9?="\n\n1'),
      [['é', 'text/plain', '1']],
    ],
    [
      'an attachment of a nested mail',
      multipart(
        `Content-Type: message/rfc822\n\nSubject: in\n${multipart('Content-Type: a/b\n\n1').replaceAll('b c', 'd')}`,
      ),
      [['part-1', 'a/b', '1']],
    ],
    [
      'a nested mail with a file name is one attachment',
      multipart('Content-Type: message/rfc822; name=m.eml\n\nSubject: in\n\nx'),
      [['m.eml', 'message/rfc822', 'Subject: in\n\nx']],
    ],
    [
      'a file inside a nested mail with a file name follows it',
      multipart('Content-Type: message/rfc822; name=m.eml\n\nContent-Type: a/b\n\nx'),
      [
        ['m.eml', 'message/rfc822', 'Content-Type: a/b\n\nx'],
        ['part-2', 'a/b', 'x'],
      ],
    ],
    [
      'a file inside a nested mail in base64',
      multipart(
        `Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n${Buffer.from('Content-Type: a/b\n\nx').toString('base64')}`,
      ),
      [['part-1', 'a/b', 'x']],
    ],
    [
      'a multipart without an end',
      multipart('Content-Type: a/b\n\n1').replace(/\n--b c--[^]*/, ''),
      [['part-1', 'a/b', '1']],
    ],
    ['a multipart without a boundary', 'Content-Type: multipart/mixed\n\n--x\nContent-Type: a/b\n\n1', []],
    [
      'a multipart with a file name that has no boundary is a file',
      multipart('Content-Type: multipart/mixed; name=m\n\n--x\nContent-Type: a/b\n\n1'),
      [['m', 'multipart/mixed', '--x\nContent-Type: a/b\n\n1']],
    ],
    [
      'so is one that has no part',
      multipart('Content-Type: multipart/mixed; boundary=x\nContent-Disposition: attachment\n\n1'),
      [['part-1', 'multipart/mixed', '1']],
    ],
    [
      'and one whose name is empty',
      multipart('Content-Type: multipart/mixed; name=""\n\n1'),
      [['part-1', 'multipart/mixed', '1']],
    ],
    [
      'and one whose delimiters are encoded',
      multipart(
        `Content-Type: multipart/mixed; boundary=x; name=m\nContent-Transfer-Encoding: base64\n\n${Buffer.from('--x\n\n1').toString('base64')}`,
      ),
      [['m', 'multipart/mixed', '--x\n\n1']],
    ],
    [
      'one that does not end is split, whatever its name',
      multipart('Content-Type: multipart/mixed; boundary=x; name=m\n\n--x\nContent-Type: a/b\n\n1'),
      [['part-1', 'a/b', '1']],
    ],
    [
      'so is one inside another of the same boundary',
      multipart(
        'Content-Type: multipart/mixed; boundary="b c"; name=m\n\n--b c\nContent-Type: a/b; name=n\n\n1',
      ),
      [
        ['m', 'multipart/mixed', ''],
        ['n', 'a/b', '1'],
      ],
    ],
  ])('%s', async (_name, mail, files) => {
    const { attachments } = await read(mail);
    const found = attachments.map(({ filename, declared_type, content }) => [
      filename,
      declared_type,
      Buffer.from(content!).toString('latin1'),
    ]);
    expect(found).toEqual(files);
    for (const { content, sha256: hash, bytes } of attachments) {
      expect([hash, bytes]).toEqual([sha256Of(content!), content!.byteLength]);
    }
  });

  test.each<[disposition: string, inline: boolean]>([
    ['Content-ID: <a>\n', true],
    ['Content-ID: <a>\nContent-Disposition: inline\n', true],
    ['Content-ID: <a>\nContent-Disposition: attachment\n', false],
    ['', false],
  ])('an image with %j is inline: %s', async (fields, inline) => {
    const { attachments } = await read(multipart(`Content-Type: image/png\n${fields}\nx`));
    expect(attachments[0]?.inline).toBe(inline);
  });
});

test.each<[header: string, wanted: object]>([
  ['Message-ID: <a@b>\n', { key: 'a@b', related: [], parent: null }],
  ['Message-ID: a@b\n', { key: 'a@b' }],
  ['Message-ID: <a@ b>\n', { key: '<a@ b>' }],
  ['Subject: x\n', { key: null, related: [], parent: null, sender: null, date_ms: null }],
  ['In-Reply-To: <c@d> from <e@f>\nReferences: <a>\n <b>\n', { related: ['a', 'b', 'c@d'], parent: 'c@d' }],
  ['References: <a> <b>\n', { related: ['a', 'b'], parent: 'b' }],
  ['Subject: =?utf-8?q?caf=C3=A9?=\n =?utf-8?q?s?=\n', { subject: 'cafés' }],
  ['subject: caf\xc3\xa9\nSubject: second\n', { subject: 'café' }],
  ['From: "B, A" <a@b>\n', { sender: 'B, A <a@b>' }],
  ['From: a@b (A B)\n', { sender: 'A B <a@b>' }],
  ['From: a@b\n', { sender: 'a@b', source: 'external', tier: 'internal', nature: 'ordinary' }],
  // Its sender writes the header, so it decides nothing about who may read it.
  ['From: a@b\nList-Id: <l>\n', { source: 'gateway', tier: 'internal' }],
  ['From: a@b\nList-Post: <mailto:l@b>\n', { source: 'gateway', tier: 'internal' }],
  ['From: a@b\nMailing-List: l@b\n', { source: 'gateway', tier: 'internal' }],
  ['From: a@b\nPrecedence: list\n', { source: 'gateway', tier: 'internal' }],
  ['From: a@b\nPrecedence: bulk\n', { source: 'external', nature: 'automatic' }],
  ['List-Post: <l>\nPrecedence: bulk\n', { nature: 'ordinary' }],
  ['Auto-Submitted: auto-replied\n', { nature: 'automatic' }],
  ['Auto-Submitted: no\n', { nature: 'ordinary' }],
  ['Return-Path: <>\n', { nature: 'bounce' }],
  [
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b\n',
    { nature: 'bounce', wellFormed: false },
  ],
  ['Content-Type: text/plain; charset=nonsense\n', { decodable: false }],
  ['Subject: x\nno field\n', { subject: 'x', wellFormed: false }],
  ['', { wellFormed: false }],
])('%j', async (header, wanted) => {
  expect(await read(`${header}\nbody\n`)).toMatchObject(wanted);
});

test.each<[charset: string, body: string, decodable: boolean]>([
  ['us-ascii', 'a', true],
  ['us-ascii', '\xe9', false],
  ['utf-8', '\xc3\xa9', true],
  ['utf-8', '\xe9', false],
  ['iso-8859-1', '\xe9', true],
  ['"ISO-2022-JP"', '\x1b$B$"\x1b(B', true],
  ['shift_jis', '\xff\xff', false],
])('charset %s of %j', async (charset, body, decodable) => {
  expect(await read(`Content-Type: text/plain; charset=${charset}\n\n${body}`)).toMatchObject({ decodable });
});

const line = fc.oneof(
  fc.constantFrom(
    '',
    '--b',
    '--b--',
    ' folded',
    'Content-Type: multipart/mixed; boundary=b',
    'Content-Type: message/rfc822',
  ),
  fc.constantFrom(
    'Content-Transfer-Encoding: base64',
    'Content-Disposition: attachment; filename*=x',
    'From: a <',
    'Date: x',
  ),
  fc.string({ unit: 'binary' }),
);
property.prop([fc.array(line, { maxLength: 40 })])('parses any lines without an error', async (lines) => {
  const mail = await read(lines.join('\n'));
  expect(mail.attachments.every(({ content, sha256: hash }) => sha256Of(content!) === hash)).toBe(true);
});

test('limits the depth of nesting', async () => {
  const nested = 'Content-Type: message/rfc822\n\n'.repeat(5000);
  expect((await read(nested)).attachments).toHaveLength(1);
});

property.prop([
  fc
    .array(fc.oneof(fc.constantFrom('=?', '?=', '=?utf-8?q?=C3=A9?=', ' ', '?', '='), fc.string()))
    .map((all) => all.join('')),
])('a subject is what postal-mime decodes', async (text) => {
  const subject = Buffer.from(text.replaceAll(/[\r\n]/g, '').trim(), 'latin1').toString('latin1');
  expect((await read(`X: y\nSubject: ${subject}\n\n`)).subject).toBe(decodeWords(subject.trim()));
});
