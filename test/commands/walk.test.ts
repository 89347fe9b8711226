// `arx conversations walk` around its files: one walk a log, a report that can be written or nothing.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../../src/arx.ts';
import { withLock } from '../../src/config/lock.ts';
import { sampleData } from '../support/sample.ts';
import { fakeWorld } from '../support/world.ts';

let dir: string;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'arx-walk-'));
  await sampleData(join(dir, 'data'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function arx(...argv: string[]) {
  const world = { ...fakeWorld({ argv, dir }), running: () => true };
  return { exit: await run(world), stdout: world.stdoutText(), stderr: world.stderrText() };
}

test('a second walk into the same log waits, then refuses; the log stays whole', async () => {
  expect((await arx('conversations', 'walk', '--freeze', 'log', '--limit', '10')).exit).toBe(0);
  const log = readFileSync(join(dir, 'log/windows.ndjson'), 'utf8');
  const holder = { ...fakeWorld({ argv: [], dir }), running: () => true, notice: () => {} };
  await withLock(join(dir, 'log/walk'), holder, async () => {
    const second = await arx('conversations', 'walk', '--freeze', 'log', '--resume', '-o', 'ndjson');
    expect(second).toMatchObject({ exit: 15, stdout: '' });
  });
  expect(readFileSync(join(dir, 'log/windows.ndjson'), 'utf8')).toBe(log);
  expect((await arx('conversations', 'verify', 'log')).exit).toBe(0);
});

test('a report that cannot be written is refused before the walk', async () => {
  const { exit, stdout, stderr } = await arx(
    'conversations',
    'walk',
    '--report',
    'no/such/folder/report.json',
  );
  expect({ exit, stdout }).toEqual({ exit: 14, stdout: '' });
  expect(stderr).toContain('no/such/folder/report.json: no such file or folder');
});

test('the report of a walk replaces what stood there', async () => {
  await arx('conversations', 'walk', '--report', 'report.json');
  const first = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'));
  await arx('conversations', 'walk', '--limit', '7', '--report', 'report.json');
  const second = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'));
  expect(first).toMatchObject({ version: 1, verdict: 'complete', conversations: 60 });
  expect(second.requests).toBeGreaterThan(first.requests);
  expect(existsSync(join(dir, 'walk'))).toBe(false);
});
