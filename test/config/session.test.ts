// Which token is sent: given, stored, renewed or obtained unasked; never another origin's.
import * as fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { TokenRequest } from '../../src/contract/access-token.ts';
import { Fault } from '../../src/faults.ts';
import { createSession, tokenOrigin } from '../../src/config/session.ts';
import { resolveSettings } from '../../src/config/settings.ts';
import { openTokenStore } from '../../src/config/token-store.ts';
import { entry, NOW, scratch, storeWorld } from './store-world.ts';

const HOUR = 3_600_000;
const REMOTE = 'https://archive.example';
const at = (ms: number) => new Date(ms).toISOString();

function begun(
  options: { base?: string; env?: Record<string, string>; tokenFile?: string; typed?: string } = {},
) {
  const folder = scratch();
  const world = storeWorld();
  const store = openTokenStore(folder, world);
  const directories = { config: folder, data: '/data', cache: '' };
  const file = { path: '', values: {}, profiles: new Map() };
  const env = options.env ?? {};
  const flags = { baseUrl: options.base };
  const settings = resolveSettings({ flags, env, cwd: '/', directories, file });
  const asked: TokenRequest[] = [];
  const state = {
    now: NOW,
    serverTime: NOW as number | undefined,
    life: HOUR,
    refuse: undefined as Fault | undefined,
  };
  const session = createSession({
    settings,
    store,
    env,
    ...(options.tokenFile !== undefined && { tokenFile: options.tokenFile }),
    stdin: {
      bytes: async function* () {
        yield Buffer.from(options.typed ?? '');
      },
    },
    signal: new AbortController().signal,
    login: async (request) => {
      asked.push(request);
      if (state.refuse !== undefined) throw state.refuse;
      const token = {
        ...entry(),
        access_token: `new-${asked.length}`,
        expires_at: at((state.serverTime ?? state.now) + state.life),
      };
      return {
        body: token,
        ...(state.serverTime !== undefined && { serverTime: state.serverTime }),
      };
    },
    now: () => state.now,
    notice: world.notice,
  });
  return { session, store, asked, state, notices: world.notices, folder, settings };
}

