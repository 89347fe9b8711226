// Safe file names: bad inputs C1 to C8, and a property over arbitrary names.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { uniqueName, nameKey, unsafeReason, safeName } from '../../src/download/safe-name.ts';

test.each([
  ['report.pdf'],
  ['Grüße an alle.txt'],
  ['照片 (1).jpg'],
  ['a_b-c.tar.gz'],
  ['console.log'],
  ['COMIC.pdf'],
])('%j stays as it is', (name) => {
  expect(safeName('att_1', name)).toEqual({ name, changed: false });
  expect(safeName('att_1', name, { exact: true }).name).toBe(name);
});

test.each([
  ['C1', '../x', 'att_1-x'],
  ['C1', 'a/../../x', 'att_1-a_._._x'],
  ['C1', '/etc/x', 'att_1-etc_x'],
  ['C1', 'a/b', 'att_1-a_b'],
  ['C1', '..\\x', 'att_1-x'],
  ['C1', 'C:\\x', 'att_1-C__x'],
  ['C1', '\\\\?\\C:\\x', 'att_1-C__x'],
  ['C1', '\\\\srv\\s', 'att_1-srv_s'],
  ['C2', '.', 'att_1'],
  ['C2', '..', 'att_1'],
  ['C2', '', 'att_1'],
  ['C2', ' . . ', 'att_1'],
  ['C2', '~root', 'att_1-root'],
  ['C2', '-rf', 'att_1-rf'],
  ['C3', 'a\0b.txt', 'att_1-a_b.txt'],
  ['C3', 'a\nb\u001b[2Jc\u007f\u0085.txt', 'att_1-a_b_[2Jc__.txt'],
  ['C3', 'cod\u202Egpj.exe', 'att_1-cod_gpj.exe'],
  ['C3', 'lone\ud800.txt', 'att_1-lone_.txt'],
  ['C6', 'con', 'att_1-con'],
  ['C6', 'NUL.txt', 'att_1-NUL.txt'],
  ['C6', 'COM1', 'att_1-COM1'],
  ['C6', 'a:b', 'att_1-a_b'],
  ['C6', 'trailing. ', 'att_1-trailing'],
  ['C8', '.ssh', 'att_1-ssh'],
  ['C8', '.bashrc', 'att_1-bashrc'],
  ['C8', '.git', 'att_1-git'],
])('%s: %j becomes %j', (_, name, safe) => {
  expect(safeName('att_1', name)).toEqual({ name: safe, changed: true });
  expect(() => safeName('att_1', name, { exact: true })).toThrow(expect.objectContaining({ kind: 'unsafe' }));
});

test.each([
  ['SHA256SUMS', 'att_1-SHA256SUMS'],
  ['sha256sums', 'att_1-sha256sums'],
  ['\u017fHA256SUMS', 'att_1-\u017fHA256SUMS'],
  ['bagit.txt', 'att_1-bagit.txt'],
  ['Bag-Info.txt', 'att_1-Bag-Info.txt'],
  ['fetch.txt', 'att_1-fetch.txt'],
  ['manifest-sha256.txt', 'att_1-manifest-sha256.txt'],
  ['TagManifest-sha-512.TXT', 'att_1-TagManifest-sha-512.TXT'],
])('%j, which a verification would read as its reference, becomes %j', (name, safe) => {
  expect(safeName('att_1', name)).toEqual({ name: safe, changed: true });
  expect(() => safeName('att_1', name, { exact: true })).toThrow('list of checksums or part of a bag');
});

test.each([
  ['SHA256SUMS', '', 'id-SHA256SUMS'],
  ['tagmanifest', '/md5.txt', 'id-tagmanifest-md5.txt'],
])('the id %j does not make %j such a name', (id, name, safe) => {
  expect(safeName(id, name)).toEqual({ name: safe, changed: true });
});

test.each(['SHA256SUMS.txt', 'manifest.json', 'manifest-2024.txt', 'my-bagit.txt'])('%j stays', (name) => {
  expect(safeName('att_1', name)).toEqual({ name, changed: false });
});

test('a percent sign, which bagit-python does not find in a bag, is replaced unless the exact name is asked for', () => {
  expect(safeName('att_1', '100%25.pdf')).toEqual({ name: 'att_1-100_25.pdf', changed: true });
  expect(safeName('att_1', '100%.pdf', { exact: true })).toEqual({ name: '100%.pdf', changed: false });
});

test.each([
  ['a'.repeat(256) + '.pdf', '.pdf'],
  ['😀'.repeat(255) + '.jpeg', '.jpeg'],
  ['x.' + 'e'.repeat(300), ''],
])('C5: a long name is cut on a code point with its extension', (name, extension) => {
  const safe = safeName('att_1', name).name;
  expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(200);
  expect(Buffer.byteLength(safe)).toBeGreaterThan(150);
  expect(safe.endsWith(extension)).toBe(true);
  expect(/\p{Cs}/u.test(safe)).toBe(false);
});

test('a name that another record has gets the id before it', () => {
  const taken = new Map([[nameKey('Photo.JPG'), 'att_1']]);
  expect(uniqueName('att_1', 'photo.jpg', taken)).toEqual({ name: 'photo.jpg', changed: false });
  expect(uniqueName('att_2', 'photo.jpg', taken)).toEqual({ name: 'att_2-photo.jpg', changed: true });
  taken.set(nameKey('att_2-photo.jpg'), 'att_1');
  expect(uniqueName('att_2', 'photo.jpg', taken).name).toBe('att_2-2-photo.jpg');
  expect(() => uniqueName('att_2', 'photo.jpg', taken, { exact: true })).toThrow('taken by att_1');
});

const anything = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    'SHA256SUMS',
    'bagit',
    'bagit.txt',
    'manifest',
    'tagmanifest',
    'tagmanifest-md5.txt',
    'md5.txt',
    '/md5.txt',
  ),
  fc
    .array(fc.constantFrom('..', '/', '\\', '.', ' ', 'con', ':', '\0', '\u202e', 'a', '~', '-'), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
);

test('property: whatever the id and the name, the result is safe everywhere, one segment, and stable', () => {
  fc.assert(
    fc.property(anything, anything, (id, filename) => {
      const { name, changed } = safeName(id, filename);
      expect(unsafeReason(name)).toBeUndefined();
      expect(name).not.toMatch(/[/\\\0]/);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
      expect(/\p{Cs}/u.test(name)).toBe(false);
      expect(safeName(id, name)).toEqual({ name, changed: false });
      expect(changed).toBe(name !== filename);
    }),
    { numRuns: 2000 },
  );
});
