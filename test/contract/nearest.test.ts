// Suggestions for mistyped words.
import { expect, test } from 'vitest';
import { nearest } from '../../src/contract/nearest.ts';

const KNOWN = ['attachments ls', 'attachments show', 'exit-codes', 'events', 'health'];

test.each([
  ['attachmnts ls', 'attachments ls'],
  ['attachments sl', 'attachments ls'],
  ['exitcodes', 'exit-codes'],
  ['Events', 'events'],
  ['nonsense', undefined],
  ['', undefined],
])('%s', (typed, meant) => expect(nearest(typed, KNOWN)).toBe(meant));
