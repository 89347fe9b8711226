// Chooses the token that a command sends: given by the user, stored, renewed or, for the local archive, obtained on demand.
import { isWithin } from '../client/base-url.ts';
import { NoTokenFault } from '../client/no-token.ts';
import type { ReceivedToken, TokenRequest } from '../contract/access-token.ts';
import { Fault, type FaultKind } from '../faults.ts';
import { shellLine } from '../shell-words.ts';
import { isExpired, readClock } from './token-expiry.ts';
import { readInputFile, collectBytes } from './input-file.ts';
import type { Settings } from './settings.ts';
import type { TokenEntry, TokenStore } from './token-store.ts';

/** What a session reads and calls. */
export type SessionNeeds = {
  settings: Settings;
  store: TokenStore;
  /** Environment variables; ARX_TOKEN is read. */
  env: Readonly<Record<string, string | undefined>>;
  /** `--token-file`: a path, or `-` for the bytes of `stdin`. */
  tokenFile?: string;
  stdin: { bytes(): AsyncIterable<Uint8Array> };
  /** Ends the wait for a token file. */
  signal: AbortSignal;
  /** Requests a token (interface 4.1). `serverTime` is the Date header in milliseconds since the epoch. */
  login(request: TokenRequest): Promise<{ body: ReceivedToken; serverTime?: number }>;
  now(): number;
  notice(text: string): void;
};

/** A token and where it came from. */
export type Bearer = {
  token: string;
  source: 'environment' | 'token file' | 'store' | 'login';
  /** What is stored with it. Undefined for a token that the user gave. */
  entry?: TokenEntry;
};

/** The tokens of one run. */
export type Session = {
  /** The key under which its tokens are stored, see {@link tokenOrigin}. */
  readonly origin: string;
  /** Whether `--token-file` gives the token of this run. */
  readonly hasTokenFile: boolean;
  /**
   * Returns the token to send. Throws Fault 'auth' where there is none, 'usage' for one that a header cannot hold, and
   * 'store' where the token store cannot be read.
   */
  bearer(): Promise<Bearer>;
  /**
   * Returns the token that may be sent to an address. Below the base URL: as {@link Session.bearer}. Elsewhere only the one
   * from `--token-file`: ARX_TOKEN and stored tokens are for the base URL alone.
   */
  bearerFor(url: URL): Promise<Bearer | undefined>;
  /**
   * Call it after a 401. Returns whether {@link Session.bearer} may give another token now. A token that the user gave is
   * never replaced, and one obtained less than a minute ago is not requested again, unless the store has another one.
   */
  renew(): Promise<boolean>;
  /**
   * Lets {@link Session.bearer} choose again, as in a new run: the token of the store, else a new one. Returns whether it may give
   * another token now.
   */
  chooseAgain(): Promise<boolean>;
  /** Returns what to do where the service refuses the token. */
  hintAfterRefusal(): Promise<string>;
  /**
   * Call it with the tier that the service says it gives the token. Where that is news, it is stored. A notice says it once in each run
   * where it is not the tier of the token, or is again; not for every change of a service that goes on changing it.
   */
  tierGiven(tier: string): Promise<void>;
  /** Returns the tier that the service gave last in this run, else that of the token that was sent; undefined where none is known. */
  tier(): Promise<string | undefined>;
  /**
   * Requests a token and stores it; calls `beforeStored` between the two. Throws the service's Fault, and 'protocol' for a token that
   * has expired already.
   */
  login(request: TokenRequest, beforeStored?: () => void): Promise<TokenEntry>;
  /** Removes the stored token. Returns whether there was one. */
  logout(): Promise<boolean>;
  /** Returns all tokens that must never be written out: the given one, and the stored ones that can be read. */
  secrets(): Promise<string[]>;
  /** As {@link Session.secrets}, for messages: does not wait for standard input, and leaves out what cannot be read. */
  knownSecrets(): Promise<string[]>;
};

