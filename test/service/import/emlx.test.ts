// Files of Apple Mail: the mail in them is stored, byte for byte, and nothing of other files is cut.
import { expect, test } from 'vitest';
import { mailInEmlx } from '../../../src/service/import/emlx.ts';
import { importPaths } from '../../support/import-paths.ts';
import { MAIL, newArchive, signal, sourceFolder } from './sources.ts';

const LIST = '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict/></plist>\n';
const emlx = (mail: string, after = LIST) => `${String(Buffer.byteLength(mail)).padEnd(10)}\n${mail}${after}`;
const mailWith = (n: number) => MAIL.replace('<1@b>', `<${n}@b>`);

test.each<[name: string, file: string, mail: string | undefined]>([
  ['a mail and its list', emlx(MAIL), MAIL],
  ['a mail with CRLF', emlx(MAIL.replaceAll('\n', '\r\n')), MAIL.replaceAll('\n', '\r\n')],
  ['characters of several bytes', emlx(`${MAIL}é€😀`), `${MAIL}é€😀`],
  ['a mail that holds such a list', emlx(`${MAIL}${LIST}more`), `${MAIL}${LIST}more`],
  ['no list', emlx(MAIL, ''), MAIL],
  ['a list after an empty line', emlx(MAIL, `\n${LIST}`), MAIL],
  ['a length beyond the end', `9999\n${MAIL}${LIST}`, undefined],
  ['a length that ends within the mail', `20\n${MAIL}${LIST}`, undefined],
  ['a mail', MAIL, undefined],
  ['a line of digits', '12345', undefined],
  ['nothing', '', undefined],
])('%s', (_name, file, mail) => {
  expect(mailInEmlx(Buffer.from(file))?.toString()).toBe(mail);
});

async function importOf(files: Record<string, string>) {
  const root = await sourceFolder(files);
  const archive = await newArchive();
  try {
    const { sources, notices, skipped } = await importPaths(archive, [root], { signal });
    const rows = await archive.database.all('SELECT format, subject FROM messages ORDER BY n');
    return {
      kind: sources[0]?.kind,
      rows,
      notices: notices.map(({ notice }) => notice),
      skipped: skipped.map(({ reason }) => reason),
    };
  } finally {
    await archive.close();
  }
}

test('a folder of Apple Mail is one of mails, and a mail that lacks its files is named', async () => {
  const files = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((n) => [`${n}.emlx`, emlx(mailWith(n))]));
  const found = await importOf({ ...files, '9.partial.emlx': emlx(mailWith(9)), '.DS_Store': '\0' });
  expect(found).toEqual({
    kind: 'mail',
    rows: Array.from({ length: 9 }, () => ({ format: 'rfc822', subject: 'x' })),
    notices: [
      '1 mail of Apple Mail is stored without its attachments, which are in other files: 9.partial.emlx',
    ],
    skipped: ['has a name that begins with a dot'],
  });
});

test('among other files they are read as mails', async () => {
  const found = await importOf({ 'a/1.emlx': emlx(MAIL), 'Info.plist': LIST });
  expect(found.kind).toBe('folder');
  expect(found.rows).toContainEqual({ format: 'rfc822', subject: 'x' });
  expect(found.rows).toHaveLength(2);
});

test('the same mail in an mbox is known', async () => {
  const root = await sourceFolder({ '1.emlx': emlx(MAIL), '2.eml': MAIL });
  const archive = await newArchive();
  const { sources } = await importPaths(archive, [root], { signal });
  await archive.close();
  expect(sources[0]?.messages).toMatchObject({ read: 2, stored: 1, known: 1 });
});
