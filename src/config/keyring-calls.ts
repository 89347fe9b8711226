// What is asked of the keyring of the system, and the answers of its package.

/** One call. `text` is for `set`. */
export type KeyringCall = { of: 'get' | 'set' | 'remove' | 'list'; account?: string; text?: string };

/** What came of a call: its value, or why there is none. `isMissing`: the optional package is not installed. */
export type KeyringAnswer = { value: unknown } | { failure: string; isMissing?: boolean };

/** The name under which the keyring shows our items. */
export const KEYRING_SERVICE = 'arx';

type Package = Pick<typeof import('@napi-rs/keyring'), 'Entry' | 'findCredentials'>;

/** Makes a call by the optional package. It waits for the keyring, and for a user who is asked to unlock it. */
export async function answerCall(
  { of, account = '', text = '' }: KeyringCall,
  load: () => Promise<Package> = async () => import('@napi-rs/keyring'),
): Promise<KeyringAnswer> {
  let found: Package;
  try {
    found = await load();
  } catch (error) {
    return { failure: wordsOf(error), isMissing: true };
  }
  try {
    if (of === 'list')
      return {
        value: found
          .findCredentials(KEYRING_SERVICE)
          .map((item) => ({ account: item.account, text: item.password })),
      };
    // The kernel keyring of Linux is lost at the next start, so it is no substitute for the Secret Service.
    const entry = new found.Entry(KEYRING_SERVICE, account, { linux: { store: 'secret-service' } });
    if (of === 'get') return { value: entry.getPassword() };
    if (of === 'remove') return { value: entry.deleteCredential() };
    entry.setPassword(text);
    return { value: null };
  } catch (error) {
    return { failure: wordsOf(error) };
  }
}

/** Messages of the package name the cause, and never the text of an item. */
function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 300) : 'unknown error';
}
