// `arx conversations walk` around its files: one walk a log, a report that can be written or nothing.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../../src/arx.ts';
import { withLock } from '../../../src/config/lock.ts';
import { Fault } from '../../../src/faults.ts';
import {
  addUnresolvedRows,
  UNRESOLVED_FILE,
  readUnresolvedRows,
  findExisting,
} from '../../../src/walk/log/unresolved-rows.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { sampleData } from '../../support/sample.ts';
import { serve } from '../../support/served.ts';
import { fakeWorld } from '../../support/fake-world.ts';

let dir: string;
beforeEach(() => void (dir = tempFolder('walk')));
beforeEach(async () => {
  await sampleData(join(dir, 'data'));
});

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

test('an interrupted walk is not called unstable, and claims no confidence', async () => {
  const controller = new AbortController();
  const argv = ['conversations', 'walk', '--limit', '5', '-v', '-o', 'table'];
  const world = fakeWorld({ argv, dir, signal: controller.signal });
  const stderr = {
    ...world.stderr,
    write: async (chunk: string | Uint8Array) => {
      await world.stderr.write(chunk);
      if (world.stderrText().split('GET /v1/conversations').length > 12)
        controller.abort(new Fault('interrupted', 'interrupted', { signal: 'SIGINT' }));
    },
  };
  expect(await run({ ...world, stderr })).toBe(130);
  const text = world.stderrText();
  expect(text).toMatch(/^arx: incomplete, \d+ conversations/m);
  expect(text).toContain('confidence   not known: the walk ended before its last checks');
  expect(text).toMatch(/─ not read\n/);
  expect(text).not.toContain('unstable');
});

