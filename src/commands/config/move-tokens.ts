// Moves stored tokens when the setting `token_store` changes, so that no copy is left in the other store.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';

/**
 * Moves all tokens to the store of this name, before the setting changes. Throws Fault 'store' where the keyring cannot be
 * used: then the setting must not name it. The way back to the file is open also then.
 */
export async function moveTokensTo(store: string, app: App): Promise<void> {
  if (store !== 'keyring' && store !== 'file') return;
  // The keyring is not loaded where it was not used.
  if (store === 'file' && app.settings.token_store.value === 'file') return;
  try {
    const moved = await app.moveTokens(store);
    const where = store === 'file' ? 'the file' : 'the keyring of the system';
    if (moved > 0) app.notice(`${plural(moved, 'token')} moved to ${where}`);
  } catch (error) {
    if (store === 'keyring' || !(error instanceof Fault) || error.kind !== 'store') throw error;
    app.notice(`tokens of the keyring were not moved: ${error.message}`);
  }
}