test('the tier that the service gives is stored whenever it changes in a run, also for a new token', async () => {
  const { session, store, notices, asked } = begun({ base: REMOTE });
  await session.login({ client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' });
  const stored = async () => (await store.get(REMOTE, 'default'))?.given_tier;
  const { access_tier: tier } = (await session.bearer()).entry!;
  const lower = 'external';
  expect(tier).not.toBe(lower);
  await session.tierGiven(lower);
  expect(await stored()).toBe(lower);
  await session.tierGiven(tier!);
  expect(await stored()).toBeUndefined();
  await session.tierGiven(lower);
  await session.login({ client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' });
  expect(asked).toHaveLength(2);
  await session.tierGiven(lower);
  expect(await stored()).toBe(lower);
  const lowered = `the token is for tier ${tier}, and the service gives tier ${lower} now`;
  expect(notices).toEqual([lowered, `the service gives tier ${tier} again`, lowered, lowered]);
});

test('a service that gives another tier with each answer does not fill the screen', async () => {
  const { session, notices } = begun({ base: REMOTE });
  await session.login({ client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' });
  for (let at = 0; at < 20; at += 1) await session.tierGiven(at % 2 === 0 ? 'external' : 'internal');
  expect(notices).toHaveLength(4);
  expect(await session.tier()).toBe('internal');
});

describe('a given token', () => {
  test('G13: ARX_TOKEN is used, never saved, never renewed', async () => {
    const { session, asked, folder } = begun({ base: REMOTE, env: { ARX_TOKEN: 'given' } });
    expect(await session.bearer()).toEqual({ token: 'given', source: 'environment' });
    expect(await session.renew()).toBe(false);
    expect(asked).toEqual([]);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test.each(['a b', 'a\r\nX: 1', 'a\n', 'ä', '\u0000', 'a'.repeat(9000)])(
    'B14: %j is a usage fault that does not show it',
    async (token) => {
      const { session } = begun({ base: REMOTE, env: { ARX_TOKEN: token } });
      await expect(session.bearer()).rejects.toMatchObject({
        kind: 'usage',
        message: expect.not.stringContaining(token),
      });
    },
  );

  test.each(['tok\n', 'tok\r\n', 'tok'])('--token-file - reads %j, before ARX_TOKEN', async (typed) => {
    const { session } = begun({ base: REMOTE, env: { ARX_TOKEN: 'env' }, tokenFile: '-', typed });
    expect(await session.bearer()).toEqual({ token: 'tok', source: 'token file' });
  });

  test.each(['', '\n', 'tok\n\n', 'x'.repeat(70_000)])(
    'token file with %j is a usage fault',
    async (typed) => {
      const { session } = begun({ tokenFile: '-', typed });
      await expect(session.bearer()).rejects.toMatchObject({ kind: 'usage' });
    },
  );

  test('a token file that is not there is a usage fault', async () => {
    const { session } = begun({ tokenFile: '/nowhere/token' });
    await expect(session.bearer()).rejects.toMatchObject({
      kind: 'usage',
      message: 'cannot read token file /nowhere/token (no such file or folder)',
    });
  });
});

test.each([
  ['profile', { profile: 'work' }, 'arx login --profile work'],
  ['base URL', {}, 'arx login'],
] as const)('the hint of a missing token repeats only flags: %s', async (_, flags, hint) => {
  const { session, settings } = begun({ base: REMOTE });
  settings.base_url = { value: REMOTE, origin: 'environment' };
  if ('profile' in flags) settings.profile = { value: flags.profile, origin: 'flag' };
  await expect(session.bearer()).rejects.toMatchObject({ kind: 'auth', detail: { hint } });
});

test('remote without a token: auth fault, nothing asked', async () => {
  const { session, asked } = begun({ base: REMOTE });
  await expect(session.bearer()).rejects.toMatchObject({
    kind: 'auth',
    message: `no token for ${REMOTE}`,
    detail: { hint: `arx login --base-url ${REMOTE}` },
  });
  expect(asked).toEqual([]);
});

test.each([
  'https://archive.example:8443',
  'https://archive.example/other',
  'http://127.0.0.1',
  'https://archive.example.evil',
])('E11: the token of another origin is not used for %s', async (base) => {
  const { session, store } = begun({ base });
  await store.put(entry({ origin: REMOTE }));
  await expect(session.bearer()).rejects.toMatchObject({ kind: 'auth' });
});

test('the local archive logs itself in once and keeps the token by its folder', async () => {
  const { session, store, asked, settings } = begun();
  const [one, two] = await Promise.all([session.bearer(), session.bearer()]);
  expect(one).toMatchObject({ token: 'new-1', source: 'login' });
  expect(two).toBe(one);
  expect(asked).toEqual([{ client_id: 'arx', observer_tier: 'internal', requested_tier: 'internal' }]);
  expect(tokenOrigin(settings)).toBe('local:/data');
  expect((await store.get('local:/data', 'default'))?.access_token).toBe('new-1');
});

test('a stored token is used without asking; login replaces it, logout forgets it', async () => {
  const { session, store } = begun({ base: REMOTE });
  await store.put(entry());
  expect(await session.bearer()).toMatchObject({ token: 'secret-token-1', source: 'store' });
  await session.login({ client_id: 'me', observer_tier: 'external', requested_tier: 'external' });
  expect(await store.list()).toEqual([
    expect.objectContaining({ access_token: 'new-1', client_id: 'me', observer_tier: 'external' }),
  ]);
  expect(await session.logout()).toBe(true);
  expect(await session.logout()).toBe(false);
  await expect(session.bearer()).rejects.toMatchObject({ kind: 'auth' });
});

describe('an expired token', () => {
  const expired = entry({
    obtained_at: at(NOW - 2 * HOUR),
    expires_at: at(NOW - HOUR),
    client_id: 'me',
    observer_tier: 'external',
  });

  test('is renewed once with its own credentials and kept', async () => {
    const { session, store, asked, notices } = begun({ base: REMOTE });
    await store.put(expired);
    expect(await session.bearer()).toMatchObject({ token: 'new-1' });
    expect(asked).toEqual([{ client_id: 'me', observer_tier: 'external', requested_tier: 'internal' }]);
    expect((await store.list()).map(({ access_token }) => access_token)).toEqual(['new-1']);
    expect(notices).toEqual([]);
  });

  test('within a long run is renewed again, once for all requests', async () => {
    const { session, state, asked } = begun();
    await session.bearer();
    state.now = state.serverTime = NOW + 2 * HOUR;
    const bearers = await Promise.all([session.bearer(), session.bearer(), session.bearer()]);
    expect(bearers.map(({ token }) => token)).toEqual(['new-2', 'new-2', 'new-2']);
    expect(asked).toHaveLength(2);
  });

  test('L3: that is not renewed is an auth fault with the time', async () => {
    const { session, store, state } = begun({ base: REMOTE });
    await store.put(expired);
    state.refuse = new Fault('forbidden', 'no', { code: 'observer_not_permitted', request_id: 'req_1' });
    await expect(session.bearer()).rejects.toMatchObject({
      kind: 'auth',
      message: `token for ${REMOTE} expired at ${expired.expires_at} and was not renewed: no`,
      detail: { request_id: 'req_1', hint: `arx login --base-url ${REMOTE}` },
    });
    expect(await store.list()).toEqual([expired]);
  });

  test('the hint has the highest tier that the service gives now', async () => {
    const { session, store, state } = begun({ base: REMOTE });
    await store.put(expired);
    const why =
      'this service gives no scope above tier external; its operator can start it with --max-tier internal';
    state.refuse = new Fault('forbidden', why, { code: 'observer_not_permitted' });
    await expect(session.bearer()).rejects.toMatchObject({
      kind: 'auth',
      detail: {
        hint: `arx login --base-url ${REMOTE} --client-id ${expired.client_id} --observer-tier external`,
      },
    });
  });

  test('without a network the error names the network', async () => {
    const { session, store, state } = begun({ base: REMOTE });
    await store.put(expired);
    state.refuse = new Fault('network', 'cannot reach it');
    await expect(session.bearer()).rejects.toBe(state.refuse);
  });
});

describe('after a 401', () => {
  test('a refused token is renewed though the clock was set back since it was obtained', async () => {
    const { session, state, asked } = begun({ base: REMOTE });
    await session.login({ client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' });
    state.now -= 24 * HOUR;
    expect(await session.renew()).toBe(true);
    expect(asked).toHaveLength(2);
  });

  test('a stored token is renewed once for all requests, and not again within a minute', async () => {
    const { session, store, asked, state } = begun({ base: REMOTE });
    await store.put(entry());
    await session.bearer();
    expect(await Promise.all([session.renew(), session.renew()])).toEqual([true, true]);
    expect((await session.bearer()).token).toBe('new-1');
    await session.renew();
    expect(asked).toHaveLength(1);
    state.now += 120_000;
    await session.renew();
    expect(asked).toHaveLength(2);
  });

  test.each(['auth', 'forbidden', 'not_found', 'protocol'] as const)(
    'a login that fails with %s is an auth fault that names it',
    async (kind) => {
      const { session, store, state } = begun({ base: REMOTE });
      await store.put(entry());
      await session.bearer();
      state.refuse = new Fault(kind, 'the service has no logins at /api/auth/token', { status: 404 });
      const refused = expect(session.renew()).rejects;
      await refused.toMatchObject({
        kind: 'auth',
        message: `token for ${REMOTE} is no longer accepted and was not renewed: the service has no logins at /api/auth/token`,
      });
      await refused.not.toHaveProperty('detail.status');
    },
  );

  test('the token another process stored meanwhile is taken', async () => {
    const { session, store, asked } = begun({ base: REMOTE });
    await store.put(entry());
    await session.bearer();
    await store.put(entry({ access_token: 'theirs' }));
    expect(await session.renew()).toBe(true);
    expect((await session.bearer()).token).toBe('theirs');
    expect(asked).toEqual([]);
  });

  test('the token another process stored is taken also within a minute of a renewal', async () => {
    const { session, store, asked } = begun({ base: REMOTE });
    await store.put(entry());
    await session.renew();
    expect((await session.bearer()).token).toBe('new-1');
    await store.put(entry({ access_token: 'theirs' }));
    await session.renew();
    expect((await session.bearer()).token).toBe('theirs');
    expect(asked).toHaveLength(1);
  });

  test('a choice that failed is made again where that is asked for, and a given token is kept', async () => {
    const { session, store, state } = begun({ base: REMOTE });
    await store.put(entry());
    state.refuse = new Fault('network', 'cannot reach it');
    await expect(session.renew()).rejects.toBe(state.refuse);
    state.refuse = undefined;
    expect(await session.chooseAgain()).toBe(true);
    expect((await session.bearer()).source).toBe('store');
    await session.renew();
    expect((await session.bearer()).source).toBe('login');
    const given = begun({ base: REMOTE, env: { ARX_TOKEN: 'mine' } });
    expect(await given.session.chooseAgain()).toBe(false);
  });
});

test('L4: a token that is dead on arrival is a protocol fault and not stored', async () => {
  const { session, state, folder } = begun({ base: REMOTE });
  state.life = -1;
  const request = { client_id: 'a', observer_tier: 'b', requested_tier: 'c' };
  await expect(session.login(request)).rejects.toMatchObject({ kind: 'protocol' });
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('L1: a wrong clock is noticed at login and its offset kept; L6: a missing Date too', async () => {
  const { session, state, notices, store } = begun({ base: REMOTE });
  const request = { client_id: 'a', observer_tier: 'b', requested_tier: 'c' };
  state.serverTime = NOW - 2 * HOUR;
  await session.login(request);
  expect(notices.pop()).toMatch('your clock is off by 2 h (ahead)');
  expect((await store.list())[0]?.clock_offset_ms).toBe(-2 * HOUR);
  state.serverTime = undefined;
  await session.login(request);
  expect(notices.pop()).toMatch('no usable Date');
});

test('G1, G7: where it cannot be stored, login fails and a command goes on with a notice', async () => {
  const { session, folder, notices } = begun();
  fs.mkdirSync(`${folder}/tokens.json.lock`);
  expect(await session.bearer()).toMatchObject({ token: 'new-1' });
  expect(notices).toEqual([expect.stringContaining('used but not stored')]);
  const request = { client_id: 'a', observer_tier: 'b', requested_tier: 'c' };
  await expect(session.login(request)).rejects.toMatchObject({ kind: 'store' });
});
