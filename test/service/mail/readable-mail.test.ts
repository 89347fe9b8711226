// The parts of a mail as a person reads them: which form is shown, files in place, forwarded messages, damage; and that no part is lost.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseMimeStructure } from '../../../src/service/mail/mime-structure.ts';
import { readableMail, readableText } from '../../../src/service/mail/readable-mail.ts';
import { hasRealData, unpackTar } from '../../support/real-data.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const part = (headers: string, body: string) => `--b\n${headers}\n\n${body}\n`;
const multipart = (type: string, ...parts: string[]) =>
  `Content-Type: multipart/${type}; boundary=b\n\n${parts.join('')}--b--\n`;
const read = async (mail: string, prefer?: 'text/html') =>
  (await readableMail(Buffer.from(mail), prefer)).parts;
const shape = async (mail: string, prefer?: 'text/html') =>
  (await read(mail, prefer)).map(({ kind, type, text, filename }) => [
    kind,
    type,
    text?.trim() ?? filename ?? '',
  ]);

const PLAIN = part('Content-Type: text/plain', 'plain');
const HTML = part('Content-Type: text/html', '<p>page</p>');
const FILE = part('Content-Type: image/png; name=a.png', 'x');

test('a report of delivery: its first fields are text too, and the returned mail has its heading', async () => {
  const parts = await read(
    multipart(
      'report',
      PLAIN,
      part(
        'Content-Type: message/delivery-status',
        'Reporting-MTA: dns; x\n\nFinal-Recipient: a@x\nStatus: 5.1.1\n',
      ),
      part('Content-Type: message/feedback-report', 'Feedback-Type: abuse\nVersion: 1'),
      part('Content-Type: message/rfc822', 'From: b@x\nSubject: returned\n\nits text'),
    ),
  );
  expect(parts.map(({ text }) => text?.trim())).toEqual([
    'plain',
    'Reporting-MTA: dns; x\n\nFinal-Recipient: a@x\nStatus: 5.1.1',
    'Feedback-Type: abuse\nVersion: 1',
    'its text',
  ]);
  expect(parts.map(({ forwarded }) => forwarded)).toEqual([
    undefined,
    undefined,
    undefined,
    [
      [
        ['From', 'b@x'],
        ['Subject', 'returned'],
      ],
    ],
  ]);
});

test.each<[name: string, mail: string, parts: string[][]]>([
  ['a text', 'Subject: a\n\nhello', [['text', 'text/plain', 'hello']]],
  [
    'two forms',
    multipart('alternative', PLAIN, HTML),
    [
      ['text', 'text/plain', 'plain'],
      ['alternative', 'text/html', ''],
    ],
  ],
  [
    'HTML first',
    multipart('alternative', HTML, PLAIN),
    [
      ['alternative', 'text/html', ''],
      ['text', 'text/plain', 'plain'],
    ],
  ],
  [
    'an empty text beside HTML',
    multipart('alternative', part('Content-Type: text/plain', ' '), HTML),
    [
      ['alternative', 'text/plain', ''],
      ['text', 'text/html', 'page'],
    ],
  ],
  ['HTML alone', multipart('alternative', HTML), [['text', 'text/html', 'page']]],
  [
    'both, not as alternatives',
    multipart('mixed', PLAIN, HTML),
    [
      ['text', 'text/plain', 'plain'],
      ['text', 'text/html', 'page'],
    ],
  ],
  [
    'a file between two texts',
    multipart('mixed', PLAIN, FILE, part('', 'footer')),
    [
      ['text', 'text/plain', 'plain'],
      ['file', 'image/png', 'a.png'],
      ['text', 'text/plain', 'footer'],
    ],
  ],
  [
    'a file in an alternative',
    multipart('alternative', PLAIN, FILE),
    [
      ['text', 'text/plain', 'plain'],
      ['file', 'image/png', 'a.png'],
    ],
  ],
  [
    'a patch with a name',
    multipart('mixed', part('Content-Type: text/x-patch; name=a.diff', '+a')),
    [
      ['file', 'text/x-patch', 'a.diff'],
      ['text', 'text/x-patch', '+a'],
    ],
  ],
  [
    'a text that is an attachment',
    multipart('mixed', part('Content-Disposition: attachment; filename=a.txt', 'a')),
    [['file', 'text/plain', 'a.txt']],
  ],
  [
    'a multipart without parts',
    'Content-Type: multipart/mixed; boundary=b\n\nlost?',
    [['text', 'multipart/mixed', 'lost?']],
  ],
])('%s', async (_, mail, parts) => {
  expect(await shape(mail)).toEqual(parts);
});

test('HTML is shown where it is preferred', async () => {
  expect(await shape(multipart('alternative', PLAIN, HTML), 'text/html')).toEqual([
    ['alternative', 'text/plain', ''],
    ['text', 'text/html', 'page'],
  ]);
});

