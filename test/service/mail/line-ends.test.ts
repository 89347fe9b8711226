// Mails whose lines end with CR alone: they read as those with LF, and their bytes stay as they are.
import { describe, expect, test } from 'vitest';
import { separatorsWithin } from '../../../src/service/import/mbox-separator.ts';
import { headerDifferences } from '../../../src/service/fsck/header-fields.ts';
import { parseMailHeader } from '../../../src/service/mail/header.ts';
import { parseMail } from '../../../src/service/mail/mail-record.ts';
import { readMessageText } from '../../../src/service/mail/message-text.ts';
import { parseMimeStructure } from '../../../src/service/mail/mime-structure.ts';
import { partsWithoutFiles } from '../../../src/service/mail/parts-without-files.ts';
import { readableMail, readUnusualMail } from '../../../src/service/mail/readable-mail.ts';
import { searchTextOf } from '../../../src/service/mail/search-text.ts';
import { sha256Of } from '../../support/digest.ts';
import { MAILS } from '../../support/mail-inputs.ts';

const recordOf = async (raw: Buffer) => {
  const { raw: _, ...record } = await parseMail(
    { kind: 'raw', path: '', position: 0, raw, sha256: '' },
    'internal',
  );
  return record;
};

const searched = (raw: Buffer) =>
  searchTextOf(
    { format: 'rfc822', subject: 's', sender: 'a', raw, files: [], mentions: null },
    async () => undefined,
  );

describe.each(MAILS.map((mail, n) => [n, mail.replaceAll('\r\n', '\n')] as const))('mail %i', (_, mail) => {
  const lf = Buffer.from(mail, 'latin1');
  const cr = (): Buffer => Buffer.from(mail.replaceAll('\n', '\r'), 'latin1');

  test('is imported, read and searched as with LF', async () => {
    const raw = cr();
    expect(await recordOf(raw)).toEqual(await recordOf(lf));
    expect(await readableMail(raw)).toEqual(await readableMail(lf));
    expect(await readMessageText('rfc822', raw)).toEqual(await readMessageText('rfc822', lf));
    expect(await readUnusualMail(raw, 'a.eml')).toEqual(await readUnusualMail(lf, 'a.eml'));
    expect(await searched(raw)).toEqual(await searched(lf));
    expect(parseMailHeader(raw)).toEqual(parseMailHeader(lf));
    expect(headerDifferences(raw, await recordOf(lf))).toEqual([]);
    expect(raw).toEqual(cr());
  });

  test('without its files, it has the same places', async () => {
    const { attachments } = await recordOf(lf);
    const known = attachments.map(({ sha256 }, n) => ({ id: `att_${n}`, sha256 }));
    const withheld = new Set(attachments.map(({ sha256 }) => sha256));
    expect(await partsWithoutFiles(cr(), known, withheld)).toEqual(
      await partsWithoutFiles(lf, known, withheld),
    );
    expect(await readMessageText('rfc822', cr(), { redacted: withheld })).toEqual(
      await readMessageText('rfc822', lf, { redacted: withheld }),
    );
  });
});

const INNER = 'Subject: inner\rContent-Type: multipart/mixed; boundary=i\r\r--i\r\rone\r--i\r\rtwo\r--i--\r';
const textsOf = (mail: string) =>
  parseMimeStructure(Buffer.from(mail, 'latin1')).leaves.map(({ body }) => body.toString('latin1'));

test.each([
  ['as it is', `Content-Type: message/rfc822\n\n${INNER}`],
  [
    'in base64',
    `Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n${Buffer.from(INNER).toString('base64')}`,
  ],
  ['in a part', `Content-Type: multipart/digest; boundary=d\n\n--d\n\n${INNER}\n--d--\n`],
])('a mail with CR inside a mail with LF, %s', (_, mail) => {
  expect(textsOf(mail)).toEqual(['one', 'two']);
});

test('the file that such a mail is has the bytes that were sent', async () => {
  const mail = `Content-Type: message/rfc822; name=m.eml\nContent-Transfer-Encoding: base64\n\n${Buffer.from(INNER).toString('base64')}`;
  const { attachments } = await recordOf(Buffer.from(mail));
  expect(attachments.map(({ sha256 }) => sha256)).toEqual([sha256Of(Buffer.from(INNER))]);
});

test('beside an LF, a CR is a character: else it could hide a field from one reader and show it to another', () => {
  const { fields } = parseMailHeader(Buffer.from('Subject: a\rBcc: b\nTo: c\n\nx\ry'));
  expect([...fields]).toEqual([
    ['subject', 'aBcc: b'],
    ['to', 'c'],
  ]);
  expect(textsOf('Subject: a\n\nx\ry')).toEqual(['x\ry']);
});

test('separators within a mail with CR are counted', () => {
  const mail = 'Subject: a\n\nx\n\nFrom a@b Thu Jan  1 00:00:00 1970\nFrom: c\n\ny\n';
  expect(separatorsWithin(Buffer.from(mail.replaceAll('\n', '\r')))).toBe(1);
});
