// Authentication: tokens, tiers and scopes (interface 5, group N).
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ErrorCode } from '../../../src/contract/error.ts';
import { ROUTES, type RouteName } from '../../../src/contract/routes.ts';
import type { Service } from '../../../src/contract/exchange.ts';
import type { Tier } from '../../../src/contract/tier.ts';
import { createService } from '../../../src/service/index.ts';
import { ASSET_URL, sampleArchive, tokenFor } from '../../support/archive.ts';
import { askedByTier, type Asked } from '../../support/asked.ts';
import { call, type CallOptions } from '../../support/call.ts';
import { expectApiError, PATHS } from '../../support/reply.ts';
import { sha256Of } from '../../support/digest.ts';

let sample: Asked['sample'];
let tokens: Asked['tokens'];
let ask: Asked['ask'];
beforeAll(async () => {
  ({ sample, tokens, ask } = await askedByTier());
});
afterAll(() => sample.close());

const GUARDED = (Object.keys(ROUTES) as RouteName[]).filter((name) => ROUTES[name].scope !== null);

describe('N: authentication', () => {
  const bad: [string, (token: string) => CallOptions['headers'] | undefined][] = [
    ['no header', () => []],
    ['only the scheme', () => [['authorization', 'Bearer']]],
    ['scheme and space', () => [['authorization', 'Bearer ']]],
    ['bearer x', () => [['authorization', 'bearer x']]],
    ['Basic', (token) => [['authorization', `Basic ${token}`]]],
    ['token alone', (token) => [['authorization', token]]],
    [
      'two headers',
      (token) => [
        ['authorization', `Bearer ${token}`],
        ['authorization', `Bearer ${token}`],
      ],
    ],
    ['two in one', (token) => [['authorization', `Bearer ${token}, Bearer ${token}`]]],
    ['cookie', (token) => [['cookie', `access_token=${token}`]]],
    ['one letter more', (token) => [['authorization', `Bearer ${token}x`]]],
    ['one letter less', (token) => [['authorization', `Bearer ${token.slice(0, -1)}`]]],
  ];
  test.each(bad)('N1 %s: 401 with the same text everywhere', async (_, headersOf) => {
    const headers = headersOf(tokens.internal)!;
    const words = new Set<string>();
    for (const name of GUARDED) {
      const options = ROUTES[name].method === 'POST' ? { body: {} } : {};
      const answer = await call(sample.service, PATHS[name], { headers, ...options });
      expectApiError(answer, 'token_invalid');
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
      words.add(answer.json.error.message);
    }
    expect([...words]).toEqual(['this needs a valid bearer token']);
  });

  test('N1 token in query or body: 401', async () => {
    const query = `?access_token=${tokens.internal}&token=${tokens.internal}`;
    expectApiError(await call(sample.service, `/messages${query}`), 'token_invalid');
    const body = { id: 'x', type: 'mirror.detected', payload: { layer: 'x' }, access_token: tokens.internal };
    expectApiError(await call(sample.service, '/api/webhooks/ingest', { body }), 'token_invalid');
  });

  describe('a token that is older than a lower ceiling of the service', () => {
    const TARGETS = [
      '/v1/attachments?limit=500',
      '/v1/attachments/att_7',
      '/v1/conversations?limit=500',
      '/v1/conversations/conv_1',
      '/messages?limit=500',
      ...Array.from({ length: 12 }, (_, n) => `/api/content/msg_${n + 1}?view=raw`),
      '/v1/search?q=the',
      '/api/sequence/arc_reconstruction',
      '/api/sequence/mirror_relay',
      '/v1/events',
    ];
    const answersOf = async (service: Service, token: string) => {
      const answers: unknown[] = [];
      for (const target of TARGETS) {
        const { status, headers, text } = await call(service, target, { token });
        const id = /req_[0-9a-f]{24}/g;
        answers.push([target, status, { ...headers, 'x-request-id': '', date: '' }, text.replaceAll(id, '')]);
      }
      return answers;
    };

    test.each<[token: Tier, ceiling: Tier, owner?: Tier]>([
      ['mirror', 'internal'],
      ['mirror', 'external'],
      ['internal', 'external'],
      ['mirror', 'external', 'internal'],
    ])(
      '%s where %s is the highest tier (of the owner: %s) reads what that tier reads',
      async (tier, maxTier, owner) => {
        const secret = 'of the owner';
        const service = createService(sample.archive, {
          assetUrl: ASSET_URL,
          version: '0',
          maxTier,
          ...(owner === undefined ? {} : { owner: { secret, maxTier: owner } }),
        });
        const before = await answersOf(sample.service, tokens[tier]);
        const answers = await answersOf(service, tokens[tier]);
        expect(answers).toEqual(await answersOf(service, tokens[owner ?? maxTier]));
        expect(answers).not.toEqual(before);
        const body = { id: 'evt_ceiling', type: 'mirror.detected', payload: { layer: 'x' } };
        const sent = await call(service, '/api/webhooks/ingest', { token: tokens[tier], body });
        if ((owner ?? maxTier) === 'external') expectApiError(sent, 'scope_missing');
        else expect(sent.status).toBe(200);
      },
    );

    test('reads as before where the ceiling is its own tier or higher', async () => {
      const service = createService(sample.archive, {
        assetUrl: ASSET_URL,
        version: '0',
        maxTier: 'internal',
      });
      for (const tier of ['external', 'internal'] as const)
        expect(await answersOf(service, tokens[tier])).toEqual(await answersOf(sample.service, tokens[tier]));
    });
  });

  test('the scheme may be of any case', async () => {
    const headers = [['authorization', `bEARER  ${tokens.internal}`] as const];
    expect((await call(sample.service, '/messages', { headers })).status).toBe(206);
  });

  test('N2 guesses are limited for each peer, valid tokens and the local peer are not', async () => {
    const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0' });
    const guess = (peer: string) => call(service, '/messages', { token: 'arx_guess', peer });
    for (let n = 0; n < 300; n += 1) expectApiError(await guess('10.0.0.1'), 'token_invalid');
    const limited = await guess('10.0.0.1');
    expectApiError(limited, 'rate_limited');
    expect(Number(limited.headers['retry-after'])).toBe(60);
    expectApiError(await guess('10.0.0.2'), 'token_invalid');
    const valid = await call(service, '/messages', { token: tokens.mirror, peer: '10.0.0.1' });
    expect(valid.status).toBe(200);
  });

  test('N2 of many guesses none is right, and all get the same response', async () => {
    // A million, scaled: near ones, lengths, and drawn ones.
    const own = tokens.internal;
    const guesses = [
      ...Array.from(own, (_, at) => own.slice(0, at) + (own[at] === 'A' ? 'B' : 'A') + own.slice(at + 1)),
      ...Array.from(own, (_, at) => own.slice(0, at + 1)).slice(0, -1),
      `${own}A`,
      own.toUpperCase(),
      sha256Of(own),
      ...Array.from({ length: 3_000 }, () => `arx_${randomBytes(32).toString('base64url')}`),
    ];
    const errors = new Set<string>();
    for (const token of guesses) {
      const { status, json } = await call(sample.service, '/messages', { token });
      errors.add(JSON.stringify([status, json.error.code, json.error.message]));
    }
    expect([...errors]).toEqual([JSON.stringify([401, 'token_invalid', 'this needs a valid bearer token'])]);
  });

  test('tokens are limited for each peer, refused requests and the local peer are not', async () => {
    const service = createService(sample.archive, { assetUrl: ASSET_URL, version: '0' });
    const body = { client_id: 'c', observer_tier: 'external', requested_tier: 'external' };
    const issue = (peer: string, more = {}) =>
      call(service, '/api/auth/token', { body: { ...body, ...more }, peer });
    for (let n = 0; n < 70; n += 1) {
      expectApiError(await issue('10.0.0.1', { requested_tier: 'mirror' }), 'observer_not_permitted');
    }
    for (let n = 0; n < 60; n += 1) expect((await issue('10.0.0.1')).status).toBe(200);
    const limited = await issue('10.0.0.1');
    expectApiError(limited, 'rate_limited');
    expect(limited.headers['retry-after']).toBe('60');
    expect((await issue('10.0.0.2')).status).toBe(200);
    for (let n = 0; n < 61; n += 1) expect((await issue('local')).status).toBe(200);
  });

  test('a web page of another origin gets no token', async () => {
    const body = { client_id: 'c', observer_tier: 'external', requested_tier: 'external' };
    const host = ['host', '127.0.0.1:4747'] as const;
    const from = (origin: string) =>
      call(sample.service, '/api/auth/token', { body, headers: [host, ['origin', origin]] });
    expect((await from('http://127.0.0.1:4747')).status).toBe(200);
    for (const origin of ['http://evil.example', 'http://127.0.0.1:4748', 'null', '']) {
      expectApiError(await from(origin), 'request_invalid');
    }
  });

  test('N2 another archive’s token, an expired one', async () => {
    const other = await sampleArchive({ conversations: 2 });
    try {
      const token = await tokenFor(other.service, 'internal');
      expect((await call(other.service, '/messages', { token })).status).toBe(200);
      other.advance(3_600_000 - 1);
      expect((await call(other.service, '/messages', { token })).status).toBe(200);
      other.advance(1);
      const expired = await call(other.service, '/messages', { token });
      expect(expired.status).toBe(401);
      expect(expired.json.error.code).toBe('token_expired');
      expect(expired.json.error.message).toBe('the token expired at 2026-01-02T04:04:05.678Z');
      // A new token does not make others forget that theirs expired; a day does.
      await tokenFor(other.service, 'internal');
      expect((await call(other.service, '/messages', { token })).json.error.code).toBe('token_expired');
      other.advance(86_400_001);
      await tokenFor(other.service, 'internal');
      expect((await call(other.service, '/messages', { token })).json.error.code).toBe('token_invalid');
      expectApiError(await ask('/messages', { token: tokens.internal.replace(/.$/, '~') }), 'token_invalid');
    } finally {
      await other.close();
    }
  });

  test('N4 each route refuses a token without its scope', async () => {
    for (const name of ['sequence', 'events', 'ingest'] as const) {
      const options = name === 'ingest' ? { body: {} } : {};
      const answer = await ask(PATHS[name], { tier: 'external', ...options });
      expectApiError(answer, 'scope_missing');
      expect(answer.json.error.message).toBe(`the token lacks the scope ${ROUTES[name].scope}`);
    }
    expectApiError(await ask('/api/sequence/mirror_relay'), 'scope_missing');
  });

  test('N4 a token that can read sequences cannot send events', async () => {
    const token = 'arx_reader';
    await sample.archive.database.run('INSERT INTO tokens VALUES ($1, $2, $3, $4, $5)', [
      sha256Of(token),
      'reader',
      'internal',
      'read:messages read:attachments read:sequence',
      sample.archive.now() + 60_000,
    ]);
    expect((await ask(PATHS.events, { token })).status).toBe(200);
    const refused = await ask(PATHS.ingest, { token, body: {} });
    expectApiError(refused, 'scope_missing');
    expect(refused.headers['www-authenticate']).toContain('scope="write:events"');
  });

  test('N7 additional fields in a token request have no effect', async () => {
    const body = {
      client_id: 'c',
      observer_tier: 'external',
      requested_tier: 'external',
      access_tier: 'mirror',
      scope: ['read:mirror'],
    };
    const { json } = await ask('/api/auth/token', { body });
    expect(json).toMatchObject({ access_tier: 'external', scope: ['read:messages', 'read:attachments'] });
  });

  test('N10 the database holds no token, only sha256', async () => {
    const rows = await sample.archive.database.all('SELECT * FROM tokens');
    expect(rows.length).toBeGreaterThan(2);
    expect(JSON.stringify(rows)).not.toContain('arx_');
    for (const row of rows) expect(row['sha256']).toMatch(/^[0-9a-f]{64}$/);
  });

  const TIERS: [observer: string, requested: string, ceiling: Tier | undefined, outcome: string][] = [
    ['mirror', 'mirror', undefined, 'mirror'],
    ['mirror', 'external', undefined, 'external'],
    ['internal', 'mirror', undefined, 'observer_not_permitted'],
    ['external', 'internal', undefined, 'observer_not_permitted'],
    ['mirror', 'mirror', 'internal', 'observer_not_permitted'],
    ['mirror', 'internal', 'internal', 'internal'],
    ['root', 'external', undefined, 'request_invalid'],
    ['internal', 'Internal', undefined, 'request_invalid'],
  ];
  test.each(TIERS)('%s asks for %s under %s: %s', async (observer_tier, requested_tier, maxTier, outcome) => {
    const service = createService(sample.archive, {
      assetUrl: ASSET_URL,
      version: '0',
      ...(maxTier === undefined ? {} : { maxTier }),
    });
    const answer = await call(service, '/api/auth/token', {
      body: { client_id: 'c', observer_tier, requested_tier },
    });
    if (answer.status === 200) expect(answer.json.access_tier).toBe(outcome);
    else expectApiError(answer, outcome as ErrorCode);
  });

  test('N6 what a tier does not see is withheld everywhere', async () => {
    const secret = /Letter 7\b|picture-7\.|picture-37\.|letter 7\./;
    for (const target of [
      '/messages?limit=500',
      '/messages?opening=true',
      '/v1/conversations',
      '/v1/conversations/conv_7',
      '/v1/attachments?limit=500',
      '/v1/attachments/att_7',
      '/api/sequence/arc_reconstruction?limit=500',
    ]) {
      expect((await ask(target)).text, target).not.toMatch(secret);
    }
    expect((await ask('/messages?limit=500', { tier: 'mirror' })).text).toMatch(secret);
    for (const view of ['raw', 'lore']) {
      expectApiError(await ask(`/api/content/msg_7?view=${view}`), 'observer_not_permitted');
      expect((await ask(`/api/content/msg_7?view=${view}`, { tier: 'mirror' })).status).toBe(200);
    }
    const { json } = await ask('/v1/attachments/att_7');
    expect(json).toMatchObject({ redacted: true, file_url: null, filename: 'att_7' });
    // Filters would tell what the row holds.
    for (const filter of [
      'origin_city=oslo',
      'content_type=image/png',
      'source=external',
      'redacted=false',
    ]) {
      expect((await ask(`/v1/attachments?limit=500&${filter}`)).text).not.toContain('"att_7"');
      expect((await ask(`/v1/attachments?limit=500&${filter}`, { tier: 'mirror' })).text).toContain(
        '"att_7"',
      );
    }
    expect((await ask('/v1/attachments?limit=500&redacted=true')).text).toContain('"att_7"');
  });
});
