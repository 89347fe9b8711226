import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linkableAddress, linked, withoutLinks } from '../../../src/format/terminal/address.ts';

test.each([
  ['https://a.example/b c', 'https://a.example/b%20c'],
  ['http://a.example/\u001b\\evil\u0007/', 'http://a.example/%1B/evil%07/'],
  ['https://münchen.example/ä', 'https://xn--mnchen-3ya.example/%C3%A4'],
  ['file:///tmp/a', 'file:///tmp/a'],
])('%j is linked as %s', (address, href) => expect(linkableAddress(address)).toBe(href));

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  'ssh://a.example',
  'https://bank.example@evil.example/',
  'https://user:secret@a.example/',
  'no address',
  '/etc/passwd',
  `https://a.example/${'a'.repeat(2000)}`,
  `https://a.example/${'ä'.repeat(700)}`,
])('%j is not linked', (address) => expect(linkableAddress(address)).toBeUndefined());

test('what is linked is printable ASCII, whatever the archive says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (path) => {
      const address = linkableAddress(`https://a.example/${path}`);
      if (address !== undefined) expect(address).toMatch(/^https:[!-~]+$/);
    }),
  );
});

test('links can be taken out again', () => {
  expect(withoutLinks(`a ${linked('b', 'https://a.example/')} c`)).toBe('a b c');
});
