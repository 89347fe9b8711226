// Splitting an mbox: its variants, hostile separators, Content-Length, limits.
import { fc, test as property } from '@fast-check/vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_MAIL_BYTES, readMbox, readMboxFrom, type MboxSource } from '../../../src/service/import/mbox.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const DAY = 'Thu Jan  1 00:00:00 1970';
const MARK = `From mboxrd@z ${DAY}\n`;
const SEPARATOR = `From a@example.org ${DAY}\n`;

let dir = '';
beforeAll(async () => {
  dir = tempFolder('mbox');
});

type Limits = { name?: string; most?: number; chunkBytes?: number };

/** Yields what an mbox of these bytes holds. */
function itemsOf(
  content: string | Uint8Array,
  { name = 'box', most = 1e6, chunkBytes }: Limits,
): ReturnType<typeof readMboxFrom> {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : Buffer.from(content);
  const source: MboxSource = {
    path: name,
    readAt: async (into, at) => ({ bytesRead: bytes.copy(into, 0, Math.min(at, bytes.length)) }),
    size: async () => bytes.length,
  };
  return readMboxFrom(source, { maxBytes: most, ...(chunkBytes === undefined ? {} : { chunkBytes }) });
}

async function split(content: string | Uint8Array, options: Limits = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const item of itemsOf(content, options)) {
    if (item.kind === 'raw') found.push(Buffer.from(item.raw).toString('latin1'));
    if (item.kind === 'refused') found.push(`refused: ${item.reason}`);
  }
  return found;
}

test('takes linear time for separators that end in CR LF before mails that end in LF', async () => {
  const mail = `From a ${DAY}\r\nX: y\n\n`;
  const crafted = mail.repeat(60_000) + '\r\n\r\n';
  expect(await split(crafted, { most: 1e8 })).toHaveLength(60_000);
});

