// The keyring of the system: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.
import { Fault } from '../faults.ts';

/** Texts by account, under one service name. Every method throws Fault 'store' where the keyring cannot be used. */
export type Keyring = {
  get(account: string): Promise<string | undefined>;
  set(account: string, text: string): Promise<void>;
  /** Returns whether there was one. */
  remove(account: string): Promise<boolean>;
  list(): Promise<{ account: string; text: string }[]>;
};

/** The name under which the keyring shows our items. */
export const KEYRING_SERVICE = 'arx';

type Package = Pick<typeof import('@napi-rs/keyring'), 'AsyncEntry' | 'findCredentialsAsync'>;

/**
 * Returns the keyring. The optional package is loaded at the first use. `signal` ends the wait for a user who is asked to
 * unlock it.
 */
export function openKeyring(
  signal: AbortSignal,
  load: () => Promise<Package> = async () => import('@napi-rs/keyring'),
): Keyring {
  const loaded = async (): Promise<Package> =>
    load().catch((cause: unknown) => {
      throw new Fault('store', 'the keyring needs the package @napi-rs/keyring, which is not installed', {
        hint: `npm install -g @napi-rs/keyring, or ${TO_FILE}`,
        cause,
      });
    });
  const use = async <T>(work: (of: Package) => Promise<T>): Promise<T> => {
    const found = await loaded();
    signal.throwIfAborted();
    let stop = (): void => {};
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([work(found), stopped]);
    } catch (error) {
      if (signal.aborted) throw error;
      throw unusable(error);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  // The kernel keyring of Linux is lost at the next start, so it is no substitute for the Secret Service.
  const entry = ({ AsyncEntry }: Package, account: string) =>
    new AsyncEntry(KEYRING_SERVICE, account, { linux: { store: 'secret-service' } });
  return {
    get: (account) => use(async (of) => (await entry(of, account).getPassword()) ?? undefined),
    set: (account, text) => use(async (of) => entry(of, account).setPassword(text)),
    remove: (account) => use(async (of) => entry(of, account).deleteCredential()),
    list: () =>
      use(async (of) =>
        (await of.findCredentialsAsync(KEYRING_SERVICE)).map(({ account, password }) => ({
          account,
          text: password,
        })),
      ),
  };
}

const TO_FILE = 'to use a file: arx config set token_store file';

/** Messages of the package name the cause, and never the text of an item. */
function unusable(error: unknown): Fault {
  const why = error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 300) : 'unknown error';
  return new Fault('store', `the keyring of the system cannot be used: ${why}`, {
    kept: 'nothing was stored elsewhere',
    hint: `unlock it, or start it in this session; ${TO_FILE}`,
    cause: error,
  });
}
