// The store of tokens by origin and profile, and its default: tokens.json, which several processes may change at once.
import { writeNewFile } from '../disk/atomic-file.ts';
import { Fault } from '../faults.ts';
import type { ReceivedToken } from '../contract/access-token.ts';
import { withLock, removeLeftovers } from './lock.ts';
import { readPrivate, replacePrivate, writeFault, type StoreWorld } from './private-file.ts';
import { parsePrivateJson } from './private-json.ts';

/**
 * A token as the service gave it (interface 2.3), its origin and profile, and the request that obtained it. `obtained_at` is
 * local time (ISO 8601, UTC). `clock_offset_ms` is the service's clock minus ours at that moment.
 */
export type TokenEntry = Pick<
  ReceivedToken,
  | 'access_token'
  | 'expires_at'
  | 'scope'
  | 'access_tier'
  | 'issued_by'
  | 'timeline_offset_ms'
  | 'session_drift_ms'
  | 'source_integrity'
> & {
  origin: string;
  profile: string;
  client_id: string;
  observer_tier: string;
  requested_tier: string;
  obtained_at: string;
  clock_offset_ms: number;
  /** The tier that the service gave the token last, where that is another one. */
  given_tier?: string;
};

/** Where tokens are stored: the file tokens.json or the keyring of the system. */
export type TokenStore = {
  /** Where they are, for people. */
  readonly place: string;
  /** Whether {@link TokenStore.put} with `repair` mends a damaged store. */
  readonly isRepairable: boolean;
  /** Returns the entry of this origin and profile. Creates no file. Throws Fault 'store'. */
  get(origin: string, profile: string): Promise<TokenEntry | undefined>;
  /**
   * Adds or replaces an entry; other entries are kept. The file is on the disk when it resolves. With `repair` a damaged file
   * is copied to `<path>.corrupt-<time>` and a new file is started. Throws Fault 'store' or 'disk'; nothing has changed then.
   */
  put(entry: TokenEntry, options?: { repair?: boolean }): Promise<void>;
  /** Removes an entry. Returns whether there was one. */
  remove(origin: string, profile: string): Promise<boolean>;
  list(): Promise<TokenEntry[]>;
};

const VERSION = 1;

/** Returns the path of the token file of a config folder. */
export function tokenFile(folder: string): string {
  return `${folder}/tokens.json`;
}

/** Returns the file store of a config folder. Opens no file yet. */
export function openTokenStore(folder: string, world: StoreWorld): TokenStore {
  const path = tokenFile(folder);
  const load = (): TokenEntry[] => {
    const bytes = readPrivate(path, world);
    return bytes === undefined ? [] : parseTokens(bytes, path);
  };
  const save = (tokens: TokenEntry[], identity: string): void => {
    const text = `${JSON.stringify({ version: VERSION, tokens }, null, 2)}\n`;
    replacePrivate(path, Buffer.from(text), identity);
  };
  const list = async (): Promise<TokenEntry[]> => {
    removeLeftovers(path, world);
    return load();
  };

  return {
    place: path,
    isRepairable: true,
    list,
    get: async (origin, profile) =>
      (await list()).find((entry) => entry.origin === origin && entry.profile === profile),
    put: (entry, { repair = false } = {}) =>
      withLock(path, world, (identity) => {
        const tokens = repair ? loadOrSetAside() : load();
        const index = tokens.findIndex((each) => isSame(each, entry));
        tokens.splice(index < 0 ? tokens.length : index, 1, entry);
        save(tokens, identity);
      }),
    remove: async (origin, profile) => {
      if ((await list()).length === 0) return false;
      return withLock(path, world, (identity) => {
        const tokens = load();
        const kept = tokens.filter((entry) => !isSame(entry, { origin, profile }));
        if (kept.length === tokens.length) return false;
        save(kept, identity);
        return true;
      });
    },
  };

  function loadOrSetAside(): TokenEntry[] {
    const bytes = readPrivate(path, world);
    if (bytes === undefined) return [];
    try {
      return parseTokens(bytes, path);
    } catch (error) {
      if (!(error instanceof DamagedStore)) throw error;
      const time = new Date(world.now()).toISOString().replaceAll(/[-:.]/g, '');
      const nonce = Buffer.from(world.randomBytes(3)).toString('hex');
      const copy = `${path}.corrupt-${time}-${nonce}`;
      try {
        writeNewFile(copy, bytes);
      } catch (cause) {
        throw writeFault(cause, copy);
      }
      world.notice(`the damaged token store was kept as ${copy}`);
      return [];
    }
  }
}

type Key = Pick<TokenEntry, 'origin' | 'profile'>;

function isSame(a: Key, b: Key): boolean {
  return a.origin === b.origin && a.profile === b.profile;
}

/** A store that may be set aside. A newer or foreign one is never touched. */
class DamagedStore extends Fault {
  constructor(path: string, what: string) {
    super('store', `token store ${path} is damaged: ${what}`, {
      kept: 'the file was left as it is',
      hint: 'arx login (keeps a copy of it and begins a new one)',
    });
  }
}

/** Returns the entries of a tokens.json, with their unknown fields. Throws Fault 'store', which never shows the content. */
export function parseTokens(bytes: Uint8Array, path: string): TokenEntry[] {
  let document: unknown;
  try {
    document = parsePrivateJson(bytes);
  } catch (error) {
    throw new DamagedStore(path, (error as SyntaxError).message);
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new DamagedStore(path, 'it is not a JSON object');
  }
  const { version, tokens } = document as { version?: unknown; tokens?: unknown };
  if (typeof version === 'number' && version > VERSION) {
    throw new Fault('store', `token store ${path} was written by a newer arx (version ${version})`, {
      kept: 'the file was left as it is',
      hint: 'update arx, or give ARX_CONFIG_DIR another folder',
    });
  }
  if (version !== VERSION) throw new DamagedStore(path, 'it has no version');
  if (!Array.isArray(tokens)) throw new DamagedStore(path, 'tokens is not a list');
  for (const [index, entry] of tokens.entries()) {
    const field = wrongField(entry);
    if (field !== undefined) throw new DamagedStore(path, `tokens[${index}].${field}`);
  }
  return tokens as TokenEntry[];
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isInteger = (value: unknown): boolean => Number.isSafeInteger(value);
const optional =
  (isRight: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || isRight(value);

/** Returns one entry from its JSON, undefined where it is none. */
export function parseEntry(text: string): TokenEntry | undefined {
  try {
    const entry = parsePrivateJson(Buffer.from(text));
    return wrongField(entry) === undefined ? (entry as TokenEntry) : undefined;
  } catch {
    return undefined;
  }
}

const FIELDS: Record<keyof TokenEntry, (value: unknown) => boolean> = {
  origin: isText,
  profile: isText,
  // A header must be able to hold it; see AccessToken in the contract.
  access_token: (value) => typeof value === 'string' && /^[\x21-\x7e]{1,8192}$/.test(value),
  expires_at: optional(isTime),
  scope: optional((value) => Array.isArray(value) && value.every(isText)),
  access_tier: optional(isText),
  issued_by: optional(isText),
  timeline_offset_ms: optional(isInteger),
  session_drift_ms: optional(isInteger),
  source_integrity: optional((value) => typeof value === 'number' && value >= 0 && value <= 1),
  client_id: isText,
  observer_tier: isText,
  requested_tier: isText,
  obtained_at: isTime,
  clock_offset_ms: isInteger,
  given_tier: optional(isText),
};

function wrongField(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return 'origin';
  return Object.entries(FIELDS).find(
    ([name, isRight]) => !isRight((entry as Record<string, unknown>)[name]),
  )?.[0];
}
