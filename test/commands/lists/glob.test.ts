// Shell patterns of names: what they match, as the shell itself says, and how long hostile ones take.
import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globMatcher } from '../../../src/commands/lists/glob.ts';

test.each<[pattern: string, matching: string[], others: string[]]>([
  ['*.pdf', ['a.pdf', '.pdf', 'A.PDF', 'a\nb.pdf'], ['a.pdfx', 'pdf', 'a.pd']],
  ['report-??.txt', ['report-01.txt', 'report-é😀.txt'], ['report-1.txt', 'report-001.txt']],
  ['[a-c]*[!0-9]', ['ax', 'Cab'], ['a1', 'dx', 'a']],
  ['[]]x', [']x'], ['x', '[]x']],
  ['[^a]', ['b'], ['a', '']],
  ['[!]]', ['a'], [']']],
  ['[ab', ['[ab', '[AB'], ['a', 'b']],
  ['[a-]', ['a', '-'], ['b']],
  ['\\*', ['*'], ['a', '\\*']],
  ['a\\', ['a\\'], ['a']],
  ['São*', ['sa\u0303o paulo', 'SÃO'], ['sao']],
  ['', [''], ['a']],
  ['**', ['', 'abc'], []],
  ['photo', ['photo', 'PHOTO'], ['photo.jpg']],
])('%s', (pattern, matching, others) => {
  const matches = globMatcher(pattern);
  expect(matching.filter((name) => !matches(name))).toEqual([]);
  expect(others.filter((name) => matches(name))).toEqual([]);
});

describe('property', () => {
  test('matches what the shell matches', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '9'), maxLength: 8 });
    const pattern = fc
      .array(fc.constantFrom('*', '?', 'a', 'b', '[ab]', '[!a]', '[a-b]', '9', '.', '\\*'), { maxLength: 7 })
      .map((parts) => parts.join(''));
    const cases = fc.sample(fc.tuple(pattern, text), { numRuns: 500, seed: 7 });
    const script = cases
      .map(([glob, name]) => `case '${name}' in ${glob === '' ? "''" : glob}) echo 1;; *) echo 0;; esac`)
      .join('\n');
    const told = execFileSync('sh', ['-s'], { input: script, env: { LC_ALL: 'C' } })
      .toString()
      .trim()
      .split('\n');
    const differing = cases.filter(([glob, name], at) => globMatcher(glob)(name) !== (told[at] === '1'));
    expect(differing).toEqual([]);
  });

  test('a hostile pattern looks at each character of a hostile name a few times only', () => {
    // A matcher that tries every way of sharing the name among the stars would never end.
    const matches = globMatcher(`${'*a'.repeat(50)}*b`);
    expect(matches('a'.repeat(20_000))).toBe(false);
    expect(matches(`${'a'.repeat(20_000)}b`)).toBe(true);
  });
});
