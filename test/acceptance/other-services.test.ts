// The main commands against every other service, and all commands against the few that differ most.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_LIST } from '../../src/command-list/index.ts';
import { CHECKS, MAIN_CHECKS } from '../support/other-services/checks/index.ts';
import { testAgainst } from '../support/other-services/matrix.ts';
import { STEADY } from '../support/other-services/variants.ts';

/** Services that all checks run against in every test run. */
const WHOLE = new Set(['plain', 'refuses', 'json-api']);
/** Commands that have nothing to do with a service that is already there. */
const ELSEWHERE = ['demo'];

test('every command is checked', () => {
  const checked = new Set(CHECKS.flatMap(({ commands }) => commands));
  const missing = COMMAND_LIST.map(({ words }) => words).filter((words) => !checked.has(words));
  expect(missing).toEqual(ELSEWHERE);
  expect(MAIN_CHECKS).toHaveLength(6);
});

test('the other services take nothing from the code under test', () => {
  const folder = join(import.meta.dirname, '../support/other-services');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts')))
    expect(readFileSync(join(folder, file), 'utf8'), file).not.toMatch(/from '[^']*src\//);
});

for (const variant of STEADY) testAgainst(variant, WHOLE.has(variant.name) ? CHECKS : MAIN_CHECKS);
