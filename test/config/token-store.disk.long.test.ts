// Failing system calls at every step of a put and a config set (bad inputs I2): one clear fault, and nothing kept is lost.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { setSetting } from '../../src/config/settings-file.ts';
import { begun } from './begun-store.ts';
import { buildChild, CALLS, hasStrace, hurtChild, startCrampedChild, traceChild } from './children.ts';
import { scratch, storeWorld } from './store-world.ts';

buildChild();

const ERRORS = ['EIO', 'ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EMFILE'];

describe.skipIf(!hasStrace)('I2: a system call fails', () => {
  test.each(CALLS)('once: %s', async (call, count) => {
    const { folder, check, cleans } = await begun();
    const acknowledged = ['old0'];
    for (let n = 1; n <= count; n++) {
      const error = ERRORS[(n + call.length) % ERRORS.length];
      const { signal, output } = await hurtChild(
        `${call}:error=${error}:when=${n}`,
        folder,
        'put',
        `${call}${n}-`,
      );
      // Node itself gives up where closing fails within its own reading of a file.
      if (call === 'close' && signal === 'SIGABRT') continue;
      expect(signal).toBeNull();
      expect(output).toMatch(/^(done|disk .*|store .*)$/);
      expect(output).not.toContain('secret');
      if (output === 'done') acknowledged.push(`${call}${n}-0`);
      check(acknowledged);
    }
    await cleans();
  });

  test.each([
    ['pwrite64', 'ENOSPC', 'disk'],
    ['pwrite64', 'EDQUOT', 'disk'],
    ['fsync', 'EIO', 'disk'],
    ['rename', 'ENOSPC', 'disk'],
    ['rename', 'EACCES', 'store'],
    ['symlink', 'EROFS', 'store'],
    ['symlink', 'ENOSPC', 'disk'],
    ['openat', 'EMFILE', 'disk'],
  ])('always: %s with %s is a %s fault', async (call, error, kind) => {
    const { folder, check, cleans } = await begun();
    const { output } = await hurtChild(`${call}:error=${error}:when=1+`, folder, 'put', 'new');
    expect(output.split(' ')[0]).toBe(kind);
    expect(output).not.toContain('secret');
    check(['old0']);
    expect(readdirSync(folder)).toEqual(['tokens.json']);
    await cleans();
  });

  test.each(['pwrite64', 'fsync', 'openat'])('interrupted once (EINTR): %s goes on', async (call) => {
    const { folder, check } = await begun();
    const { output } = await hurtChild(`${call}:error=EINTR:when=2`, folder, 'put', 'new');
    expect(output).toBe('done');
    check(['old0', 'new0']);
  });
});

test.skipIf(!hasStrace)(
  'I4: bytes reach the disk before the name, and the name before the answer',
  async () => {
    const { folder } = await begun();
    const log = `${scratch()}/log`;
    const calls = 'trace=pwrite64,fsync,rename,write';
    expect((await traceChild(['-o', log, '-e', calls], [folder, 'put', 'new'])).output).toBe('done');
    const made = readFileSync(log, 'utf8').match(/(?<= )(pwrite64|fsync|rename|write\(1)(?=[(,])/g);
    expect(made?.slice(0, 5)).toEqual(['pwrite64', 'fsync', 'rename', 'fsync', 'write(1']);
  },
);

test('a disk that fills up within the write: disk fault, old tokens kept, nothing left behind', async () => {
  const { folder, check } = await begun();
  const child = await startCrampedChild(folder, 'put', 'new');
  child.go();
  expect((await child.ended).output).toMatch(/^disk .*tokens\.json not saved/);
  check(['old0']);
  expect(readdirSync(folder)).toEqual(['tokens.json']);
});

test('settings: conf does not notice a write that was cut, we do', async () => {
  const folder = scratch();
  await setSetting(folder, 'timeout', '7', undefined, storeWorld());
  const before = readFileSync(`${folder}/config.json`, 'utf8');
  const child = await startCrampedChild(folder, 'set', 'x'.repeat(190));
  // Fits below the limit as it is, and no more with the new value.
  const profiles = Array.from({ length: 8 }, (_, index) => [`p${index}`, { client_id: 'x'.repeat(20) }]);
  const long = JSON.stringify({ ...JSON.parse(before), profiles: Object.fromEntries(profiles) });
  writeFileSync(`${folder}/config.json`, long);
  child.go();
  expect((await child.ended).output).toMatch(/^disk .*config\.json not saved/);
  expect(readFileSync(`${folder}/config.json`, 'utf8')).toBe(long);
  expect(readdirSync(folder)).toEqual(['config.json']);
});