test.each(['fifo', 'file', 'file/below'])(
  'a frozen log at %s is refused as a target, not as our store',
  async (name) => {
    execFileSync('mkfifo', [join(dir, 'fifo')]);
    writeFileSync(join(dir, 'file'), 'mine');
    const refused = await arx('conversations', 'walk', '--freeze', name);
    expect(refused).toMatchObject({ exit: 13, stdout: '' });
    expect(refused.stderr).toMatch(/not a folder \[unsafe/);
  },
);

test('a frozen log in a folder that takes nothing: 14, there and below', async ({ skip }) => {
  mkdirSync(join(dir, 'shut'), { mode: 0o500 });
  const attribute = (flag: string) => execFileSync('chattr', [flag, join(dir, 'shut')], { stdio: 'ignore' });
  const isRoot = process.getuid?.() === 0;
  try {
    // Modes do not stop root.
    if (isRoot) attribute('+i');
  } catch {
    skip('chattr +i is not possible here');
  }
  try {
    for (const name of ['shut', 'shut/new']) {
      const refused = await arx('conversations', 'walk', '--freeze', name);
      expect(refused).toMatchObject({ exit: 14, stdout: '' });
      expect(refused.stderr).toMatch(/^arx: .*\/shut.*: .* \[disk, exit 14\]\n$/);
    }
  } finally {
    if (isRoot) attribute('-i');
  }
});

test('a report that cannot be written is refused before the walk', async () => {
  const { exit, stdout, stderr } = await arx(
    'conversations',
    'walk',
    '--report',
    'no/such/folder/report.json',
  );
  expect({ exit, stdout }).toEqual({ exit: 14, stdout: '' });
  expect(stderr).toContain('no/such/folder: no such folder');
});

test('the report of a walk replaces an earlier one, other files only with --force, and has no name until it is whole', async () => {
  await arx('conversations', 'walk', '--report', 'report.json');
  const first = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'));
  const again = ['conversations', 'walk', '--limit', '7', '--report', 'report.json'];
  expect(await arx(...again)).toMatchObject({ exit: 0, stderr: '' });
  const second = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'));
  expect(first).toMatchObject({ version: 1, verdict: 'complete', conversations: 60 });
  expect(second.requests).toBeGreaterThan(first.requests);
  expect(statSync(join(dir, 'report.json')).mode & 0o777).toBe(0o600);
  for (const mine of ['mine', '', '{"version":1,"verdict":"complete"}', JSON.stringify([first])]) {
    writeFileSync(join(dir, 'report.json'), mine);
    const refused = await arx(...again);
    expect(refused).toMatchObject({ exit: 13, stdout: '' });
    expect(refused.stderr).toContain('report.json exists and is not the report of a walk');
    expect(refused.stderr).toContain('hint: replace it with --force');
    expect(readFileSync(join(dir, 'report.json'), 'utf8')).toBe(mine);
  }
  expect(await arx(...again, '--force')).toMatchObject({ exit: 0, stderr: '' });
  expect(existsSync(join(dir, 'walk'))).toBe(false);
  expect(readdirSync(dir).toSorted()).toEqual(['config', 'data', 'report.json']);
  expect((await arx('conversations', 'walk', '--force')).exit).toBe(2);
});

test('a report goes through no link and onto no FIFO, with --force neither', async () => {
  writeFileSync(join(dir, 'victim'), 'mine');
  symlinkSync('victim', join(dir, 'link'));
  symlinkSync('nowhere', join(dir, 'dangling'));
  execFileSync('mkfifo', [join(dir, 'fifo')]);
  mkdirSync(join(dir, 'folder'));
  for (const name of ['link', 'dangling', 'fifo', 'folder']) {
    const refused = await arx('conversations', 'walk', '--report', name, '--force');
    expect(refused).toMatchObject({ exit: 13, stdout: '' });
    expect(refused.stderr).toContain(`${name} exists and is not a regular file`);
  }
  expect(readFileSync(join(dir, 'victim'), 'utf8')).toBe('mine');
  expect(existsSync(join(dir, 'nowhere'))).toBe(false);
});

test('what took the name of the report during the walk stays, and the list stands', async () => {
  const world = fakeWorld({ argv: ['conversations', 'walk', '--report', 'report.json'], dir });
  const stdout = {
    ...world.stdout,
    write: async (chunk: string | Uint8Array) => {
      writeFileSync(join(dir, 'report.json'), 'mine');
      await world.stdout.write(chunk);
    },
  };
  expect(await run({ ...world, stdout })).toBe(13);
  expect(world.stdoutText().split('\n')).toHaveLength(61);
  expect(readFileSync(join(dir, 'report.json'), 'utf8')).toBe('mine');
});

test('an unresolved row that is in the log is resolved', async () => {
  await arx('conversations', 'walk', '--freeze', 'log', '--limit', '10');
  await addUnresolvedRows(join(dir, 'log'), { unplaced: ['conv_1'], late: [] });
  expect((await arx('conversations', 'walk', '--freeze', 'log', '--resume')).exit).toBe(0);
});

const logIn = (url: string) =>
  arx(...'login --client-id a --observer-tier internal --requested-tier internal --base-url'.split(' '), url);

test.each([1, 2])('windows of at most %i rows are exact under drift: reads have more', async (limit) => {
  const whole = (await arx('conversations', 'walk', '--json')).stdout;
  for (const seed of ['1', '2']) {
    const served = await serve(dir, ['--drift', '0.3', '--drift-seed', seed]);
    try {
      await logIn(served.base_url);
      const log = `log-${limit}-${seed}`;
      const words = ['--limit', String(limit), '--json', '--freeze', log, '--base-url', served.base_url];
      const ran = await arx('conversations', 'walk', ...words);
      expect(ran).toMatchObject({ exit: 0, stderr: '' });
      const idsOf = (text: string): string[] =>
        (JSON.parse(text) as { data: { id: string }[] }).data.map(({ id }) => id);
      expect(idsOf(ran.stdout)).toEqual(idsOf(whole));
      const windows = readFileSync(join(dir, log, 'windows.ndjson'), 'utf8')
        .trim()
        .split('\n');
      for (const line of windows)
        expect((JSON.parse(line) as { ids?: string[] }).ids?.length ?? 0).toBeLessThanOrEqual(limit);
    } finally {
      await served.close();
    }
  }
});

describe('--fail-on-drift', () => {
  const DRIFTING = ['--drift', '0.3', '--drift-seed', '7', '--drift-faults'];

  test.each([
    // What the service reports, and what the walk itself saw: either counts.
    ['shift', '0.6', 0, /^$/],
    ['shift', '0.1', 8, /drift up to 0\.3, and \d+ of \d+ reads disagreed; 0\.1 is allowed/],
    ['later', '0.1', 8, /"message":"the service reported drift up to 0\.3; 0\.1 is allowed"/],
  ])('drift of kind %s, %s allowed: exit %i; the list stands', async (kind, share, exit, words) => {
    const served = await serve(dir, [...DRIFTING, kind]);
    try {
      const base = ['--base-url', served.base_url];
      await logIn(served.base_url);
      const walk = ['conversations', 'walk', '--limit', '10', '--json', '--fail-on-drift', share, ...base];
      const ended = await arx(...walk);
      expect(ended.stderr).toMatch(words);
      expect(ended.exit).toBe(exit);
      expect(JSON.parse(ended.stdout).summary).toMatchObject({ rows: 60, complete: true });
    } finally {
      await served.close();
    }
  });

  test('a share of 0 to 1, and nothing to fail on without drift', async () => {
    expect(await arx('conversations', 'walk', '--fail-on-drift', '0')).toMatchObject({ exit: 0, stderr: '' });
    for (const wrong of ['1.5', '-0.1', 'half', ''])
      expect((await arx('conversations', 'walk', `--fail-on-drift=${wrong}`)).exit).toBe(2);
  });
});

describe('unresolved rows', () => {
  const source = {
    page: async ({ after }: { after?: string }) => {
      if (after === 'gone') throw new Fault('not_found', 'no such row');
      return { rows: [] };
    },
  };

  test('are read as they were added, without a torn line', async () => {
    await addUnresolvedRows(dir, { unplaced: [], late: [] });
    expect(existsSync(join(dir, UNRESOLVED_FILE))).toBe(false);
    await addUnresolvedRows(dir, { unplaced: ['a'], late: [] });
    await addUnresolvedRows(dir, { unplaced: ['b'], late: ['c'] });
    appendFileSync(join(dir, UNRESOLVED_FILE), '{"unplaced":["d"');
    expect(await readUnresolvedRows(dir)).toEqual({ unplaced: ['a', 'b'], late: ['c'] });
    await addUnresolvedRows(dir, { unplaced: ['e'], late: [] });
    expect(await readUnresolvedRows(dir)).toEqual({ unplaced: ['a', 'b', 'e'], late: ['c'] });
    appendFileSync(join(dir, UNRESOLVED_FILE), '{"unplaced":["d"');
    appendFileSync(join(dir, UNRESOLVED_FILE), '\n');
    await expect(readUnresolvedRows(dir)).rejects.toMatchObject({ kind: 'integrity' });
  });

  test('are resolved when the row is gone', async () => {
    expect(await findExisting(source, ['gone', 'here', 'here'], new AbortController().signal)).toEqual([
      'here',
    ]);
  });

  // A log of the conversations after conv_5. The unresolved row is outside that range, but in the list.
  const range = 'conversations walk --after conv_5 --freeze log --report report.json'.split(' ');

  test('make a resumed walk unstable while the list has the row and the log does not', async () => {
    expect((await arx(...range)).exit).toBe(0);
    await addUnresolvedRows(join(dir, 'log'), { unplaced: ['conv_1'], late: [] });
    const resumed = await arx(...range, '--resume');
    expect(resumed.exit).toBe(8);
    expect(resumed.stderr).toContain(
      'row conv_1 was seen by an earlier run but its place in the list is undecided',
    );
    expect(JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'))).toMatchObject({
      verdict: 'incomplete',
    });
  });

  test('late rows are in the report and a notice, and a fault under --strict', async () => {
    await arx(...range);
    await addUnresolvedRows(join(dir, 'log'), { unplaced: [], late: ['conv_1', 'conv_9999'] });
    const resumed = await arx(...range, '--resume');
    expect(resumed.exit).toBe(0);
    expect(resumed.stderr).toContain(
      '1 row was seen between frozen rows, written during the walk or missed: conv_1',
    );
    expect(JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8'))).toMatchObject({ late: ['conv_1'] });
    expect((await arx(...range, '--resume', '--strict')).exit).toBe(8);
  });
});
