// Runs one command line in this process and returns what it printed and its exit code.
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { run } from '../../src/arx.ts';
import { ExitRecord } from '../../src/contract/reports/command.ts';
import { wrongCommandsIn } from './named-commands.ts';
import { wordsOf } from './transcript.ts';
import { fakeWorld, type FakeWorldOptions } from './fake-world.ts';

export type Ran = { exit: number; stdout: string; bytes: Buffer; stderr: string };

/** `line` is what stands after `arx`. Chance is real: no two runs on one archive may draw the same token. */
export async function arx(dir: string, line: string, options: FakeWorldOptions = {}): Promise<Ran> {
  const world = fakeWorld({ dir, argv: wordsOf(line), env: { LANG: 'C.UTF-8' }, ...options });
  const exit = await run({ ...world, randomBytes });
  expect(wrongCommandsIn(world.stderrText()), `arx ${line}`).toEqual([]);
  return { exit, stdout: world.stdoutText(), bytes: world.stdoutBytes(), stderr: world.stderrText() };
}

/** The rows of a list printed with `--json`, as the service sent them: ndjson adds null for every field that is missing. */
export function dataOf({ stdout }: Ran): Record<string, any>[] {
  // A command that failed before its first row prints nothing.
  return stdout === '' ? [] : (JSON.parse(stdout) as { data: Record<string, any>[] }).data;
}

/** The record of a failure with JSON output: the last line of standard error. */
export function exitRecordOf({ stderr }: Pick<Ran, 'stderr'>): ExitRecord {
  return ExitRecord.parse(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? ''));
}

/** The records of ndjson output. */
export function recordsOf({ stdout }: Ran): Record<string, any>[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, any>);
}
