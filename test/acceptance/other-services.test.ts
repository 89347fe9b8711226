// The main commands against every other service, and all commands against the few that differ most.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_LIST } from '../../src/command-list/index.ts';
import { CHECKS, MAIN_CHECKS } from '../support/other-services/checks/index.ts';
import {
  FAULTY_SHAPES,
  HONEST_EXITS,
  isWhollyQuick,
  testAgainst,
  walkOften,
} from '../support/other-services/matrix.ts';
import { STEADY, rough } from '../support/other-services/variants.ts';

/** `explore` needs a terminal: acceptance/explore.test.ts. `demo` has nothing to do with a service that is already there. */
const ELSEWHERE = ['explore', 'demo'];

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

test('20 % of requests that fail: five walks of each shape are exact, or say that they are not', async () => {
  for (const shape of FAULTY_SHAPES) {
    const { exits, wrong } = await walkOften((seed) => rough(shape, `quick ${seed}`), 5);
    expect(wrong, shape).toBe(0);
    expect(Object.keys(exits).filter((exit) => !HONEST_EXITS.includes(exit))).toEqual([]);
  }
});

for (const variant of STEADY) testAgainst(variant, isWhollyQuick(variant) ? CHECKS : MAIN_CHECKS);
