// The token file against everything that can stand in its place (faults G), and what a put keeps.
import * as fs from 'node:fs';
import { execFileSync } from 'node:child_process';
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { openTokenStore } from '../../src/config/token-store.ts';
import { entry, scratch, storeWorld } from './store-world.ts';

const ENTRY = entry();
const VALID = JSON.stringify({ version: 1, tokens: [ENTRY] });
const isRoot = process.getuid?.() === 0;

function open(content?: string | Uint8Array) {
  const folder = scratch();
  fs.chmodSync(folder, 0o700);
  const world = storeWorld();
  const store = openTokenStore(folder, world);
  if (content !== undefined) fs.writeFileSync(store.place, content, { mode: 0o600 });
  return { folder, store, notices: world.notices, path: store.place };
}

test('get and list of a folder that is not there create nothing', async () => {
  const folder = `${scratch()}/a/b`;
  const store = openTokenStore(folder, storeWorld());
  expect(await store.get('local', 'default')).toBeUndefined();
  expect(await store.list()).toEqual([]);
  expect(await store.remove('local', 'default')).toBe(false);
  expect(fs.existsSync(folder)).toBe(false);
});

test('put makes a 0700 folder and a 0600 file; the same key is replaced, another is kept', async () => {
  const folder = `${scratch()}/a/b`;
  const store = openTokenStore(folder, storeWorld());
  await store.put(ENTRY);
  await store.put(entry({ profile: 'work', access_token: 'secret-token-2' }));
  await store.put(entry({ access_token: 'secret-token-3' }));
  expect((await store.list()).map((each) => [each.profile, each.access_token])).toEqual([
    ['default', 'secret-token-3'],
    ['work', 'secret-token-2'],
  ]);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(fs.statSync(store.place).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(folder)).toEqual(['tokens.json']);
  expect(await store.remove(ENTRY.origin, 'default')).toBe(true);
  expect(await store.remove(ENTRY.origin, 'default')).toBe(false);
  expect((await store.list()).map(({ profile }) => profile)).toEqual(['work']);
});

property.prop([fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })], { numRuns: 15 })(
  'G5: any origin and profile is stored exactly, and only found exactly',
  async (origin, profile) => {
    const store = openTokenStore(scratch(), storeWorld());
    await store.put(entry({ origin, profile }));
    expect(await store.get(origin, profile)).toEqual(entry({ origin, profile }));
    expect(await store.get(`${origin}.`, profile)).toBeUndefined();
  },
);

test.each(['https://a.b.c[0].example', 'https://[::1]:8080/x.y', '__proto__', 'https://bücher.example'])(
  'G5: %s is no path into an object',
  async (origin) => {
    const { store } = open();
    await store.put(entry({ origin }));
    expect((await store.get(origin, 'default'))?.origin).toBe(origin);
    expect(await store.get('https://a', 'default')).toBeUndefined();
  },
);

