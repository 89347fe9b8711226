// The order of the first rows is the one that most pages show.
import { expect, test } from 'vitest';
import { KnownRows } from '../../src/capabilities/known-rows.ts';

test.each([
  [['abcd'], 'abcd'],
  [['abcd', 'cdef'], 'abcdef'],
  [['acd', 'abcd'], 'abcd'],
  [['cd', 'abcd'], 'abcd'],
  [['bacd', 'abcd', 'abcd'], 'abcd'],
  [['aabb'], 'ab'],
  [['abc', 'bca', 'cab'], 'abc'],
])('%j', (pages, expected) => {
  const known = new KnownRows();
  for (const page of pages) known.add(page.split(''));
  // A cycle of majorities has no order; it must only end.
  if (pages[1] === 'bca') expect(known.ids).toHaveLength(3);
  else expect(known.ids.join('')).toBe(expected);
});
