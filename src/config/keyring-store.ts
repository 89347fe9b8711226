// Stores tokens in the keyring of the system, one item for each origin and profile of a config folder.
import { Fault } from '../faults.ts';
import { KEYRING_SERVICE } from './keyring-calls.ts';
import type { Keyring } from './keyring.ts';
import { parseEntry, type TokenEntry, type TokenStore } from './token-store.ts';

/** What the store is made from. */
export type KeyringStoreNeeds = {
  keyring: Keyring;
  /** The config folder. As with files, each has tokens of its own. */
  folder: string;
  /** The file store of the same folder: a token that it still has moves to the keyring when it is used. */
  file?: TokenStore;
};

/** Returns the store of a config folder. Nothing is loaded or read yet. */
export function openKeyringStore({ keyring, folder, file }: KeyringStoreNeeds): TokenStore {
  const accountOf = (origin: string, profile: string): string => JSON.stringify([folder, origin, profile]);
  const set = async (entry: TokenEntry): Promise<void> =>
    keyring.set(accountOf(entry.origin, entry.profile), JSON.stringify(entry));

  return {
    place: `the keyring of the system (service ${KEYRING_SERVICE})`,
    isRepairable: false,
    async get(origin, profile) {
      const text = await keyring.get(accountOf(origin, profile));
      const own = text === undefined ? undefined : parseEntry(text);
      if (text !== undefined && own === undefined)
        throw new Fault('store', `the token for ${origin} in the keyring of the system is damaged`, {
          kept: 'it was left as it is',
          hint: 'arx logout, then arx login',
        });
      const left = await file?.get(origin, profile);
      if (left === undefined) return own;
      if (own === undefined) await set(left);
      await file?.remove(origin, profile);
      return own ?? left;
    },
    async put(entry) {
      await set(entry);
      await file?.remove(entry.origin, entry.profile);
    },
    async remove(origin, profile) {
      const was = await keyring.remove(accountOf(origin, profile));
      return (await file?.remove(origin, profile)) === true || was;
    },
    async list() {
      const items = (await keyring.list()).filter(({ account }) => isOf(folder, account));
      const own = items.flatMap(({ text }) => parseEntry(text) ?? []);
      const isOwn = (left: TokenEntry): boolean =>
        own.some(({ origin, profile }) => origin === left.origin && profile === left.profile);
      return [...own, ...((await file?.list()) ?? []).filter((left) => !isOwn(left))];
    },
  };
}

/** Moves every token to another store. Each is in one of the two at every moment. Returns how many were moved. */
export async function moveTokens(from: TokenStore, to: TokenStore): Promise<number> {
  const entries = await from.list();
  for (const entry of entries) {
    await to.put(entry);
    await from.remove(entry.origin, entry.profile);
  }
  return entries.length;
}

function isOf(folder: string, account: string): boolean {
  try {
    const parts: unknown = JSON.parse(account);
    return Array.isArray(parts) && parts.length === 3 && parts[0] === folder;
  } catch {
    return false;
  }
}
