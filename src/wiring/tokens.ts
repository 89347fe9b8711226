// The token store of a run. The code of the keyring is loaded only where the settings name it, or tokens move.
import type { App } from '../app.ts';
import type { StoreWorld } from '../config/private-file.ts';
import type { TokenStore } from '../config/token-store.ts';
import type { World } from '../world.ts';

/** Returns the store that is named, and what moves all tokens to another one. */
export async function openTokens(
  store: 'file' | 'keyring',
  folder: string,
  storeWorld: StoreWorld,
  { runOwn }: World,
): Promise<Pick<App, 'tokens' | 'moveTokens'>> {
  const { openTokenStore } = await import('../config/token-store.ts');
  const file = openTokenStore(folder, storeWorld);
  const keyringWith = async (left?: TokenStore): Promise<TokenStore> => {
    const { openKeyring } = await import('../config/keyring.ts');
    const { openKeyringStore } = await import('../config/keyring-store.ts');
    const keyring = openKeyring(async (call) => runOwn('keyring-process', call));
    return openKeyringStore({ keyring, folder, ...(left === undefined ? {} : { file: left }) });
  };
  return {
    tokens: store === 'file' ? file : await keyringWith(file),
    moveTokens: async (to) => {
      const { moveTokens } = await import('../config/keyring-store.ts');
      const keyring = await keyringWith();
      // The keyring is asked first, also where there is nothing to move: it may not be there.
      await keyring.list();
      return to === 'keyring' ? moveTokens(file, keyring) : moveTokens(keyring, file);
    },
  };
}
