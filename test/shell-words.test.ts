// Command lines as text: what a shell reads back as the same words, without the passwords of addresses.
import { spawnSync } from 'node:child_process';
import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { shellLine } from '../src/shell-words.ts';

test.each([
  ['--proxy=http://u:pw@host:80/', "'--proxy=http://u:***@host:80/'"],
  ['http://u:p@w@host', "'http://u:***@host'"],
  ['postgres://u:p%40w@a,b/db?sslmode=require', "'postgres://u:***@a,b/db?sslmode=require'"],
  ['postgres://u@h/db?Password=pw&x=1', "'postgres://u@h/db?Password=***&x=1'"],
  ['http://host:80/a@b:c', 'http://host:80/a@b:c'],
  ['from:a@b.example', 'from:a@b.example'],
])('%s', (word, shown) => expect(shellLine(['arx', word])).toBe(`arx ${shown}`));

property.prop([fc.array(fc.stringMatching(/^[^\0:?&]*$/))], { numRuns: 20 })(
  'a shell reads the same words',
  (words) => {
    const script = `printf '%s\\0' ${shellLine(['x', ...words])}`;
    const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(stdout.split('\0').slice(0, -1)).toEqual(['x', ...words]);
  },
);
