// The writer of small files: a file gets its name before or after its bytes, and only with the right hash.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { createSmallFileWriter } from '../../src/download/small-file-writer.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { sha256Of } from '../support/digest.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder('small');
});

const naming = { name: 'a.txt', force: false };
const file = { temporary: '.tmp', sha256: sha256Of('hello'), size: 5 };
const kept = { outcome: 'kept', sha256: sha256Of('hello'), bytes: 5 };

test.each([
  ['before it comes', 'name add settle'],
  ['before it is synced', 'add name settle'],
  ['after it was synced', 'add settle name settle'],
])('named %s', (_, steps) => {
  const files = createSmallFileWriter<number>(dir);
  const committed: unknown[] = [];
  for (const step of steps.split(' ')) {
    expect(readdirSync(dir)).not.toContain(naming.name);
    if (step === 'name') files.setName(7, naming);
    else if (step === 'add') files.add(7, file, Buffer.from('hello'));
    else committed.push(...files.commit());
  }
  expect([committed, readdirSync(dir), files.pending()]).toEqual([[[7, kept]], ['a.txt'], 0]);
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('hello');
});

test('wrong bytes, a wrong size and a taken name are reported, and no file stays', () => {
  const files = createSmallFileWriter<number>(dir);
  writeFileSync(join(dir, 'a.txt'), 'mine');
  files.add(1, { ...file, temporary: '.tmp1' }, Buffer.from('hullo'));
  files.add(2, { ...file, temporary: '.tmp2', size: 6 }, Buffer.from('hello'));
  files.add(3, { ...file, temporary: '.tmp3' }, Buffer.from('hello'));
  files.setName(3, naming);
  expect(files.commit()).toEqual([
    [1, { outcome: 'wrong', sha256: sha256Of('hullo'), bytes: 5 }],
    [2, { ...kept, outcome: 'wrong' }],
    [3, { ...kept, outcome: 'taken' }],
  ]);
  expect([readdirSync(dir), readFileSync(join(dir, 'a.txt'), 'utf8')]).toEqual([['a.txt'], 'mine']);
});