test('what is a line is decided for the file as a whole, and said; a byte order mark is skipped, and said', async () => {
  const said = async (content: string) => {
    const path = join(dir, 'said');
    await writeFile(path, content);
    const items = [];
    for await (const item of readMbox(path)) {
      if (item.kind === 'opened') items.push(item.format);
      if (item.kind === 'skipped') items.push([item.position, item.bytes]);
    }
    return items;
  };
  const box = `${SEPARATOR}Subject: a\n\none\n\n`.repeat(20_000);
  expect(await said(box.replaceAll('\n', '\r'))).toEqual(['mbox (CR line ends)']);
  // One LF behind more than is read at a time.
  expect(await said(`${box.replaceAll('\n', '\r')}\n`)).toEqual(['mbox']);
  expect(await said(`\ufeff${box}`)).toEqual(['mbox', [0, 3]]);
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
    ['lines that end with CR', (SEPARATOR + A + SEPARATOR + B).replaceAll('\n', '\r'), [A, B]],
    ['a CR in a mail with LF', `${SEPARATOR}Subject: a\r\rone\n`, ['Subject: a\r\rone\n']],
    ['a byte order mark', `\u00ef\u00bb\u00bf${SEPARATOR}${A}${SEPARATOR}${B}`, [A, B]],
    [
      'a byte order mark and CR',
      `\u00ef\u00bb\u00bf${(SEPARATOR + A + SEPARATOR + B).replaceAll('\n', '\r')}`,
      [A, B],
    ],
    ['a first separator that is quoted', `>${SEPARATOR}From: a\n${A}${SEPARATOR}${B}`, [`From: a\n${A}`, B]],
    ['no separator but a quoted one', `>${SEPARATOR}From: a\n${A}`, []],
    ['a quoted line that is prose', `>From here on\n${A}${SEPARATOR}${B}`, [B]],
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
      'a separator without an empty line before it, and a field of most mails after it',
      `${SEPARATOR}Subject: a\n\nx\n${SEPARATOR}Subject: b\n`,
      ['Subject: a\n\nx\n', 'Subject: b\n'],
    ],
    [
      'a line with a date, without an empty line before it and with another field after it',
      `${SEPARATOR}Subject: a\n\nx\n${SEPARATOR}Note: b\n`,
      [`Subject: a\n\nx\n${SEPARATOR}Note: b\n`],
    ],
    [
      'bare separators without empty lines between the mails',
      `From - \nFrom: a@b\n\nx\nFrom - \nFrom: b@c\n\ny\n`,
      ['From: a@b\n\nx\n', 'From: b@c\n\ny\n'],
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

/** Returns what a file is read as, its mails, and the stretches that belong to no mail. */
async function survey(
  content: string,
  options: Limits = { most: MAX_MAIL_BYTES },
): Promise<{ format: string; mails: string[]; skipped: string[] }> {
  const found = { format: '', mails: [] as string[], skipped: [] as string[] };
  for await (const item of itemsOf(content, options)) {
    if (item.kind === 'opened') found.format = item.format;
    if (item.kind === 'raw') found.mails.push(Buffer.from(item.raw).toString('latin1'));
    if (item.kind === 'skipped') found.skipped.push(`${item.bytes} at ${item.position}: ${item.reason}`);
  }
  return found;
}

describe('separators without a date', () => {
  const BARE = 'From \r\n';
  const DASH = 'From - \r\n';
  const mail = (n: number, body = 'text') => `Subject: ${n}\r\nFrom: a@example.org\r\n\r\n${body}\r\n\r\n`;
  const mozilla = (n: number) => `X-Mozilla-Status: 0001\r\n${mail(n)}`;
  const many = (separator: string, count: number) =>
    Array.from({ length: count }, (_, n) => separator + mail(n)).join('');
  const THUNDERBIRD = 'mbox (Thunderbird)';
  const prose = 'x\r\n\r\nFrom \r\nhere on it is prose';
  const quoted = 'x\r\n\r\nFrom \r\nto: where';

  test.each<[name: string, content: string, format: string, mails: string[]]>([
    ['bare lines', many(BARE, 3), THUNDERBIRD, [mail(0), mail(1), mail(2)]],
    [
      'bare lines with LF',
      many(BARE, 2).replaceAll('\r', ''),
      THUNDERBIRD,
      [0, 1].map((n) => mail(n).replaceAll('\r', '')),
    ],
    ['a single mail', BARE + mail(1), THUNDERBIRD, [mail(1)]],
    ['a dash without a date', many(DASH, 3), THUNDERBIRD, [mail(0), mail(1), mail(2)]],
    ['a dash and a date', many(`From - ${DAY}\r\n`, 2), THUNDERBIRD, [mail(0), mail(1)]],
    [
      'a dash and a date first, then bare lines',
      `From - ${DAY}\r\n${mail(0)}${many(BARE, 2)}`,
      THUNDERBIRD,
      [mail(0), mail(0), mail(1)],
    ],
    [
      'mails of another program first',
      `${SEPARATOR}${mail(0)}${BARE}${mozilla(1)}`,
      THUNDERBIRD,
      [mail(0), mozilla(1)],
    ],
    [
      'mails of another program first, and no field of Thunderbird',
      `${SEPARATOR}${mail(0)}${many(BARE, 2)}`,
      THUNDERBIRD,
      [mail(0), mail(0), mail(1)],
    ],
    [
      'a field of Thunderbird and no empty line',
      `${BARE}${mail(0).trimEnd()}\r\n${BARE}${mozilla(1)}`,
      THUNDERBIRD,
      [`${mail(0).trimEnd()}\r\n`, mozilla(1)],
    ],
    [
      'prose in a mail of Thunderbird',
      `${BARE}${mail(0, prose)}${BARE}${mail(1)}`,
      THUNDERBIRD,
      [mail(0, prose), mail(1)],
    ],
    [
      'one bare line in a mail of another mbox',
      `${SEPARATOR}${mail(0, quoted)}${SEPARATOR}${mail(1)}`,
      'mbox',
      [mail(0, quoted), mail(1)],
    ],
    [
      'bare lines before fields and before prose in another mbox',
      `${SEPARATOR}${mail(0, quoted)}${SEPARATOR}${mail(1, prose)}`,
      'mbox',
      [mail(0, quoted), mail(1, prose)],
    ],
    [
      'addresses without a date',
      many('From a@example.org\r\n', 2),
      'mbox (separators without a date)',
      [mail(0), mail(1)],
    ],
    [
      'names of users without a date',
      `From root\r\n${mail(0, 'x\r\n\r\nFrom here\r\nhence: prose')}From jane\r\n${mail(1)}`,
      'mbox (separators without a date)',
      [mail(0, 'x\r\n\r\nFrom here\r\nhence: prose'), mail(1)],
    ],
    [
      'a name in the text of a mail of another mbox',
      `${SEPARATOR}${mail(0, 'x\r\n\r\nFrom jane\r\nto: b')}`,
      'mbox',
      [mail(0, 'x\r\n\r\nFrom jane\r\nto: b')],
    ],
    [
      'an address in the text of a mail of another mbox',
      `${SEPARATOR}${mail(0, 'x\r\n\r\nFrom a@example.org\r\nto: b')}`,
      'mbox',
      [mail(0, 'x\r\n\r\nFrom a@example.org\r\nto: b')],
    ],
    [
      'dates in another language',
      many('From - lun. 01 janv. 2024 10:00:00\r\n', 2),
      THUNDERBIRD,
      [mail(0), mail(1)],
    ],
  ])('%s', async (_name, content, format, mails) => {
    expect(await survey(content)).toEqual({ format, mails, skipped: [] });
  });

  test('a mailbox of 43 MB is no mail that is too large', async () => {
    const letter = BARE + mail(0, `${'x'.repeat(70)}\r\n`.repeat(600));
    const count = Math.ceil(43e6 / letter.length);
    const { format, mails, skipped } = await survey(letter.repeat(count));
    expect([format, mails.length, skipped]).toEqual([THUNDERBIRD, count, []]);
  });

  test('the form is decided for the whole file, also by its last mail', async () => {
    const filler = mail(0, `${'x'.repeat(98)}\r\n`.repeat(50_000));
    const { format, mails } = await survey(`${SEPARATOR}${mail(0)}${BARE}${filler}${BARE}${mozilla(2)}`);
    expect([format, mails.length]).toEqual([THUNDERBIRD, 3]);
  });
});

describe('bytes that belong to no mail', () => {
  const A = 'Subject: a\n\none\n';
  test.each<[name: string, content: string, skipped: string[], mails: string[]]>([
    [
      'empty lines',
      `\r\n\n${SEPARATOR}${A}`,
      ['3 at 0: is before the first separator and belongs to no mail'],
      [A],
    ],
    [
      'many empty lines',
      `${'\n'.repeat(500)}${SEPARATOR}${A}`,
      ['500 at 0: is before the first separator and belongs to no mail'],
      [A],
    ],
    [
      'text',
      `note\n\n${SEPARATOR}${A}`,
      ['6 at 0: is before the first separator and belongs to no mail'],
      [A],
    ],
    ['a file without a separator', 'only text\n', ['10 at 0: has no separator and belongs to no mail'], []],
  ])('%s', async (_name, content, skipped, mails) => {
    expect(await survey(content)).toMatchObject({ mails, skipped });
  });
});

describe('crafted lines take time linear in the size of the file', () => {
  // Some of these took minutes when a header was searched to the end of the chunk.
  // More than a chunk.
  const BYTES = 5 * 1024 * 1024;
  test.each<[name: string, first: string, line: string]>([
    ['separators that are no separators', SEPARATOR + 'A: b\n', '\n\nFrom x\n'],
    ['bare lines', 'From \nA: b\n', '\nFrom \n'],
    ['short mails whose header has no end', `${SEPARATOR}A: b\r\n`, `\r\n${SEPARATOR}A: b\r\n`],
    ['long lines', SEPARATOR + 'A: b\n', `\n\nFrom ${'Mon Jan 10:00 '.repeat(280)}\n`],
    ['quotes', MARK, `${'>'.repeat(50)}From >From \n`],
    ['Content-Length at the limit', 'From x\n', `${SEPARATOR}Content-Length: 30000000\n\n\n`],
  ])('%s', async (_name, first, line) => {
    const content = Buffer.concat([Buffer.from(first), Buffer.alloc(BYTES, line)]);
    const found = await split(content, { most: MAX_MAIL_BYTES });
    expect(found.reduce((sum, text) => sum + text.length, 0)).toBeLessThanOrEqual(content.length);
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
    for await (const item of readMbox(path)) if (item.kind === 'raw') positions.push(item.position);
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

  // Not four megabytes for each of some hundred small files.
  const chunkBytes = 64 * 1024;

  property.prop([fc.array(mail, { maxLength: 6 })])(
    'splits any mails that were joined as mboxrd',
    async (mails) => {
      const joined = mails.map((text) => `${MARK}${text.replaceAll(/^(>*From )/gm, '>$1')}\n`).join('');
      expect(await split(joined, { chunkBytes })).toEqual(mails);
    },
  );

  property.prop([fc.array(fc.oneof(line, fc.string()), { maxLength: 30 }), fc.boolean()])(
    'reads any bytes without an error',
    async (lines, crlf) => {
      const content = lines.join(crlf ? '\r\n' : '\n');
      const bytes = Buffer.from(content, 'latin1');
      const { mails, skipped } = await survey(bytes.toString('latin1'), { chunkBytes });
      const [gap = '0'] = skipped;
      const kept = mails.reduce((sum, text) => sum + text.length, Number.parseInt(gap, 10));
      expect(kept).toBeLessThanOrEqual(bytes.length);
      if (bytes.length > 0) expect(mails.length + skipped.length).toBeGreaterThan(0);
      await split(bytes, { most: 200, chunkBytes });
    },
  );
});
