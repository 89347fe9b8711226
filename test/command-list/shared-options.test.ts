// Options that several commands share: what their help says.
import { expect, test } from 'vitest';
import { COMMAND_LIST } from '../../src/command-list/index.ts';

test('every --limit names its default', () => {
  const limits = COMMAND_LIST.flatMap(({ words, options = [] }) =>
    options.filter(([flags]) => flags === '--limit <count>').map(([, help]) => `${words}: ${help}`),
  );
  expect(limits.length).toBeGreaterThan(5);
  for (const limit of limits) expect(limit).toMatch(/\(default: .*\d.*\)$/);
});
