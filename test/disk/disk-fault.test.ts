// Errors of the file system as Faults.
import { expect, test } from 'vitest';
import { readFault, unreadableInput } from '../../src/disk/disk-fault.ts';
import { Fault } from '../../src/faults.ts';

const error = (code: string): Error => Object.assign(new Error('x'), { code });

test.each([
  ['EACCES', true],
  ['EPERM', true],
  ['EIO', false],
  ['ENOENT', false],
])('a file that cannot be read because of %s has a hint: %s', (code, hasHint) => {
  const fault = readFault(error(code), 'dl/a.txt') as Fault;
  const hint = expect.stringContaining('readable for this user') as string;
  expect([fault.kind, fault.detail.hint]).toEqual(['disk', hasHint ? hint : undefined]);
});

test.each([
  ['EACCES', 'disk', true],
  ['EIO', 'disk', false],
  ['EMFILE', 'disk', false],
  ['ENOENT', 'usage', false],
  ['ENOTDIR', 'usage', false],
  ['EISDIR', 'usage', false],
])('a file that the user named and that cannot be read because of %s is %s', (code, kind, hasHint) => {
  const { kind: found, detail } = unreadableInput('in.mbox', error(code));
  expect([found, detail.hint !== undefined]).toEqual([kind, hasHint]);
});

test('what is no error of the file system stays as it is', () => {
  const others = [new Fault('usage', 'wrong'), new Error('a bug'), undefined];
  expect(others.map((other) => readFault(other, 'a'))).toEqual(others);
});