test('links of HTML are numbered', async () => {
  const [page] = await read('Content-Type: text/html\n\n<a href="https://a.example/x">here</a>');
  expect(page).toMatchObject({ text: 'here [1]\n', links: ['https://a.example/x'] });
});

test('text is decoded by charset, transfer encoding and format', async () => {
  const [latin] = await read(
    'Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9',
  );
  expect(latin?.text).toBe('café');
  const [flowed] = await read('Content-Type: text/plain; format=flowed\n\n> a \n> b\n\nc \nd');
  expect(flowed?.text).toBe('> a b\n\nc d');
});

test('a forwarded message begins with its header', async () => {
  const inner = 'From: =?utf-8?q?Zo=C3=AB?= <z@b>\nSubject: inner\n\nwords';
  const [forwarded] = await read(multipart('mixed', part('Content-Type: message/rfc822', inner)));
  expect(forwarded).toMatchObject({
    forwarded: [
      [
        ['From', 'Zoë <z@b>'],
        ['Subject', 'inner'],
      ],
    ],
    text: 'words',
  });
});

test('a forwarded message begins with its header also where its first part is not shown', async () => {
  const inner = `Subject: inner\nContent-Type: multipart/alternative; boundary=c\n\n--c\nContent-Type: text/html\n\n<p>\n--c\n\nwords\n--c--`;
  const parts = await read(multipart('mixed', part('Content-Type: message/rfc822', inner)));
  expect(parts).toMatchObject([
    { kind: 'alternative', forwarded: [[['Subject', 'inner']]] },
    { text: 'words' },
  ]);
});

test('what is damaged is said at its part', async () => {
  const [base64] = await read('Content-Transfer-Encoding: base64\n\naGVsbG8\x01=');
  expect(base64?.warnings).toEqual(['its base64 is damaged: bytes may be missing']);
  const [charset] = (
    await readableMail(Buffer.from('Content-Type: text/plain; charset=us-ascii\n\ncaf\xe9', 'latin1'))
  ).parts;
  expect(charset?.warnings).toEqual(['some bytes are no us-ascii: letters may be wrong']);
});

test('of a service that gives text and HTML alone, the text is shown', () => {
  const both = { text: 'a \nb', html: '<p>c', contentType: 'text/plain; format=flowed' };
  expect(readableText(both)).toMatchObject([{ text: 'a b' }, { kind: 'alternative', type: 'text/html' }]);
  expect(readableText(both, 'text/html')).toMatchObject([{ kind: 'alternative' }, { text: 'c\n' }]);
  expect(readableText({ ...both, text: ' \n' })).toMatchObject([
    { kind: 'text', type: 'text/html', text: 'c\n' },
  ]);
  expect(readableText({ text: null, html: null, contentType: undefined })).toEqual([]);
});

test('10,000 parts and 64 nested alternatives', async () => {
  const many = multipart('mixed', ...Array<string>(10_000).fill(PLAIN));
  expect(await read(many)).toHaveLength(10_000);
  const nested = (depth: number): string =>
    depth === 0
      ? 'Content-Type: text/plain\n\ndeep\n'
      : `Content-Type: multipart/alternative; boundary=b${depth}\n\n--b${depth}\n${nested(depth - 1)}\n--b${depth}--\n`;
  expect(await shape(nested(60))).toEqual([['text', 'text/plain', 'deep']]);
});

if (hasRealData('mime-torture', ['tar', 'xz']))
  describe('the MIME collection', () => {
    const folder = tempFolder('torture');
    const names = ['mime4j', 'nodemailer-mailparser', 'stalwart', 'sisimai-bounces'];
    for (const name of names) unpackTar(`mime-torture/${name}`, folder);
    const mails = (readdirSync(folder, { recursive: true }) as string[])
      .map((path) => join(folder, path))
      .filter((path) => statSync(path).isFile());

    test('has mails', () => {
      expect(mails.length).toBeGreaterThan(900);
    });

    test('every part of every mail is shown, named as a file, or named as another form', async () => {
      const lost: string[] = [];
      for (const path of mails) {
        const bytes = readFileSync(path);
        const { leaves } = parseMimeStructure(bytes);
        const { parts } = await readableMail(bytes);
        let fileEnd = 0;
        const expected = leaves.filter((leaf, index) => {
          const isInside = index < fileEnd;
          fileEnd = Math.max(fileEnd, index + 1 + leaf.contains);
          // Texts inside an attached message are in its file.
          return !isInside || !/^(?:text|multipart)\//.test(leaf.type);
        });
        const count = (type: string) => expected.filter((leaf) => leaf.type === type).length;
        for (const type of new Set(expected.map((leaf) => leaf.type)))
          if (parts.filter((each) => each.type === type).length < count(type)) lost.push(`${path} ${type}`);
      }
      expect(lost).toEqual([]);
    });
  });
