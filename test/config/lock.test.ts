// The lock: waits for the living, takes over from the dead, one at a time whatever happens; leftovers go (H, G10).
import * as fs from 'node:fs';
import { spawnSync } from 'node:child_process';
import { hostname, uptime } from 'node:os';
import { describe, expect, test } from 'vitest';
import { removeLeftovers, withLock } from '../../src/config/lock.ts';
import { scratch, storeWorld } from './store-world.ts';

const NOBODY = { running: () => false };

/** The identity a process with this id would leave. */
async function identityOf(pid: number): Promise<string> {
  let seen = '';
  await withLock(`${scratch()}/x`, storeWorld({ pid }), (identity) => void (seen = identity));
  return seen;
}

function deadPid(): number {
  return spawnSync(process.execPath, ['-e', '0']).pid;
}

test('holders come one at a time and leave nothing', async () => {
  const folder = scratch();
  const path = `${folder}/x`;
  const world = storeWorld();
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withLock(path, world, async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
      }),
    ),
  );
  expect(most).toBe(1);
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('a dead holder is succeeded by one waiter at a time', async () => {
  const dead = await identityOf(deadPid());
  for (let round = 0; round < 20; round++) {
    const folder = scratch();
    fs.symlinkSync(dead, `${folder}/x.lock`);
    let inside = 0;
    await Promise.all(
      Array.from({ length: 6 }, () =>
        withLock(`${folder}/x`, storeWorld(), async () => {
          expect(++inside).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          inside--;
        }),
      ),
    );
    expect(fs.readdirSync(folder)).toEqual([]);
  }
});

test('one who died while taking over is succeeded as well', async () => {
  const folder = scratch();
  const [first, second] = [await identityOf(deadPid()), await identityOf(deadPid())];
  fs.symlinkSync(first, `${folder}/x.lock`);
  fs.symlinkSync(second, `${folder}/x.lock.${first.split('-')[3]}`);
  expect(await withLock(`${folder}/x`, storeWorld(), () => 'in')).toBe('in');
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('a process id used again by another process is not the holder', async () => {
  const folder = scratch();
  const parts = (await identityOf(process.pid)).split('-');
  fs.symlinkSync([parts[0], '1', ...parts.slice(2)].join('-'), `${folder}/x.lock`);
  expect(await withLock(`${folder}/x`, storeWorld(), () => 'in')).toBe('in');
});

describe('who is not surely dead is waited for, then it is a store fault', () => {
  const holders: [string, (parts: string[]) => string[]][] = [
    ['living', (parts) => parts],
    ['of another host', (parts) => [...parts.slice(0, 4), `${hostname()}2`]],
    ['of another namespace', (parts) => [...parts.slice(0, 2), '0.1', ...parts.slice(3)]],
  ];
  test.each(holders)('%s', async (_, change) => {
    const folder = scratch();
    const text = change((await identityOf(process.pid)).split('-')).join('-');
    fs.symlinkSync(text, `${folder}/x.lock`);
    let slept = 0;
    const world = storeWorld({
      sleep: async (ms) => void (slept += ms),
      running: (pid) => pid === process.pid,
      now: () => Date.now(),
    });
    await expect(withLock(`${folder}/x`, world, () => 'in')).rejects.toMatchObject({
      kind: 'store',
      message: expect.stringContaining(`held by process ${process.pid}`),
      detail: { retryable: true },
    });
    expect(slept).toBeGreaterThan(14_000);
    expect(slept).toBeLessThanOrEqual(15_000);
    expect(fs.readlinkSync(`${folder}/x.lock`)).toBe(text);
  });

  test('but one from before this boot is succeeded', async () => {
    const folder = scratch();
    const parts = (await identityOf(process.pid)).split('-');
    fs.symlinkSync([...parts.slice(0, 2), '0.1', ...parts.slice(3)].join('-'), `${folder}/x.lock`);
    fs.lutimesSync(`${folder}/x.lock`, 1, 1);
    const world = storeWorld({ now: () => Date.now() });
    expect(await withLock(`${folder}/x`, world, () => 'in')).toBe('in');
  });
});

test('a clock that jumps forward makes no holder of this boot seem dead', async () => {
  const folder = scratch();
  const parts = (await identityOf(process.pid)).split('-');
  const [boot] = parts[2]!.split('.');
  const text = [...parts.slice(0, 2), `${boot}.1`, ...parts.slice(3)].join('-');
  fs.symlinkSync(text, `${folder}/x.lock`);
  const world = storeWorld({ now: () => Date.now() + 1000 * (uptime() + 86_400), sleep: async () => {} });
  await expect(withLock(`${folder}/x`, world, () => 'in')).rejects.toMatchObject({ kind: 'store' });
  expect(fs.readlinkSync(`${folder}/x.lock`)).toBe(text);
});

test.each([
  ['a file', (lock: string) => fs.writeFileSync(lock, '17')],
  ['a folder', (lock: string) => fs.mkdirSync(lock)],
  ['a link elsewhere', (lock: string) => fs.symlinkSync('/etc/passwd', lock)],
])('H5: %s in place of the lock is a store fault', async (_, make) => {
  const folder = scratch();
  make(`${folder}/x.lock`);
  await expect(withLock(`${folder}/x`, storeWorld(NOBODY), () => 'in')).rejects.toMatchObject({
    kind: 'store',
  });
  expect(fs.readdirSync(folder)).toEqual(['x.lock']);
});

test('an interrupted wait ends at once', async () => {
  const folder = scratch();
  fs.symlinkSync(await identityOf(process.pid), `${folder}/x.lock`);
  const stop = new Error('stop');
  const world = storeWorld({ sleep: () => Promise.reject(stop) });
  await expect(withLock(`${folder}/x`, world, () => 'in')).rejects.toBe(stop);
});

test('G10: temporary files of the dead are removed, those of the living stay', async () => {
  const folder = scratch();
  const [dead, living] = [await identityOf(deadPid()), await identityOf(process.pid)];
  for (const name of [`x.tmp-${dead}`, `x.tmp-${living}`, 'x.tmp-else'])
    fs.writeFileSync(`${folder}/${name}`, 't');
  removeLeftovers(`${folder}/x`, storeWorld());
  expect(fs.readdirSync(folder).sort()).toEqual([`x.tmp-${living}`, 'x.tmp-else'].sort());
});

test('G10: under the lock all leftovers go, other files stay', async () => {
  const folder = scratch();
  const dead = await identityOf(deadPid());
  fs.writeFileSync(`${folder}/x.tmp-${dead}`, 'token');
  fs.symlinkSync(dead, `${folder}/x.lock.0011223344556677`);
  fs.writeFileSync(`${folder}/x`, '');
  fs.writeFileSync(`${folder}/y.tmp-1`, '');
  await withLock(`${folder}/x`, storeWorld(), () => undefined);
  expect(fs.readdirSync(folder).sort()).toEqual(['x', 'y.tmp-1']);
});
