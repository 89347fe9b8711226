// `arx login`: obtains a token for this service and profile and stores it in place of the earlier one.
import * as z from 'zod';
import type { App } from '../app.ts';
import {
  highestTierIn,
  loginCommand,
  loginWithTiers,
  serviceOptions,
  type Session,
} from '../config/session.ts';
import type { Setting } from '../config/settings.ts';
import { setSetting } from '../config/settings-file.ts';
import type { TokenEntry } from '../config/token-store.ts';
import type { TokenRequest } from '../contract/access-token.ts';
import { TIERS } from '../contract/tier.ts';
import { Fault } from '../faults.ts';
import { shellLine, shellWord } from '../shell-words.ts';
import { escapeText } from '../format/terminal/escape.ts';
import { identityView } from '../format/views/index.ts';
import { namedProfile, useAlways } from '../wiring/no-archive.ts';
import { openLocalArchive } from './archive/local-archive.ts';
import { askGivenTier, askName, askTier, askUse, meantTier } from './login/questions.ts';
import { identityOf } from './whoami.ts';

// Its three other options are also settings, so their values are in app.settings.
export const Input = z.object({ use: z.boolean().default(false) });

/** Runs `arx login`. */
export async function run({ use }: z.infer<typeof Input>, app: App): Promise<void> {
  if (use && !app.isRemote) throw new Fault('usage', '--use goes with --base-url URL');
  const session = await app.session();
  if (session.hasTokenFile)
    throw new Fault('usage', 'arx login gets a token of its own, and takes none from --token-file', {
      hint: 'leave it out; or without a login: --token-file FILE with each other command',
    });
  // A keyring that cannot be used, or no archive, is found out before anything is asked or sent.
  if (!app.isRemote) await openLocalArchive(app);
  // With --offline nothing can be sent.
  else await app.apiTransport();
  const last = await lastLogin(app);
  const request = app.mayAsk ? await askedRequest(last, app) : givenRequest(use, app);
  const entry = await loggedIn(request, { session, last, use, app });
  sayUnknown(entry, app);
  await app.printer.record(identityView, identityOf(entry, app));
  await chooseService(use, app);
}

/** Says what the service left out of which later commands depend. */
function sayUnknown({ access_tier: tier, expires_at: end }: TokenEntry, app: Pick<App, 'notice'>): void {
  const isOpen = end === undefined;
  if (tier === undefined)
    app.notice(`the service does not say the tier of the token${isOpen ? ', nor when it ends' : ''}`);
  else if (isOpen) app.notice('the service does not say when the token ends');
}

function storedIn({ tokens }: App): string {
  return `tokens are stored in ${tokens.place}`;
}

const NOT_STORED = 'no token was stored';

/** A tier is asked for this often before the command gives up. */
const MAX_TIERS = 3;

/**
 * Logs in. On a terminal a typed tier that the service refuses is asked for again, with the other answers kept; after any other
 * failure the answers are shown as a command. Throws the Faults of the service.
 */
async function loggedIn(
  first: TokenRequest,
  { session, last, use, app }: { session: Session; last: TokenEntry | undefined; use: boolean; app: App },
): Promise<TokenEntry> {
  const { observer_tier, requested_tier } = app.settings;
  const isTyped = app.mayAsk && observer_tier.value === undefined && requested_tier.value === undefined;
  let tier: string | undefined;
  for (let tries = 1; ; tries += 1) {
    const request = tier === undefined ? first : { ...first, observer_tier: tier, requested_tier: tier };
    try {
      return await session.login(request, () => {
        if (!app.mayAsk) app.notice(storedIn(app));
      });
    } catch (error) {
      const failure = withAnswers(tierHinted(error, { ...request, use }, app), { ...request, use }, app);
      if (!isTyped || tries === MAX_TIERS || !(error instanceof Fault) || !isAboutTier(error)) throw failure;
      await app.world.stderr.write(`${escapeText(error.message)}\n`);
      tier = await askTier(app, last).catch((ended: unknown) => {
        // The failure stands on the screen already.
        const isInterrupted = ended instanceof Fault && ended.kind === 'interrupted';
        throw isInterrupted
          ? new Fault(ended.kind, ended.message, { ...ended.detail, kept: NOT_STORED })
          : failure;
      });
    }
  }
}