/** Returns the key of stored tokens: the base URL with its path, or `local:` and the data folder. */
export function tokenOrigin({ base_url: base, data_dir: data }: Settings): string {
  return base.value ?? `local:${data.value}`;
}

/** Returns the options of this run that name its service and profile, where they were given as options. */
export function serviceOptions({
  base_url: base,
  profile,
}: Pick<Settings, 'base_url' | 'profile'>): string[] {
  return [
    ...(base.origin === 'flag' && base.value !== undefined ? ['--base-url', base.value] : []),
    ...(profile.origin === 'flag' ? ['--profile', profile.value] : []),
  ];
}

/** Returns the `arx login` for the base URL and profile of this run. What came from a flag is repeated. */
export function loginCommand(settings: Settings): string {
  return ['arx login', ...serviceOptions(settings)].join(' ');
}

/** Returns {@link loginCommand} with these tiers, with a client id where there is one, and with `--use` where it was typed. */
export function loginWithTiers(
  settings: Settings,
  { client_id: client, observer_tier: observer, requested_tier: requested, use = false }: LoginWords,
): string {
  const id = client === undefined ? [] : ['--client-id', client];
  const isSame = observer === requested && settings.requested_tier.value === undefined;
  const tiers = ['--observer-tier', observer, ...(isSame ? [] : ['--requested-tier', requested])];
  return `${loginCommand(settings)} ${shellLine([...id, ...tiers, ...(use ? ['--use'] : [])])}`;
}

type LoginWords = Omit<TokenRequest, 'client_id'> & { client_id?: string | undefined; use?: boolean };

/** Returns the highest tier that a service gives: ours names it where it refuses a login. Undefined where another one refuses. */
export function highestTierIn({ message }: Fault): string | undefined {
  return / no scope above tier (external|internal)\b/.exec(message)?.[1];
}

/** A token obtained within this time is not replaced: a service that refuses it would refuse the next one. */
const MIN_RENEWAL_INTERVAL_MS = 60_000;

/** Kinds of a login that no later try would change. */
const NO_NEW_TOKEN: ReadonlySet<FaultKind> = new Set(['auth', 'forbidden', 'not_found', 'protocol']);