describe('G1: a damaged file', () => {
  const damaged: [string, string | Uint8Array][] = [
    ['not JSON', 'secret-token-1 is not JSON'],
    ['cut', VALID.slice(0, -9)],
    ['empty', ''],
    ['BOM', `\ufeff${VALID}`],
    ['null', 'null'],
    ['list', '[]'],
    ['text', '"secret-token-1"'],
    ['no version', '{"tokens":[]}'],
    ['tokens no list', '{"version":1,"tokens":{}}'],
    ['invalid UTF-8', Buffer.from(VALID.replace('mirror', 'm\xffr'), 'latin1')],
    ['wrong field', VALID.replace('"read:messages"', '7')],
    ['header injection', VALID.replace('secret-token-1', String.raw`secret\r\nX: 1`)],
    ['null entry', '{"version":1,"tokens":[null]}'],
    ['deep', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ];

  test.each(damaged)('%s: store fault without content, file untouched', async (_, content) => {
    const { store, path, folder } = open(content);
    for (const use of [
      () => store.get('a', 'b'),
      () => store.list(),
      () => store.put(ENTRY),
      () => store.remove('a', 'b'),
    ]) {
      await expect(use()).rejects.toMatchObject({
        kind: 'store',
        message: expect.not.stringContaining('secret'),
      });
    }
    expect(fs.readFileSync(path)).toEqual(Buffer.from(content));
    expect(fs.readdirSync(folder)).toEqual(['tokens.json']);
  });

  test.each(damaged)('%s: login keeps a 0600 copy and begins anew', async (_, content) => {
    const { store, folder, notices } = open(content);
    await store.put(ENTRY, { repair: true });
    expect(await store.list()).toEqual([ENTRY]);
    const copy = fs.readdirSync(folder).find((name) => name.startsWith('tokens.json.corrupt-2026')) ?? '';
    expect(fs.readFileSync(`${folder}/${copy}`)).toEqual(Buffer.from(content));
    expect(fs.statSync(`${folder}/${copy}`).mode & 0o777).toBe(0o600);
    expect(notices).toEqual([expect.stringContaining(copy)]);
  });
});

test.each([0o644, 0o666, 0o604])('G2: mode %o is mended with a notice', async (mode) => {
  const { store, path, folder, notices } = open(VALID);
  fs.chmodSync(path, mode);
  expect(await store.list()).toEqual([ENTRY]);
  expect(fs.statSync(path).mode & 0o777).toBe(0o600);
  expect(notices).toHaveLength(1);
  fs.chmodSync(folder, 0o755);
  await store.put(ENTRY);
  expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  expect(notices).toHaveLength(2);
});

describe('G3: what is not our regular file is neither read nor written', () => {
  const places: [string, (path: string) => void][] = [
    [
      'symbolic link',
      (path) => (fs.writeFileSync(`${path}.real`, VALID), fs.symlinkSync(`${path}.real`, path)),
    ],
    ['dangling link', (path) => fs.symlinkSync(`${path}.nowhere`, path)],
    ['FIFO', (path) => execFileSync('mkfifo', [path])],
    ['folder', (path) => fs.mkdirSync(path)],
    ['device link', (path) => fs.symlinkSync('/dev/zero', path)],
    ['5 MiB', (path) => fs.writeFileSync(path, Buffer.alloc(5 * 1024 * 1024), { mode: 0o600 })],
  ];
  test.each(places)('%s', async (_, make) => {
    const { store, path, folder } = open();
    make(path);
    const before = fs.lstatSync(path);
    const names = fs.readdirSync(folder);
    for (const use of [
      () => store.list(),
      () => store.put(ENTRY),
      () => store.put(ENTRY, { repair: true }),
    ]) {
      await expect(use()).rejects.toMatchObject({ kind: 'store' });
    }
    expect(fs.lstatSync(path)).toMatchObject({ ino: before.ino, mode: before.mode, mtimeMs: before.mtimeMs });
    expect(fs.readdirSync(folder)).toEqual(names);
  });

  test('another owner', async () => {
    const { folder, path } = open(VALID);
    const store = openTokenStore(folder, storeWorld({ uid: 12345 }));
    await expect(store.list()).rejects.toMatchObject({
      kind: 'store',
      message: expect.stringContaining('another user'),
    });
    await expect(store.put(ENTRY)).rejects.toMatchObject({ kind: 'store' });
    expect(fs.readFileSync(path, 'utf8')).toBe(VALID);
  });

  test('immutable', async ({ skip }) => {
    const { path, store, folder } = open(VALID);
    try {
      execFileSync('chattr', ['+i', path], { stdio: 'ignore' });
    } catch {
      skip('chattr +i is not possible here');
    }
    try {
      await expect(store.put(entry({ profile: 'x' }))).rejects.toMatchObject({ kind: 'store' });
      expect(await store.list()).toEqual([ENTRY]);
      expect(fs.readdirSync(folder)).toEqual(['tokens.json']);
    } finally {
      execFileSync('chattr', ['-i', path]);
    }
  });
});

test.skipIf(isRoot)(
  'G7, H5: a folder that may not be written: reads work, put is a store fault',
  async () => {
    const { folder, store } = open(VALID);
    fs.chmodSync(folder, 0o500);
    expect(await store.list()).toEqual([ENTRY]);
    await expect(store.put(ENTRY)).rejects.toMatchObject({ kind: 'store' });
    fs.chmodSync(folder, 0o700);
  },
);

test('a file where the folder should be is a store fault', async () => {
  const folder = `${scratch()}/file`;
  fs.writeFileSync(folder, '');
  const store = openTokenStore(folder, storeWorld());
  await expect(store.list()).rejects.toMatchObject({ kind: 'store' });
  await expect(store.put(ENTRY)).rejects.toMatchObject({ kind: 'store' });
});

test('G8: a store of a newer version is neither read nor repaired', async () => {
  const newer = '{"version":2,"vault":"…"}';
  const { store, path, folder } = open(newer);
  for (const use of [
    () => store.list(),
    () => store.put(ENTRY, { repair: true }),
    () => store.remove('a', 'b'),
  ]) {
    await expect(use()).rejects.toMatchObject({
      kind: 'store',
      message: expect.stringContaining('newer arx'),
    });
  }
  expect(fs.readFileSync(path, 'utf8')).toBe(newer);
  expect(fs.readdirSync(folder)).toEqual(['tokens.json']);
});

test('unknown fields of an entry survive a put of another', async () => {
  const { store, path } = open(JSON.stringify({ version: 1, tokens: [{ ...ENTRY, later: { a: 1 } }] }));
  await store.put(entry({ profile: 'work' }));
  expect(JSON.parse(fs.readFileSync(path, 'utf8')).tokens[0].later).toEqual({ a: 1 });
});