/** Returns whether another tier may be granted: this one is refused, or the service has none of this name. */
function isAboutTier({ kind, message }: Fault): boolean {
  return kind === 'forbidden' || (kind === 'usage' && /\b(?:observer|requested)_tier\b/.test(message));
}

/** A request, and whether its service becomes the one in use. */
type UsedRequest = TokenRequest & { use: boolean };

/** Adds the command that gives the answers again, where some were asked for. */
function withAnswers(error: unknown, request: UsedRequest, { mayAsk, settings, isRemote }: App): unknown {
  const { client_id, observer_tier } = settings;
  const isAsked = client_id.value === undefined || observer_tier.value === undefined;
  if (!(error instanceof Fault) || error.kind === 'interrupted' || !mayAsk || !isRemote || !isAsked)
    return error;
  const words = [
    'arx',
    'login',
    ...serviceOptions(settings),
    '--client-id',
    request.client_id,
    '--observer-tier',
    request.observer_tier,
    ...(request.use ? ['--use'] : []),
  ];
  return new Fault(error.kind, error.message, {
    ...error.detail,
    kept: `the answers, for another try: ${shellLine(words)}`,
  });
}

const LOWEST_TIER = 'external';

/** The owner of the local archive need not say who they are. */
const OWNER = { client: 'arx', tier: 'internal' };

/**
 * Returns the request of the options and settings. The requested tier is that of the observer unless it is given. Throws Fault
 * 'usage', which names everything that is missing.
 */
function givenRequest(use: boolean, app: App): TokenRequest {
  const { client_id, observer_tier, requested_tier } = app.settings;
  if (app.isRemote) refuseMissing({ client_id, observer_tier }, use, app);
  const observer = observer_tier.value ?? OWNER.tier;
  return {
    client_id: client_id.value ?? OWNER.client,
    observer_tier: observer,
    requested_tier: requested_tier.value ?? observer,
  };
}

/** Says where the login goes and where the token will be, then asks for what is missing. */
async function askedRequest(last: TokenEntry | undefined, app: App): Promise<TokenRequest> {
  const { client_id, observer_tier, requested_tier, profile } = app.settings;
  const where = app.settings.base_url.value ?? `the local archive in ${app.directories.data}`;
  const lines = [`log in to ${where}, profile ${profile.value}`, storedIn(app)];
  await app.world.stderr.write(lines.map((text) => `${escapeText(text)}\n`).join(''));
  const isGiven = [client_id, observer_tier, requested_tier].some(({ value }) => value !== undefined);
  const owner = !app.isRemote && isGiven ? OWNER : undefined;
  const observer = await givenTier(app, 'observer_tier');
  const requested = await givenTier(app, 'requested_tier');
  const client = client_id.value ?? owner?.client ?? (await askName(app, last));
  const tier = observer ?? owner?.tier ?? (await askTier(app, last));
  return { client_id: client, observer_tier: tier, requested_tier: requested ?? tier };
}

/** Returns the tier of an option or setting. One that was just typed may have a typing error. */
async function givenTier(app: App, key: 'observer_tier' | 'requested_tier'): Promise<string | undefined> {
  const { value, origin } = app.settings[key];
  if (value === undefined || origin !== 'flag') return value;
  return askGivenTier(app, value, `--${key.replace('_', '-')}`);
}

/** Returns the login that this one replaces. */
async function lastLogin(app: App): Promise<TokenEntry | undefined> {
  const { origin } = await app.session();
  return app.tokens.get(origin, app.settings.profile.value).catch((error: unknown) => {
    // A damaged file is repaired when the token is stored.
    if (app.tokens.isRepairable && error instanceof Fault && error.kind === 'store') return undefined;
    throw error;
  });
}

