// One command line in a world: which exit code it has when a signal arrives.
import { describe, expect, test } from 'vitest';
import { run } from '../src/arx.ts';
import { Fault } from '../src/faults.ts';
import { fakeWorld } from './support/fake-world.ts';
import { tempFolder } from './support/temp-folder.ts';

describe('K2 a signal during the last write of a command', () => {
  test.each([
    ['SIGINT', 130, 'config ls'],
    ['SIGTERM', 143, 'config ls --json'],
    ['SIGINT', 130, 'help exit-codes'],
    ['SIGINT', 130, '--help'],
  ] as const)('%s: exit %i of %s', async (signal, exit, line) => {
    const interrupt = new AbortController();
    const world = fakeWorld({
      dir: tempFolder('last-write'),
      argv: line.split(' '),
      signal: interrupt.signal,
    });
    const stdout = {
      ...world.stdout,
      write: async (chunk: string | Uint8Array) => {
        await world.stdout.write(chunk);
        interrupt.abort(new Fault('interrupted', 'interrupted', { signal }));
      },
    };
    expect(await run({ ...world, stdout })).toBe(exit);
    expect(world.stdoutText()).not.toBe('');
  });
});

test('an argument that does not fit names the help of the command, also as `next` of the exit record', async () => {
  const argv = ['attachments', 'ls', '--limit', '0', '--json'];
  const world = fakeWorld({ dir: tempFolder('usage'), argv });
  expect(await run(world)).toBe(2);
  const [, hint, record = ''] = world.stderrText().split('\n');
  expect(hint).toBe('  hint: arx help attachments ls');
  expect(JSON.parse(record)).toMatchObject({ class: 'usage', next: 'arx help attachments ls' });
});
