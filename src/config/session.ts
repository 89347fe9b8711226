// Which token a command sends: given, stored, renewed or, for the local archive, obtained unasked.
import { isWithin } from '../client/base-url.ts';
import type { Token, TokenRequest } from '../contract/token.ts';
import { Fault } from '../faults.ts';
import { isExpired, readClock } from './expiry.ts';
import { bytesAt, wholeOf } from './given-file.ts';
import type { Settings } from './settings.ts';
import type { TokenEntry, TokenStore } from './token-store.ts';

export type SessionNeeds = {
  settings: Settings;
  store: TokenStore;
  /** ARX_TOKEN, where it is set. */
  env: Readonly<Record<string, string | undefined>>;
  /** `--token-file`: a path, or `-` for the bytes of `stdin`. */
  tokenFile?: string;
  stdin: { bytes(): AsyncIterable<Uint8Array> };
  /** Ends what waits for a token file. */
  signal: AbortSignal;
  /** Asks the service for a token (interface 4.1); `serverTime` is its Date in milliseconds. */
  login(request: TokenRequest): Promise<{ body: Token; serverTime?: number }>;
  now(): number;
  notice(text: string): void;
};

export type Bearer = {
  token: string;
  source: 'environment' | 'token file' | 'store' | 'login';
  /** What is known of it; nothing of a token that was given. */
  entry?: TokenEntry;
};

export type Session = {
  /** The key of its tokens, see {@link originOf}. */
  readonly origin: string;
  /** The token to send. Throws an auth Fault where there is none, usage for one that cannot travel, store as it is. */
  bearer(): Promise<Bearer>;
  /**
   * The token that may go to an address. Behind the base URL: as {@link Session.bearer}. Elsewhere none but what
   * `--token-file` gave on this command line: ARX_TOKEN and stored tokens are of the base URL.
   */
  bearerFor(url: URL): Promise<Bearer | undefined>;
  /**
   * After a 401: whether another try is worth it, with the token {@link Session.bearer} gives then. A given token is
   * never replaced, and one that was obtained less than a minute ago is not asked for again.
   */
  renew(): Promise<boolean>;
  /** Obtains a token and keeps it, in place of the one before. Throws what the service says; protocol if it is dead. */
  login(request: TokenRequest): Promise<TokenEntry>;
  /** Whether there was a token to forget. */
  logout(): Promise<boolean>;
  /** Tokens that must not be written anywhere: the given one, and all that are stored and can be read. */
  secrets(): Promise<string[]>;
};

/** The base URL with its path prefix, or `local:` and the data folder: a token is never used for another. */
export function originOf({ base_url: base, data_dir: data }: Settings): string {
  return base.value ?? `local:${data.value}`;
}

/** Milliseconds for which a token just obtained is not replaced: a service that refuses it would refuse the next. */
const NEW = 60_000;

