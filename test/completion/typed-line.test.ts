// How a bash command line is read, and how values are quoted for it. bash itself judges: test/completion/complete.shells.test.ts.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { bashReply, readBashLine } from '../../src/completion/typed-line.ts';
import { isInstalled } from '../support/installed.ts';

test.each([
  ['arx read ', ['arx', 'read'], ''],
  ['arx  read\tmsg', ['arx', 'read'], 'msg'],
  ['arx --profile "a b" x', ['arx', '--profile', 'a b'], 'x'],
  [`arx 'a"b' c\\ d`, ['arx', 'a"b'], 'c d'],
  ['arx "a\\"b\\x', ['arx'], 'a"b\\x'],
  ['arx $(touch x) `id', ['arx', '$(touch', 'x)'], '`id'],
  ['arx a\\', ['arx'], 'a'],
  ['arx ""', ['arx'], ''],
  ['arx "" x', ['arx', ''], 'x'],
])('%s', (line, words, current) => {
  expect(readBashLine(line)).toMatchObject({ words, current });
});

const VALUES = [
  'a b',
  `it's`,
  'say "x"',
  '$(id)`id`$HOME',
  '!x',
  'a\\',
  'são',
  '*?[x]{}~#;&|<>()',
  'a:b=c@d',
  '%s',
];
test.skipIf(!isInstalled('bash'))('bash reads each quoted value as the value', () => {
  const cases = VALUES.flatMap((value) => [
    { value, word: bashReply(value, readBashLine('arx '), '') },
    { value, word: `"${bashReply(value, readBashLine('arx "'), '"')}"` },
    { value, word: `'${bashReply(value, readBashLine(`arx '`), "'")}'` },
  ]);
  const script = `printf '%s\\n' ${cases.map(({ word }) => word).join(' ')}`;
  const read = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').slice(0, -1);
  expect(read).toEqual(cases.map(({ value }) => value));
});
