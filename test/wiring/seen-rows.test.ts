// What a run keeps for completion of the rows that it prints at a terminal.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/arx.ts';
import { complete } from '../../src/completion/complete.ts';
import { fakeWorld } from '../support/fake-world.ts';
import { sampleData } from '../support/sample.ts';
import { tempFolder } from '../support/temp-folder.ts';

async function importedArchive(): Promise<string> {
  const dir = tempFolder('seen-rows');
  const files = join(dir, 'files');
  mkdirSync(files);
  for (const name of ['a.txt', 'b.txt']) writeFileSync(join(files, name), name);
  const world = fakeWorld({
    dir,
    argv: ['import', files, '--kind', 'folder', '--origin-city', 'lisbon', '--tier', 'external'],
  });
  expect(await run(world), world.stderrText()).toBe(0);
  return dir;
}

const proposed = async (dir: string, kinds: string): Promise<string[]> => {
  const { env, home, platform, cwd, uid } = fakeWorld({ dir, uid: process.getuid?.() });
  const lines = await complete(['fish', kinds, '--', '', 'arx'], { env, home, platform, cwd, uid });
  return lines.split('\n');
};

test('ids, cities, types and sources of printed rows are proposed afterwards', async () => {
  const dir = await importedArchive();
  const world = fakeWorld({ dir, argv: ['attachments', 'ls'], columns: 80, uid: process.getuid?.() });
  expect(await run(world), world.stderrText()).toBe(0);
  expect(await proposed(dir, 'attachments')).toEqual(['att_1\ta.txt', 'att_2\tb.txt']);
  expect(await proposed(dir, 'cities,types,sources')).toEqual(['lisbon\t', 'text/plain\t', 'local\t']);
});

test('names of files and of senders that were printed are proposed for options and in queries', async () => {
  const dir = tempFolder('seen-rows');
  await sampleData(join(dir, 'data'));
  const uid = process.getuid?.();
  for (const line of ['attachments ls --limit 2', 'messages ls --limit 3']) {
    const world = fakeWorld({ dir, argv: line.split(' '), columns: 80, uid });
    expect(await run(world), world.stderrText()).toBe(0);
  }
  expect(await proposed(dir, 'names')).toEqual(['lisbon-000.jpg\tatt_1', 'emblem.png\tatt_2']);
  expect(await proposed(dir, 'senders')).toContain('Inês Carvalho\tines@lisbon.example');
  const argv = ['attachments', 'senders'];
  expect(await run(fakeWorld({ dir, argv, columns: 80, uid }))).toBe(0);
  expect(await proposed(dir, 'senders')).toHaveLength(7);
  const { env, home, platform, cwd } = fakeWorld({ dir, uid });
  const outside = { env, home, platform, cwd, uid };
  const ask = async (text: string) =>
    (await complete(['fish', 'queries', '--', text, 'arx', 'search'], outside)).split('\n');
  expect(await ask('plates from:')).toContain('plates from:"Inês Carvalho"\tines@lisbon.example');
  expect(await ask('file:')).toContain('file:emblem.png\tatt_2');
});

test('counts are values, not ids', async () => {
  const dir = await importedArchive();
  for (const words of ['attachments types', 'search file --facet type']) {
    const argv = words.split(' ');
    expect(await run(fakeWorld({ dir, argv, columns: 80, uid: process.getuid?.() }))).toBe(0);
  }
  expect(await proposed(dir, 'types')).toEqual(['text/plain\t']);
  expect(await proposed(dir, 'attachments,messages')).toEqual(['']);
});

test('only rows that were printed are kept, and none without a terminal', async () => {
  const dir = await importedArchive();
  expect(await run(fakeWorld({ dir, argv: ['attachments', 'ls'], uid: process.getuid?.() }))).toBe(0);
  expect(existsSync(join(dir, '.cache'))).toBe(false);
  const argv = ['attachments', 'ls', '--limit', '1'];
  expect(await run(fakeWorld({ dir, argv, columns: 80, uid: process.getuid?.() }))).toBe(0);
  expect(await proposed(dir, 'attachments')).toEqual(['att_1\ta.txt']);
});