/** A session of one run. Asks nothing and reads nothing before {@link Session.bearer}. */
export function createSession(needs: SessionNeeds): Session {
  const { settings, store } = needs;
  const origin = originOf(settings);
  const profile = settings.profile.value;
  const local = settings.base_url.value === undefined;
  let current: Promise<Bearer> | undefined;
  let given: ReturnType<typeof givenToken> | undefined;
  /** Standard input can be read once. */
  const once = (): ReturnType<typeof givenToken> => (given ??= givenToken(needs));

  return {
    origin,
    async bearer() {
      const before = (current ??= choose());
      const { entry } = await before;
      // Many requests may find the same token expired; the first replaces it for all.
      if (entry !== undefined && isExpired(entry, needs.now()) && current === before) current = choose();
      return current ?? before;
    },
    async bearerFor(url) {
      const base = settings.base_url.value;
      const own = base !== undefined && isWithin(url, new URL(base));
      return own || needs.tokenFile !== undefined ? this.bearer() : undefined;
    },
    async renew() {
      const before = (current ??= choose());
      const bearer = await before;
      if (bearer.entry === undefined) return false;
      const age = needs.now() - Date.parse(bearer.entry.obtained_at);
      const isNew = bearer.source === 'login' && age < NEW;
      if (current === before && !isNew) current = replacement(bearer.token, bearer.entry);
      await current;
      return true;
    },
    async login(request) {
      const entry = await obtain(request);
      await store.put(entry, { repair: true });
      current = Promise.resolve({ token: entry.access_token, source: 'login', entry });
      return entry;
    },
    async logout() {
      current = undefined;
      return store.remove(origin, profile);
    },
    async secrets() {
      const token = (await once())?.token;
      const stored = await store.list().catch((error: unknown) => {
        if (error instanceof Fault && error.kind === 'store') return [];
        throw error;
      });
      const environment = needs.env['ARX_TOKEN'] ?? '';
      return [token ?? '', environment, ...stored.map((entry) => entry.access_token)].filter(
        (text) => text !== '',
      );
    },
  };

  async function choose(): Promise<Bearer> {
    const token = await once();
    if (token !== undefined) return token;
    const entry = await store.get(origin, profile);
    if (entry !== undefined && !isExpired(entry, needs.now())) {
      return { token: entry.access_token, source: 'store', entry };
    }
    if (entry !== undefined) return renewal(entry);
    if (!local) throw new Fault('auth', `no token for ${origin}`, { hint: 'arx login' });
    return kept(
      await obtain({
        client_id: settings.client_id.value ?? 'arx',
        observer_tier: settings.observer_tier.value ?? 'internal',
        requested_tier: settings.requested_tier.value ?? settings.observer_tier.value ?? 'internal',
      }),
    );
  }

  async function replacement(refused: string, old: TokenEntry): Promise<Bearer> {
    const stored = await store.get(origin, profile);
    // Another process may have renewed it already.
    if (stored === undefined || stored.access_token === refused) return renewal(old);
    return { token: stored.access_token, source: 'store', entry: stored };
  }

  async function renewal(old: TokenEntry): Promise<Bearer> {
    const { client_id, observer_tier, requested_tier } = old;
    try {
      return await kept(await obtain({ client_id, observer_tier, requested_tier }));
    } catch (error) {
      if (!(error instanceof Fault) || !['auth', 'forbidden', 'protocol'].includes(error.kind)) throw error;
      const { hint: _, ...detail } = error.detail;
      const why = isExpired(old, needs.now()) ? `expired at ${old.expires_at}` : 'is no longer accepted';
      throw new Fault('auth', `token for ${origin} ${why} and was not renewed: ${error.message}`, {
        ...detail,
        hint: 'arx login',
        cause: error,
      });
    }
  }

  async function obtain(request: TokenRequest): Promise<TokenEntry> {
    const { body, serverTime } = await needs.login(request);
    const now = needs.now();
    const clock = readClock(serverTime, now, body.expires_at);
    if (clock.expired) {
      throw new Fault('protocol', `the service gave a token that had expired at ${body.expires_at}`, {
        kept: 'it was not stored',
      });
    }
    // In the same process there is one clock, and no Date to miss.
    if (clock.notice !== undefined && !local) needs.notice(clock.notice);
    return {
      origin,
      profile,
      access_token: body.access_token,
      expires_at: body.expires_at,
      scope: body.scope,
      access_tier: body.access_tier,
      issued_by: body.issued_by,
      timeline_offset_ms: body.timeline_offset_ms,
      session_drift_ms: body.session_drift_ms,
      source_integrity: body.source_integrity,
      ...request,
      obtained_at: new Date(now).toISOString(),
      clock_offset_ms: clock.offset,
    };
  }

  /** A token obtained in passing serves its command even where it cannot be stored. */
  async function kept(entry: TokenEntry): Promise<Bearer> {
    try {
      await store.put(entry);
    } catch (error) {
      if (!(error instanceof Fault) || !['store', 'disk'].includes(error.kind)) throw error;
      needs.notice(`the token is used but not kept: ${error.message}`);
    }
    return { token: entry.access_token, source: 'login', entry };
  }
}

/** More than any token has. */
const MOST_TOKEN_FILE_BYTES = 64 * 1024;

/** `--token-file`, else ARX_TOKEN (empty is unset). Never stored. */
async function givenToken({ env, tokenFile, stdin, signal }: SessionNeeds): Promise<Bearer | undefined> {
  if (tokenFile !== undefined) {
    const what = `token file ${tokenFile}`;
    const bytes = tokenFile === '-' ? stdin.bytes() : bytesAt(tokenFile, what, signal);
    const text = (await wholeOf(bytes, MOST_TOKEN_FILE_BYTES)).toString('latin1');
    // Editors and echo end a line; within it nothing is forgiven.
    return { token: checked(text.replace(/\r?\n$/, ''), what), source: 'token file' };
  }
  const token = env['ARX_TOKEN'] ?? '';
  return token === '' ? undefined : { token: checked(token, 'ARX_TOKEN'), source: 'environment' };
}

/** A token travels in a header (RFC 6750 2.1): visible ASCII, no spaces or line breaks. */
function checked(token: string, where: string): string {
  if (token === '') throw new Fault('usage', `${where} is empty`);
  if (token.length > 8192) throw new Fault('usage', `${where} is longer than a token can be`);
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Fault('usage', `${where} holds what no token can: a space, line break or non-ASCII character`);
}
