// As killed-copy.test.ts, at many moments: evenly over a run, and at each of its last steps, where the places change.
import { beforeAll, describe, test } from 'vitest';
import { KILLED_COMMANDS, killedCopies, type KilledCopies } from '../support/killed-copies.ts';
import { noPostgres } from '../support/postgres.ts';

const EVENLY = 3;
const LAST_STEPS = 6;

let copies: KilledCopies;
beforeAll(async () => {
  if (!noPostgres) copies = await killedCopies();
});

describe.skipIf(noPostgres).each(KILLED_COMMANDS)('%s', (command) => {
  let evenly: number[];
  let last: number[];
  beforeAll(async () => {
    const steps = await copies.steps(command);
    evenly = Array.from({ length: EVENLY }, (_, at) => 1 + Math.floor((steps * at) / EVENLY));
    last = Array.from({ length: LAST_STEPS }, (_, at) => steps - at);
  });

  test.each(['before', 'within'] as const)('killed %s each of many steps', async (when) => {
    for (const step of evenly) await copies.endAt(command, { step, when, signal: 'SIGKILL' });
  });
  test('killed at each of the last steps', async () => {
    for (const step of last) await copies.endAt(command, { step, when: 'within', signal: 'SIGKILL' });
  });
  test('Ctrl-C at many steps', async () => {
    for (const step of evenly) await copies.endAt(command, { step, when: 'before', signal: 'SIGINT' });
  });
});
