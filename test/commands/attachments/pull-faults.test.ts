// The failures of a pull: of a full disk, and of files with another hash, the first and a count.
import { expect, test } from 'vitest';
import { PullFaults } from '../../../src/commands/attachments/pull-faults.ts';
import { diskFault } from '../../../src/disk/disk-fault.ts';
import { checkedFileUrl } from '../../../src/download/allowed-origins.ts';
import { Fault } from '../../../src/faults.ts';

const disk = (code: string, file: number, errno = 0): Fault =>
  diskFault(Object.assign(new Error(code), { code, errno }), `/dl/file-${file}`) as Fault;

test.each([
  ['ENOSPC', 0, 'no space left on the device'],
  ['EROFS', 0, 'read-only file system'],
  ['EIO', 0, 'input/output error'],
  ['UNKNOWN', -122, 'disk quota exceeded'],
])('%s %i is one line and a count', (code, errno, reason) => {
  const faults = new PullFaults();
  for (let file = 1; file <= 12; file += 1) faults.add(disk(code, file, errno), {});
  expect(faults.all().map(({ kind, message }) => [kind, message])).toEqual([
    ['disk', `/dl/file-1: ${reason}`],
    ['disk', `11 more files: ${reason}`],
  ]);
});

test('files of one unknown origin are one line with what to do, and a count', () => {
  const faults = new PullFaults();
  const add = (address: string): void => {
    try {
      checkedFileUrl(address, new Set());
    } catch (error) {
      const { kind, message, detail } = error as Fault;
      faults.add(new Fault(kind, `att_1: ${message}`, detail), {});
    }
  };
  for (let file = 1; file <= 76; file += 1) add(`https://one.example/${file}`);
  for (let file = 1; file <= 2; file += 1) add(`https://other.example/${file}`);
  const unknown = (host: string) =>
    `file URL leads to https://${host}, which is no known origin of this archive`;
  expect(
    faults.all().map(({ message, detail: { hint } }) => [message, hint?.toString().split(' or ')[0]]),
  ).toEqual([
    [`att_1: ${unknown('one.example')}`, 'if you trust it: --asset-url https://one.example'],
    [`att_1: ${unknown('other.example')}`, 'if you trust it: --asset-url https://other.example'],
    [`75 more files: ${unknown('one.example')}`, undefined],
    [`1 more file: ${unknown('other.example')}`, undefined],
  ]);
});

test('other failures are each told', () => {
  const faults = new PullFaults();
  for (let file = 1; file <= 3; file += 1) faults.add(disk('EACCES', file), {});
  faults.add(new Fault('network', 'no answer'), {});
  faults.add(disk('ENOSPC', 9), {});
  faults.add(disk('ENOSPC', 0));
  expect(faults.all().map(({ message }) => message)).toEqual([
    '/dl/file-1: permission denied',
    '/dl/file-2: permission denied',
    '/dl/file-3: permission denied',
    'no answer',
    '/dl/file-9: no space left on the device',
    '/dl/file-0: no space left on the device',
  ]);
});
