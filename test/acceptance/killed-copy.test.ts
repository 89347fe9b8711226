// An archive that is copied or moved while the process is killed or gets Ctrl-C: nobody reads half of it, and the same command continues.
import { beforeAll, describe, expect, test } from 'vitest';
import { KILLED_COMMANDS, killedCopies, type KilledCopies } from '../support/killed-copies.ts';
import { noPostgres } from '../support/postgres.ts';

let copies: KilledCopies;
beforeAll(async () => {
  if (!noPostgres) copies = await killedCopies();
});

describe.skipIf(noPostgres).each(KILLED_COMMANDS)('%s', (command) => {
  let steps: number;
  beforeAll(async () => {
    steps = await copies.steps(command);
    expect(steps).toBeGreaterThan(100);
  });

  test('killed at its end', () =>
    copies.endAt(command, { step: Math.floor(steps * 0.99), when: 'within', signal: 'SIGKILL' }));

  test('Ctrl-C', () =>
    copies.endAt(command, { step: Math.floor(steps * 0.7), when: 'before', signal: 'SIGINT' }));
});
