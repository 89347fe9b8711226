// A file that is read as one mail: a mailbox whose first separator is missing is named, and a mail with patches is not.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSingleMail } from '../../../src/service/import/maildir.ts';
import { arx } from '../../support/command.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const HEADER = 'From: a@example\nTo: b@example\nSubject: s\n\ntext\n';
const SEPARATOR = '\nFrom a@example Fri Jan  5 10:00:00 2024\n';
const PATCH = '\nFrom 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\n';

function noticesOf(text: string): string[] {
  const path = join(tempFolder('single'), 'mail');
  writeFileSync(path, text);
  return [...readSingleMail(path)].flatMap((item) => (item.kind === 'notice' ? [item.text] : []));
}

test.each([
  ['two mails behind the first', HEADER + SEPARATOR + HEADER + SEPARATOR + HEADER, '2 lines that separate'],
  [
    'with CRLF',
    (HEADER + SEPARATOR + HEADER + SEPARATOR + HEADER).replaceAll('\n', '\r\n'),
    '2 lines that separate',
  ],
  ['one mail that is quoted', HEADER + SEPARATOR + HEADER, undefined],
  ['patches of git', HEADER + PATCH + HEADER + PATCH + HEADER + PATCH + HEADER, undefined],
  ['sentences', `${HEADER}\nFrom here on\n\nFrom there: on\n\nFrom a to b\n`, undefined],
  [
    'a quoted first separator, and one more mail',
    `>${SEPARATOR.trimStart()}${HEADER}${SEPARATOR}${HEADER}`,
    '1 line that separates',
  ],
  [
    'a quoted first separator, and one more mail, with CR',
    `>${SEPARATOR.trimStart()}${HEADER}${SEPARATOR}${HEADER}`.replaceAll('\n', '\r'),
    '1 line that separates',
  ],
  ['a quoted line of UUCP', `>${SEPARATOR.trimStart()}${HEADER}`, undefined],
  [
    'lines without an empty one before',
    HEADER + SEPARATOR.trimStart() + HEADER + SEPARATOR.trimStart(),
    undefined,
  ],
])('%s', (_, text, lines) => {
  expect(noticesOf(text)).toEqual(
    lines === undefined ? [] : [expect.stringContaining(`has ${lines} mails in a mailbox`)],
  );
});

test.each(['mail/box', 'mail'])('an import of %s says how it is read as a mailbox', async (path) => {
  const dir = tempFolder('single');
  mkdirSync(join(dir, 'mail'));
  writeFileSync(join(dir, 'mail/box'), HEADER + SEPARATOR + HEADER + SEPARATOR + HEADER);
  const { exit, stderr } = await arx(dir, `import ${path} --dry-run`);
  expect(exit).toBe(0);
  expect(stderr).toContain('arx import --kind mbox reads it as one');
});