/** Names the tier that was probably meant, or the lowest one where another one was refused. */
function tierHinted(error: unknown, request: UsedRequest, app: App): unknown {
  const { observer_tier: observer, requested_tier: requested, use } = request;
  if (!(error instanceof Fault) || !isAboutTier(error)) return error;
  if (error.kind === 'usage') {
    const [observerMeant, requestedMeant] = [meantTier(observer), meantTier(requested)];
    if (observerMeant === undefined && requestedMeant === undefined) return error;
    const meant = { observer_tier: observerMeant ?? observer, requested_tier: requestedMeant ?? requested };
    const hint = `did you mean: ${withTiers({ ...meant, use }, app)}`;
    return new Fault(error.kind, error.message, { ...error.detail, hint });
  }
  if (observer === LOWEST_TIER && requested === LOWEST_TIER) return error;
  const [observerRank, requestedRank] = [observer, requested].map((tier) =>
    TIERS.findIndex((known) => known === tier),
  );
  // No login may give a token more than its observer may read.
  const isAboveObserver = observerRank! >= 0 && requestedRank! > observerRank!;
  const tier = highestTierIn(error) ?? (isAboveObserver ? requested : LOWEST_TIER);
  return new Fault(error.kind, error.message, {
    ...error.detail,
    hint: withTiers({ observer_tier: tier, requested_tier: tier, use }, app),
  });
}

/** Returns the login with these tiers, and with the client id if that was given as an option. */
function withTiers(words: Omit<UsedRequest, 'client_id'>, { settings }: App): string {
  const { value, origin } = settings.client_id;
  return loginWithTiers(settings, { ...words, client_id: origin === 'flag' ? value : undefined });
}

/**
 * Makes the service of `--base-url` the one that later commands read: with `--use`, or where the user agrees after other
 * questions were asked. Else says on a terminal how to do it: an address that was only typed is not that of the next command.
 */
async function chooseService(use: boolean, app: App): Promise<void> {
  const { base_url: base, profile, client_id, observer_tier } = app.settings;
  const url = base.value;
  const inUse = savedBaseUrl(app);
  if (url === undefined || url === inUse || (base.origin !== 'flag' && !use)) return;
  const wasAsked = app.mayAsk && (client_id.value === undefined || observer_tier.value === undefined);
  if (use || (wasAsked && (await askUse(app, url, inUse)))) {
    await setSetting(app.directories.config, 'base_url', url, namedProfile(profile), app.storeWorld);
    app.notice(`commands now read ${url}, profile ${profile.value}; with --local, the local archive`);
  } else if (app.mayAsk)
    app.notice(
      `for one command: --base-url ${shellWord(url)}; for all that follow: ${useAlways(url, profile)}`,
    );
}

/** Returns the base URL of the settings file for this profile. */
function savedBaseUrl({ settings, settingsFile: { profiles, values } }: App): string | undefined {
  const own = profiles.get(settings.profile.value)?.['base_url'] ?? values['base_url'];
  return typeof own === 'string' ? own : undefined;
}

function refuseMissing(
  given: Record<'client_id' | 'observer_tier', Setting<string | undefined>>,
  use: boolean,
  app: App,
): void {
  const { client_id, observer_tier } = given;
  const missing = Object.entries(given).flatMap(([key, { value }]) =>
    value === undefined ? [`--${key.replace('_', '-')}`] : [],
  );
  if (missing.length === 0) return;
  const words = [
    '--client-id',
    client_id.value ?? 'NAME',
    '--observer-tier',
    observer_tier.value ?? LOWEST_TIER,
    ...(use ? ['--use'] : []),
  ];
  throw new Fault(
    'usage',
    `${missing.join(', ')} missing, and there is no terminal to ask on; no password is asked for`,
    {
      hint: `${loginCommand(app.settings)} ${shellLine(words)}; or without a login: --token-file FILE with each other command, or ARX_TOKEN`,
    },
  );
}
