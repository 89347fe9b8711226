// Splitting an mbox: its variants, hostile separators, Content-Length, limits.
import { fc, test as property } from '@fast-check/vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readMbox } from '../../../src/service/import/mbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const DAY = 'Thu Jan  1 00:00:00 1970';
const MARK = `From mboxrd@z ${DAY}\n`;
const SEPARATOR = `From a@example.org ${DAY}\n`;

let dir = '';
beforeAll(async () => {
  dir = tempFolder('mbox');
});

async function split(content: string | Uint8Array, { name = 'box', most = 1e6 } = {}): Promise<string[]> {
  const path = join(dir, name);
  await writeFile(path, typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
  const found: string[] = [];
  for await (const item of readMbox(path, most)) {
    found.push(item.kind === 'raw' ? Buffer.from(item.raw).toString('latin1') : `refused: ${item.reason}`);
  }
  return found;
}

test('takes linear time for separators that end in CR LF before mails that end in LF', async () => {
  const mail = `From a ${DAY}\r\nX: y\n\n`;
  const crafted = mail.repeat(60_000) + '\r\n\r\n';
  expect(await split(crafted, { most: 1e8 })).toHaveLength(60_000);
});

describe('variants', () => {
  const A = 'Subject: a\n\none\n\n';
  const B = 'Subject: b\n\ntwo\n';
  test.each<[name: string, content: string, mails: string[]]>([
    ['two mails, bytes unchanged', SEPARATOR + A + SEPARATOR + B, [A, B]],
    ['empty lines first', `\n\n${SEPARATOR}${A}`, [A]],
    [
      'CRLF',
      (SEPARATOR + A + SEPARATOR + B).replaceAll('\n', '\r\n'),
      [A, B].map((m) => m.replaceAll('\n', '\r\n')),
    ],
    ['no newline at the end', `${SEPARATOR}Subject: a\n\none`, ['Subject: a\n\none']],
    ['a first line without a date', `From \n${A}${SEPARATOR}${B}`, [A, B]],
    ['a zone and an address with spaces', `From x y z Thu Jan  1 00:00:00 +0100 1970\n${A}`, [A]],
    ['an empty file', '', []],
    ['only empty lines', '\n\n\n', []],
    ['only a separator', SEPARATOR, ['']],
    ['an empty mail', `${SEPARATOR}\n${SEPARATOR}${B}`, ['\n', B]],
    [
      'a line of text that begins with From',
      `${SEPARATOR}Subject: a\n\nx\n\nFrom Black's Law Dictionary:\nDemand: deposits\n`,
      [`Subject: a\n\nx\n\nFrom Black's Law Dictionary:\nDemand: deposits\n`],
    ],
    [
      'a separator without an empty line before it',
      `${SEPARATOR}Subject: a\n\nx\n${SEPARATOR}Subject: b\n`,
      [`Subject: a\n\nx\n${SEPARATOR}Subject: b\n`],
    ],
    [
      'a separator without a field after it',
      `${SEPARATOR}Subject: a\n\nx\n\n${SEPARATOR}and so on\n`,
      [`Subject: a\n\nx\n\n${SEPARATOR}and so on\n`],
    ],
    ['mboxo keeps the quoting', `${SEPARATOR}${A}>From me\n`, [`${A}>From me\n`]],
    [
      'mboxrd removes the quoting',
      `${MARK}${A}>From me\n>>From you\n> From us\n\n`,
      [`${A}From me\n>From you\n> From us\n`],
    ],
    ['mboxrd separates without a following field', `${MARK}a\n\n${MARK}b\n\n`, ['a\n', 'b\n']],
    ['mboxrd with empty mails', `${MARK}\n${MARK}\n`, ['', '']],
  ])('%s', async (_name, content, mails) => {
    expect(await split(content)).toEqual(mails);
  });

  test('a name that ends in .mboxrd means mboxrd', async () => {
    expect(await split(`${SEPARATOR}a\n>From b\n\n`, { name: 'x.mboxrd' })).toEqual(['a\nFrom b\n']);
  });

  const body = `${SEPARATOR}Subject: inner\n\ninner\n\n`;
  const counted = (length: number) => `Content-Length: ${length}\nSubject: a\n\n`;
  test.each<[name: string, header: string, after: string, mails: number]>([
    ['a correct Content-Length hides a separator', counted(body.length), '', 1],
    ['a correct Content-Length before another mail', counted(body.length), `\n${SEPARATOR}${B}`, 2],
    ['a wrong Content-Length is ignored', counted(body.length - 7), '', 2],
    ['a Content-Length beyond the file is ignored', counted(99_999), '', 2],
    ['a huge Content-Length is ignored', counted(1e12 - 1), '', 2],
  ])('%s', async (_name, header, after, mails) => {
    const found = await split(SEPARATOR + header + body + after);
    expect(found).toHaveLength(mails);
    expect(found.join('')).toContain('inner');
  });
});

describe('limits', () => {
  test('a mail that is too large is refused and the next one is read', async () => {
    const large = `Subject: a\n\n${'x'.repeat(3000)}\n\n`;
    expect(await split(`${SEPARATOR}${large}${SEPARATOR}Subject: b\n`, { most: 2000 })).toEqual([
      'refused: the mail is larger than 2000 bytes',
      'Subject: b\n',
    ]);
  });

  test('the same when the mail is longer than one chunk', async () => {
    const large = Buffer.alloc(11 * 1024 * 1024, 'line of text\n');
    const content = Buffer.concat([
      Buffer.from(`${SEPARATOR}Subject: a\n\n`),
      large,
      Buffer.from(`\n\n${SEPARATOR}Subject: b\n`),
    ]);
    expect(await split(content, { most: 1e6 })).toEqual([
      'refused: the mail is larger than 1000000 bytes',
      'Subject: b\n',
    ]);
  });

  test('positions are byte offsets of the separators', async () => {
    const path = join(dir, 'offsets');
    await writeFile(path, `\n${SEPARATOR}Subject: é\n\n${SEPARATOR}Subject: b\n`);
    const positions: number[] = [];
    for await (const { position } of readMbox(path)) positions.push(position);
    expect(positions).toEqual([1, 1 + SEPARATOR.length + 13]);
  });
});

describe('properties', () => {
  const line = fc.constantFrom(
    '',
    'x',
    'From ',
    '>From a',
    '>>From ',
    SEPARATOR.trim(),
    'A: b',
    '\r',
    ' From ',
    '\x00\xff',
  );
  const mail = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((text) => `${text}\n`).join(''));

  property.prop([fc.array(mail, { maxLength: 6 })])(
    'splits any mails that were joined as mboxrd',
    async (mails) => {
      const joined = mails.map((text) => `${MARK}${text.replaceAll(/^(>*From )/gm, '>$1')}\n`).join('');
      expect(await split(joined)).toEqual(mails);
    },
  );

  property.prop([fc.array(fc.oneof(line, fc.string()), { maxLength: 30 }), fc.boolean()])(
    'reads any bytes without an error',
    async (lines, crlf) => {
      const content = lines.join(crlf ? '\r\n' : '\n');
      const bytes = Buffer.from(content, 'latin1');
      const found = await split(bytes, { most: 200 });
      const kept = found
        .filter((text) => !text.startsWith('refused'))
        .reduce((sum, text) => sum + text.length, 0);
      expect(kept).toBeLessThanOrEqual(bytes.length);
      if (bytes.toString('latin1').replaceAll(/[\r\n]/g, '') !== '') expect(found.length).toBeGreaterThan(0);
    },
  );
});
