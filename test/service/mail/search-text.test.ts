// The texts of a mail that are searched.
import { fc, test as property } from '@fast-check/vitest';
import { expect } from 'vitest';
import { searchTextOf } from '../../../src/service/mail/search-text.ts';

/** Lines as they were split before: each by itself. */
function expected(text: string): { body: string; quoted: string } {
  const lines = text.split('\n');
  const isQuoted = (line: string): boolean => /^\s{0,3}>/.test(line);
  return {
    body: lines.filter((line) => !isQuoted(line)).join('\n'),
    quoted: lines
      .filter(isQuoted)
      .map((line) => line.replace(/^[>\s]{1,200}/, ''))
      .join('\n'),
  };
}

property.prop([
  fc.array(fc.constantFrom('>', '> ', ' ', '\t', 'a', 'b c', '\n', '\n', '\u3000', '\n   >', '\n    >'), {
    maxLength: 60,
  }),
])('lines that begin with > are quoted', async (pieces) => {
  const text = pieces.join('');
  const raw = Buffer.from(`Content-Type: text/plain; charset=utf-8\n\n${text}`);
  const found = await searchTextOf(
    { format: 'rfc822', subject: null, sender: null, raw, files: [], mentions: null },
    () => Promise.resolve(undefined),
  );
  // A text has a last line end, and so has what is joined of all parts.
  expect(found).toMatchObject(
    expected(`${text.endsWith('\n') ? text : `${text === '' ? '' : text}${text === '' ? '' : '\n'}`}\n`),
  );
});
