// Texts of 1 MB that were made to be slow. In quadratic time each would take minutes, and the test its time limit.
import { expect, test } from 'vitest';
import { parseInfo } from '../../src/bagit/tag-files.ts';
import { parseResponseHead } from '../../src/download/pipelined-http/response-head.ts';
import { safeName } from '../../src/download/safe-name.ts';
import { escapeBlock } from '../../src/format/terminal/escape.ts';
import { contentView } from '../../src/format/views/index.ts';
import { detectTextType } from '../../src/service/file-type/text.ts';
import { cityLabel } from '../../src/service/geocoding/cities.ts';
import { maskFileUrl, maskUrl } from '../../src/warc/masked-urls.ts';

const MB = 1_000_000;
const spaces = ' '.repeat(MB);

test('a first line that is almost the separator of an mbox', () => {
  expect(detectTextType(Buffer.from(`From a ${'12:00 2000'.repeat(MB / 10)}\nx`))).toBe('text/plain');
});

test('a file name that almost ends in dots', () => {
  expect(safeName('att_1', `/${'. '.repeat(MB / 2)}x`).name).toMatch(/^att_1/);
});

test('a line of bag-info.txt without a value', () => {
  expect(() => parseInfo(`label${spaces}`, true)).toThrow('bag-info.txt: line 1 is damaged');
  expect(parseInfo(`label${spaces}: ${spaces}value`, true)).toEqual([['label', 'value']]);
});

test('a header field that is almost one', () => {
  expect(parseResponseHead(`HTTP/1.1 200 OK\r\nx:${'\t'.repeat(MB)}\x00`)).toBeUndefined();
});

test('a message with empty lines that are not at its end', () => {
  const message = { view: 'raw', data: { headers: [], text: `${'\n'.repeat(MB)}x\n\n` } };
  const lines = contentView.lines?.(message as never, { columns: 80, unicode: true }) ?? [];
  expect([...lines].at(-1)).toBe('x');
});

test('a line of tabs', () => {
  expect(escapeBlock(`a${'\t'.repeat(MB)}b`)).toBe(`a${' '.repeat(8 * MB - 1)}b`);
});

test('a name of one letter between underscores', () => {
  expect(cityLabel(`${'_ '.repeat(MB / 2)}x${'_ '.repeat(MB / 2)}`)).toBe('x');
});

test('URLs whose parameters have no end', () => {
  const name = 'a'.repeat(MB);
  expect(maskFileUrl(`https://host/?${name}=`)).toBe(`https://host/?${name}=`);
  expect(maskFileUrl(`https://host/?a=${name}`)).toBe(`https://host/?a=${'*'.repeat(MB)}`);
  expect(maskUrl(`https://host/?${';'.repeat(MB)}`)).toBe(`https://host/?${';'.repeat(MB)}`);
  expect(maskUrl('https://host/?a=1;token=x;y&b=2#?key=z')).toBe('https://host/?a=1;token=***&b=2#?key=*');
});
