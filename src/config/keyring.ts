// The keyring of the system: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.
import { Fault } from '../faults.ts';
import type { KeyringAnswer, KeyringCall } from './keyring-calls.ts';

/** Texts by account, under one service name. Every method throws Fault 'store' where the keyring cannot be used. */
export type Keyring = {
  get(account: string): Promise<string | undefined>;
  set(account: string, text: string): Promise<void>;
  /** Returns whether there was one. */
  remove(account: string): Promise<boolean>;
  list(): Promise<{ account: string; text: string }[]>;
};

/**
 * Returns the keyring. `answerOf` runs a call in a process of its own and returns what that wrote; it rejects when the run is
 * interrupted.
 */
export function openKeyring(answerOf: (call: string) => Promise<string>): Keyring {
  const use = async (call: KeyringCall): Promise<unknown> => {
    const written = await answerOf(JSON.stringify(call));
    const answer: KeyringAnswer =
      written === '' ? { failure: 'its process ended early' } : (JSON.parse(written) as KeyringAnswer);
    if ('value' in answer) return answer.value;
    if (answer.isMissing === true)
      throw new Fault('store', 'the keyring needs the package @napi-rs/keyring, which is not installed', {
        hint: `npm install -g @napi-rs/keyring, or ${TO_FILE}`,
      });
    throw new Fault('store', `the keyring of the system cannot be used: ${answer.failure}`, {
      kept: 'nothing was stored elsewhere',
      hint: `unlock it, or start it in this session; ${TO_FILE}`,
    });
  };
  return {
    get: async (account) => ((await use({ of: 'get', account })) as string | null) ?? undefined,
    set: async (account, text) => void (await use({ of: 'set', account, text })),
    remove: async (account) => (await use({ of: 'remove', account })) === true,
    list: async () => (await use({ of: 'list' })) as { account: string; text: string }[],
  };
}

const TO_FILE = 'to use a file: arx config set token_store file';
