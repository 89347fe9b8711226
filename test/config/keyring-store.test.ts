// Tokens in a keyring, which is an object in memory here; keyring.service.test.ts uses a real one.
import * as fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { answerCall, type KeyringCall } from '../../src/config/keyring-calls.ts';
import { openKeyring, type Keyring } from '../../src/config/keyring.ts';
import { moveTokens, openKeyringStore } from '../../src/config/keyring-store.ts';
import { openTokenStore } from '../../src/config/token-store.ts';
import { Fault } from '../../src/faults.ts';
import { entry, scratch, storeWorld } from './store-world.ts';

const ENTRY = entry();
const OTHER = entry({ profile: 'work', access_token: 'secret-token-2' });

/** A keyring in memory. */
function keyringOf(items = new Map<string, string>()): Keyring & { items: Map<string, string> } {
  return {
    items,
    get: async (account) => items.get(account),
    set: async (account, text) => void items.set(account, text),
    remove: async (account) => items.delete(account),
    list: async () => [...items].map(([account, text]) => ({ account, text })),
  };
}

function open() {
  const folder = scratch();
  fs.chmodSync(folder, 0o700);
  const file = openTokenStore(folder, storeWorld());
  const keyring = keyringOf();
  return { folder, file, keyring, store: openKeyringStore({ keyring, folder, file }) };
}

test('put, get, list and remove, without a file', async () => {
  const { folder, store } = open();
  expect(await store.get(ENTRY.origin, ENTRY.profile)).toBeUndefined();
  await store.put(ENTRY);
  await store.put(OTHER);
  expect(await store.get(ENTRY.origin, ENTRY.profile)).toEqual(ENTRY);
  expect(await store.list()).toEqual([ENTRY, OTHER]);
  expect(await store.remove(ENTRY.origin, ENTRY.profile)).toBe(true);
  expect(await store.remove(ENTRY.origin, ENTRY.profile)).toBe(false);
  expect(await store.list()).toEqual([OTHER]);
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('each config folder has its own, and items of others are left alone', async () => {
  const { keyring, store } = open();
  await store.put(ENTRY);
  keyring.items.set('not json', 'x').set('["/else","a","b"]', JSON.stringify(OTHER));
  const other = openKeyringStore({ keyring, folder: '/other' });
  expect(await other.list()).toEqual([]);
  expect(await other.get(ENTRY.origin, ENTRY.profile)).toBeUndefined();
  expect(await other.remove(ENTRY.origin, ENTRY.profile)).toBe(false);
  expect(await store.list()).toEqual([ENTRY]);
});

describe('a token that the file still has', () => {
  test('is listed, moves when it is read, and is in no file then', async () => {
    const { file, keyring, store } = open();
    await file.put(ENTRY);
    expect(await store.list()).toEqual([ENTRY]);
    expect(await store.get(ENTRY.origin, ENTRY.profile)).toEqual(ENTRY);
    expect(await file.list()).toEqual([]);
    expect([...keyring.items.values()]).toEqual([JSON.stringify(ENTRY)]);
  });

  test.each([
    ['put', { puts: true }],
    ['get', { puts: false }],
  ])('is removed by %s where the keyring has a newer one', async (_, { puts }) => {
    const { file, store } = open();
    const newer = entry({ access_token: 'secret-token-9' });
    if (!puts) await store.put(newer);
    await file.put(ENTRY);
    if (puts) await store.put(newer);
    expect(await store.list()).toEqual([newer]);
    expect(await store.get(ENTRY.origin, ENTRY.profile)).toEqual(newer);
    expect(await file.list()).toEqual([]);
  });

  test('is removed by remove', async () => {
    const { file, store } = open();
    await file.put(ENTRY);
    expect(await store.remove(ENTRY.origin, ENTRY.profile)).toBe(true);
    expect(await store.list()).toEqual([]);
    expect(await file.list()).toEqual([]);
  });
});

test('moving to and fro leaves no copy', async () => {
  const { folder, file, keyring } = open();
  const own = openKeyringStore({ keyring, folder });
  await file.put(ENTRY);
  await file.put(OTHER);
  expect(await moveTokens(file, own)).toBe(2);
  expect([await file.list(), await own.list()]).toEqual([[], [ENTRY, OTHER]]);
  expect(await moveTokens(own, file)).toBe(2);
  expect([await file.list(), await own.list(), keyring.items.size]).toEqual([[ENTRY, OTHER], [], 0]);
});

test('a token is in one of both stores at each failure of a move', async () => {
  const { folder, file, keyring } = open();
  await file.put(ENTRY);
  const full = openKeyringStore({
    folder,
    keyring: { ...keyring, set: async () => Promise.reject(new Fault('store', 'full')) },
  });
  await expect(moveTokens(file, full)).rejects.toThrow('full');
  expect(await file.list()).toEqual([ENTRY]);
});

test.each([['{'], ['{}'], ['{"__proto__":1}'], [JSON.stringify({ ...ENTRY, access_token: 'a b' })]])(
  'a damaged item %s: Fault store, which does not show it; a login replaces it',
  async (text) => {
    const { folder, keyring, store } = open();
    keyring.items.set(JSON.stringify([folder, ENTRY.origin, ENTRY.profile]), text);
    const failure: unknown = await store.get(ENTRY.origin, ENTRY.profile).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'store', detail: { hint: 'arx logout, then arx login' } });
    expect((failure as Fault).message).not.toContain('a b');
    expect(await store.list()).toEqual([]);
    expect(await store.remove(ENTRY.origin, ENTRY.profile)).toBe(true);
    await store.put(ENTRY);
    expect(await store.get(ENTRY.origin, ENTRY.profile)).toEqual(ENTRY);
  },
);

