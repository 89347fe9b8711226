// The secret by which a local service knows the user who runs it: where it is written, and where it is sent.
import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createOwnerSecret, readOwnerSecret } from '../../src/config/owner-secret.ts';
import { Fault } from '../../src/faults.ts';
import { scratch, storeWorld } from './store-world.ts';

const published = (baseUrl: string) => {
  const folder = scratch();
  const world = storeWorld();
  const owner = createOwnerSecret(folder, world);
  owner.publish(baseUrl);
  return { folder, world, owner, read: (url: string) => readOwnerSecret(folder, url, world) };
};

test('is read for the address of its service alone', () => {
  const { folder, owner, read } = published('http://127.0.0.1:4747');
  expect(read('http://127.0.0.1:4747')).toEqual({ baseUrl: 'http://127.0.0.1:4747/', secret: owner.secret });
  for (const other of [
    'http://127.0.0.1:4748',
    'http://127.0.0.2:4747',
    'http://[::1]:4747',
    'https://127.0.0.1:4747',
    'http://archive.example:4747',
  ])
    expect(read(other)).toBeUndefined();
  expect(statSync(join(folder, 'owner-127.0.0.1-4747')).mode & 0o777).toBe(0o600);
});

test.each([
  ['http://127.0.0.1:4747', 'http://127.0.0.1:4747/'],
  ['http://[::1]:4747', 'http://[::1]:4747/'],
])('for localhost it is sent to the address of the service: %s', (address, sentTo) => {
  const { owner, read } = published(address);
  expect(read('http://localhost:4747')).toEqual({ baseUrl: sentTo, secret: owner.secret });
});

test('each run of a service has its own, and a run that ends leaves that of a later one', () => {
  const { folder, owner, read } = published('http://127.0.0.1:4747');
  const later = createOwnerSecret(folder, {
    ...storeWorld(),
    randomBytes: (count) => Buffer.alloc(count, 7),
  });
  later.publish('http://127.0.0.1:4747');
  expect(later.secret).not.toBe(owner.secret);
  owner.withdraw();
  expect(read('http://127.0.0.1:4747')?.secret).toBe(later.secret);
  later.withdraw();
  expect(readdirSync(folder)).toEqual([]);
});

test('where it cannot be written, a notice says so', () => {
  const folder = join(scratch(), 'file');
  writeFileSync(folder, '');
  const world = storeWorld();
  const owner = createOwnerSecret(folder, world);
  owner.publish('http://127.0.0.1:4747');
  expect(world.notices.join()).toContain('arx login gets the tier external from this service: ');
  owner.withdraw();
});

test('a file that others may read is closed, and a link is not followed', () => {
  const { folder, owner, world, read } = published('http://127.0.0.1:4747');
  const path = join(folder, 'owner-127.0.0.1-4747');
  chmodSync(path, 0o644);
  expect(read('http://127.0.0.1:4747')?.secret).toBe(owner.secret);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(world.notices.join()).toContain('was open to others');
  symlinkSync(path, join(folder, 'owner-127.0.0.1-1'));
  expect(() => read('http://127.0.0.1:1')).toThrow(Fault);
});
