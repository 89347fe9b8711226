// The quick guide `arx help start`: each of its lines runs, and it is named where somebody begins.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { arx } from '../support/command.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

const SOURCE = readFileSync(join(import.meta.dirname, '../../src/help/topics/start.md'), 'utf8');
const [first = [], ...others] = [...SOURCE.matchAll(/^```\n([^]*?)^```$/gm)].map(([, block = '']) =>
  block.trim().split('\n'),
);

test('the first step makes the sample archive in the folder that the second line names', async () => {
  expect(first).toEqual(['arx demo --keep', 'export ARX_DATA_DIR=/tmp/arx-demo-XXXXXX/data']);
});

test('a sample that is kept says the line that makes it the archive in use', async () => {
  const { stdout } = await arx(tempFolder('start'), 'demo --keep');
  const [, folder = '', value] =
    /; kept in (\S+)\nto go on:\n {2}export ARX_DATA_DIR=(\S+)\n {2}arx help start\n$/.exec(stdout) ?? [];
  expect(value).toBe(join(folder, 'data'));
  rmSync(folder, { recursive: true });
});

test('the lines of the other steps run on the sample archive, in this order', async () => {
  const dir = tempFolder('start');
  await sampleData(join(dir, 'data'));
  const exits = new Map<string, number>();
  for (const line of others.flat()) exits.set(line, (await arx(dir, line.replace(/^arx /, ''))).exit);
  expect(Object.fromEntries(exits)).toEqual({
    'arx search lisbon': 0,
    'arx read msg_1': 0,
    'arx attachments ls --city lisbon': 0,
    'arx conversations walk --freeze walk1': 0,
    'arx conversations verify walk1': 0,
    // Withheld files, as the text says.
    'arx attachments pull --all --to files': 3,
    'arx attachments verify files': 3,
  });
});

test('the overview names it, also where there is no archive', async () => {
  const { stdout } = await arx(tempFolder('start'), '');
  expect(stdout).toContain('\n  arx help start ');
  expect(stdout).toMatch(/\nNo archive yet: .*; arx help start\n$/);
  expect((await arx(tempFolder('start'), 'help start')).stdout).toContain('BEGIN IN THREE STEPS');
});