describe('the keyring of the system', () => {
  /** A keyring whose calls are made here, by this package. */
  const keyringOf = (load: () => Promise<unknown>) =>
    openKeyring(async (call) =>
      JSON.stringify(
        await answerCall(JSON.parse(call) as KeyringCall, load as Parameters<typeof answerCall>[1]),
      ),
    );

  test('texts are stored, listed and removed by account', async () => {
    const items = new Map<string, string>();
    class Entry {
      readonly account: string;
      constructor(_: string, account: string) {
        this.account = account;
      }
      getPassword = () => items.get(this.account) ?? null;
      setPassword = (text: string) => void items.set(this.account, text);
      deleteCredential = () => items.delete(this.account);
    }
    const findCredentials = () => Array.from(items, ([account, password]) => ({ account, password }));
    const keyring = keyringOf(async () => ({ Entry, findCredentials }));
    expect(await keyring.get('a')).toBeUndefined();
    await keyring.set('a', 'secret "1"\n');
    expect(await keyring.get('a')).toBe('secret "1"\n');
    expect(await keyring.list()).toEqual([{ account: 'a', text: 'secret "1"\n' }]);
    expect([await keyring.remove('a'), await keyring.remove('a')]).toEqual([true, false]);
  });

  test('without its package: Fault store with what to do', async () => {
    const keyring = keyringOf(async () => Promise.reject(new Error("Cannot find module '/secret'")));
    await expect(keyring.get('a')).rejects.toMatchObject({
      kind: 'store',
      message: 'the keyring needs the package @napi-rs/keyring, which is not installed',
      detail: { hint: expect.stringContaining('arx config set token_store file') },
    });
  });

  test('any failure is a Fault store that keeps to one line', async () => {
    class Entry {
      setPassword = (): void => {
        throw new Error('locked\n  by its user');
      };
    }
    await expect(keyringOf(async () => ({ Entry })).set('a', 'secret')).rejects.toMatchObject({
      kind: 'store',
      message: 'the keyring of the system cannot be used: locked by its user',
    });
    await expect(openKeyring(async () => '').get('a')).rejects.toMatchObject({ kind: 'store' });
  });
});
