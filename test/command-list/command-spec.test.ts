// Each command says what it changes.
import { expect, test } from 'vitest';
import { effectOf, type CommandSpec } from '../../src/command-list/command-spec.ts';
import { COMMAND_LIST } from '../../src/command-list/index.ts';

test.each([
  [{ effect: 'change' }, {}, 'change'],
  [{ effect: 'change' }, { dryRun: true }, 'none'],
  [{ effect: ({ a }) => (a === 1 ? 'change' : 'none') }, { a: 1 }, 'change'],
  [{ effect: ({ a }) => (a === 1 ? 'change' : 'none') }, { a: 1, dryRun: true }, 'none'],
] as [Pick<CommandSpec, 'effect'>, Record<string, unknown>, string][])(
  'the effect of a run: %j with %j',
  (spec, given, effect) => {
    expect(effectOf(spec, given)).toBe(effect);
  },
);

test('a completion script is printed, and changed where it is installed', () => {
  const completion = COMMAND_LIST.find(({ words }) => words === 'completion');
  const effects = ['bash', 'install', 'uninstall'].map((shell) => effectOf(completion!, { shell }));
  expect(effects).toEqual(['none', 'change', 'change']);
});

test('a command that asks for confirmation, or has a dry run, changes something', () => {
  const asking = COMMAND_LIST.filter(({ options = [] }: CommandSpec) =>
    options.some(([syntax]) => syntax === '--yes' || syntax === '--dry-run'),
  );
  const without = asking.filter((spec) => effectOf(spec, { shell: 'install' }) !== 'change');
  expect(without.map(({ words }) => words)).toEqual([]);
});