/** Returns the session of a run. It sends and reads nothing before {@link Session.bearer} is called. */
export function createSession(needs: SessionNeeds): Session {
  const { settings, store } = needs;
  const origin = tokenOrigin(settings);
  const profile = settings.profile.value;
  const local = settings.base_url.value === undefined;
  let current: Promise<Bearer> | undefined;
  let given: ReturnType<typeof readGivenToken> | undefined;
  let givenTier: string | undefined;
  /** The token to which that tier was given. */
  let givenTo: Promise<Bearer> | undefined;
  let tierChanges = 0;
  /** Read once, since it may be standard input. */
  const givenOnce = (): ReturnType<typeof readGivenToken> => (given ??= readGivenToken(needs));

  return {
    origin,
    hasTokenFile: needs.tokenFile !== undefined,
    async bearer() {
      const before = (current ??= choose());
      const { entry } = await before;
      // Many requests may find the same token expired. The first one replaces it for all.
      if (entry !== undefined && isExpired(entry, needs.now()) && current === before) current = choose();
      return current ?? before;
    },
    async bearerFor(url) {
      const base = settings.base_url.value;
      const own = base !== undefined && isWithin(url, new URL(base));
      return own || needs.tokenFile !== undefined ? this.bearer() : undefined;
    },
    async hintAfterRefusal() {
      const login = loginCommand(settings);
      const bearer = await (current ??= choose()).catch(() => undefined);
      if (bearer?.source === 'environment')
        return `ARX_TOKEN is not valid here, and is used in place of a stored token: unset it, then ${login}`;
      if (bearer?.source === 'token file')
        return `the token of --token-file is not valid here; without the option, ${login} gets one`;
      return login;
    },
    async renew() {
      const before = (current ??= choose());
      const bearer = await before;
      if (bearer.entry === undefined) return false;
      const age = needs.now() - Date.parse(bearer.entry.obtained_at);
      // A clock that was set back makes a token no newer.
      const isNew = bearer.source === 'login' && Math.abs(age) < MIN_RENEWAL_INTERVAL_MS;
      if (current === before) current = replacement(bearer, bearer.entry, isNew);
      await current;
      return true;
    },
    async chooseAgain() {
      if ((await givenOnce()) !== undefined) return false;
      current = undefined;
      return true;
    },
    async tierGiven(tier) {
      const before = current === givenTo ? givenTier : undefined;
      if (tier === before) return;
      givenTier = tier;
      givenTo = current;
      const { entry } = await (current ?? choose());
      if (entry === undefined || tierChanges >= MAX_TIER_CHANGES) return;
      const isNews = (before ?? tierOf(entry)) !== tier;
      // What a list has depends on the tier, so each run says once that it is another than that of the token.
      if (!isNews && (before !== undefined || tier === (entry.access_tier ?? tier))) return;
      tierChanges += 1;
      sayTier(entry, tier);
      if (isNews) await storeTier(entry, tier);
    },
    async tier() {
      const bearer = await current?.catch(() => undefined);
      return givenTier ?? (bearer?.entry === undefined ? undefined : tierOf(bearer.entry));
    },
    async login(request, beforeStored) {
      const entry = await obtain(request);
      beforeStored?.();
      await store.put(entry, { repair: true });
      current = Promise.resolve({ token: entry.access_token, source: 'login', entry });
      return entry;
    },
    async logout() {
      current = undefined;
      return store.remove(origin, profile);
    },
    async secrets() {
      const token = (await givenOnce())?.token;
      const stored = await store.list().catch((error: unknown) => {
        if (error instanceof Fault && error.kind === 'store') return [];
        throw error;
      });
      return allOf(token, stored);
    },
    async knownSecrets() {
      const isUnread = needs.tokenFile === '-' && given === undefined;
      const bearer = isUnread ? undefined : await givenOnce().catch(() => undefined);
      return allOf(bearer?.token, await store.list().catch(() => []));
    },
  };

  function allOf(token: string | undefined, stored: readonly TokenEntry[]): string[] {
    const environment = needs.env['ARX_TOKEN'] ?? '';
    return [token ?? '', environment, ...stored.map((entry) => entry.access_token)].filter(
      (text) => text !== '',
    );
  }

  async function choose(): Promise<Bearer> {
    const token = await givenOnce();
    if (token !== undefined) return token;
    const entry = await store.get(origin, profile);
    if (entry !== undefined && !isExpired(entry, needs.now())) {
      return { token: entry.access_token, source: 'store', entry };
    }
    if (entry !== undefined) return renewal(entry);
    if (!local) throw await withoutToken();
    return storeIfPossible(
      await obtain({
        client_id: settings.client_id.value ?? 'arx',
        observer_tier: settings.observer_tier.value ?? 'internal',
        requested_tier: settings.requested_tier.value ?? settings.observer_tier.value ?? 'internal',
      }),
    );
  }

  /** An address that only the environment names may not be meant by somebody who is logged in elsewhere: nothing is sent there. */
  async function withoutToken(): Promise<Fault> {
    const hint = loginCommand(settings);
    const isMoved = settings.base_url.origin === 'environment' && (await store.list()).length > 0;
    return isMoved ? new Fault('auth', `no token for ${origin}`, { hint }) : new NoTokenFault(origin, hint);
  }

  async function replacement(refused: Bearer, old: TokenEntry, isNew: boolean): Promise<Bearer> {
    const stored = await store.get(origin, profile);
    // Another process may have renewed it already.
    if (stored === undefined || stored.access_token === refused.token) return isNew ? refused : renewal(old);
    return { token: stored.access_token, source: 'store', entry: stored };
  }

  async function renewal(old: TokenEntry): Promise<Bearer> {
    const { client_id, observer_tier, requested_tier } = old;
    try {
      return await storeIfPossible(await obtain({ client_id, observer_tier, requested_tier }));
    } catch (error) {
      if (!(error instanceof Fault) || !NO_NEW_TOKEN.has(error.kind)) throw error;
      // Its status is not that of the answer to the request for which the token is needed.
      const { hint: _, status: __, ...detail } = error.detail;
      const tier = highestTierIn(error);
      const why = isExpired(old, needs.now()) ? `expired at ${old.expires_at}` : 'is no longer accepted';
      throw new Fault('auth', `token for ${origin} ${why} and was not renewed: ${error.message}`, {
        ...detail,
        hint:
          tier === undefined
            ? loginCommand(settings)
            : loginWithTiers(settings, { client_id, observer_tier: tier, requested_tier: tier }),
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
    // The local archive has our clock and sends no Date.
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

  function sayTier({ access_tier: tier }: TokenEntry, now: string): void {
    if (tier === undefined) return needs.notice(`the service gives tier ${now}`);
    needs.notice(
      now === tier
        ? `the service gives tier ${tier} again`
        : `the token is for tier ${tier}, and the service gives tier ${now} now`,
    );
  }

  /** Stores which tier the service gives a token, unless another process has replaced the token. */
  async function storeTier(
    { access_token: token, access_tier: tier }: TokenEntry,
    now: string,
  ): Promise<void> {
    const stored = await store.get(origin, profile);
    if (stored?.access_token !== token) return;
    const { given_tier: _, ...entry } = stored;
    await storeIfPossible(now === tier ? entry : { ...entry, given_tier: now });
  }

  /** A token that cannot be stored still serves this command. */
  async function storeIfPossible(entry: TokenEntry): Promise<Bearer> {
    try {
      await store.put(entry);
    } catch (error) {
      if (!(error instanceof Fault) || !['store', 'disk'].includes(error.kind)) throw error;
      needs.notice(`the token is used but not stored: ${error.message}`);
    }
    return { token: entry.access_token, source: 'login', entry };
  }
}

/** Returns the tier that the service gave a token last; undefined where it never said one. */
function tierOf({ access_tier: tier, given_tier: given }: TokenEntry): string | undefined {
  return given ?? tier;
}

/** A service is started again with another tier now and then; one that changes it with each answer must not fill the screen. */
const MAX_TIER_CHANGES = 4;

/** More than any token needs. */
const MAX_TOKEN_FILE_BYTES = 64 * 1024;

/** The token of `--token-file`, else of ARX_TOKEN (empty means unset). It is never stored. */
async function readGivenToken({ env, tokenFile, stdin, signal }: SessionNeeds): Promise<Bearer | undefined> {
  if (tokenFile !== undefined) {
    const what = `token file ${tokenFile}`;
    const bytes = tokenFile === '-' ? stdin.bytes() : readInputFile(tokenFile, what, signal);
    const text = (await collectBytes(bytes, MAX_TOKEN_FILE_BYTES)).toString('latin1');
    // Editors and echo add a line end. Other white space is an error.
    return { token: checked(text.replace(/\r?\n$/, ''), what), source: 'token file' };
  }
  const token = env['ARX_TOKEN'] ?? '';
  return token === '' ? undefined : { token: checked(token, 'ARX_TOKEN'), source: 'environment' };
}

/** Throws for a token that a header cannot hold (RFC 6750, section 2.1): only visible ASCII, no spaces. */
function checked(token: string, where: string): string {
  if (token === '') throw new Fault('usage', `${where} is empty`);
  if (token.length > 8192) throw new Fault('usage', `${where} is longer than a token can be`);
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Fault('usage', `${where} holds what no token can: a space, line break or non-ASCII character`);
}
