// The help of the explorer, at any width.
import { expect, test } from 'vitest';
import { BINDINGS } from '../../../src/explore/bindings.ts';
import { helpLines } from '../../../src/explore/views/help.ts';
import { textWidth } from '../../../src/format/terminal/escape.ts';
import { plainText } from '../../../src/format/terminal/styled-line.ts';

test.each([40, 60, 80, 99, 100, 120, 200])('every word of it is on the screen in %i columns', (columns) => {
  const lines = helpLines(columns).map(plainText);
  for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  const words = lines.join(' ').split(/\s+/);
  for (const { what } of Object.values(BINDINGS).flat())
    for (const word of what.split(' ')) expect(words).toContain(word);
});
