// A service may send back a token that it got or gave: no command shows it, and no word of ours is taken for it.
import { afterEach, describe, expect, test } from 'vitest';
import { openTokenStore } from '../../src/config/token-store.ts';
import { ServiceReport } from '../../src/contract/reports/service.ts';
import { entry, storeWorld } from '../config/store-world.ts';
import { arx } from '../support/command.ts';
import { answer, misbehave, type Misbehaving } from '../support/misbehaving-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

let server: Misbehaving | undefined;
afterEach(() => server?.close());

/** Runs a command at a service that answers each request with this status and body. */
async function at(line: string, token: string, status: number, body: string) {
  server = await misbehave((socket) => socket.write(answer(status, body)));
  const env = { LANG: 'C.UTF-8', ARX_TOKEN: token };
  return arx(tempFolder('echo'), `${line} --retries 0 --base-url ${server.url}`, { env });
}

const LONG = 'tok/Zq8vXw3LmT5rKp7sNd9hGb2cYf4j';
const ECHOES: [what: string, status: number, body: string][] = [
  ['an error', 403, JSON.stringify({ error: { code: LONG, message: `no: ${LONG}`, request_id: LONG } })],
  ['an error with escapes', 418, JSON.stringify({ message: `no: ${LONG}` }).replaceAll('/', String.raw`\/`)],
  ['an error in a success', 200, JSON.stringify({ error: { code: LONG, message: LONG } })],
  ['a field name', 200, JSON.stringify({ [LONG]: [{ [LONG]: 1 }], status: LONG })],
  ['a row without an id', 200, JSON.stringify({ data: [{ [LONG]: LONG }] })],
  ['a page that is no JSON', 200, `<p>${LONG}</p>`],
];

describe.each(ECHOES)('%s', (_, status, body) => {
  test.each(['messages ls', 'content get msg_1', 'conversations show c1', 'doctor', 'doctor --json'])(
    'E14 %s does not show the token',
    async (line) => {
      const { stdout, stderr } = await at(line, LONG, status, body);
      for (let from = 0; from + 8 <= LONG.length; from += 1)
        expect(stdout + stderr).not.toContain(LONG.slice(from, from + 8));
      expect(stdout + stderr).not.toContain('***');
      if (status >= 400 && body.includes(LONG)) expect(stdout + stderr).toContain('[token]');
    },
  );
});

/** Runs a command for whom tokens are stored that this command does not send, at a service that knows them. */
async function withStoredTokens(
  line: string,
  tokens: readonly string[],
  status: number,
  type: string,
  body: string,
) {
  server = await misbehave((socket) => socket.write(answer(status, body, { 'content-type': type })));
  const dir = tempFolder('echo');
  const store = openTokenStore(`${dir}/config`, storeWorld());
  const [own = '', ...others] = tokens;
  // Expired, so that a command that needs it asks for another one without sending it.
  await store.put(
    entry({
      origin: server.url,
      profile: 'default',
      access_token: own,
      expires_at: '2020-01-01T00:00:00.000Z',
    }),
  );
  for (const [at, access_token] of others.entries())
    await store.put(entry({ origin: server.url, profile: `other-${at}`, access_token }));
  return arx(dir, `${line} --retries 0 --base-url ${server.url}`);
}

const OTHER = 'other.jW8nQz4RkVx1LsYb6HtDfC0u';
const LOGIN = 'login --client-id me --observer-tier internal --requested-tier internal';
const STORED = [LONG, OTHER];
const SAID = STORED.join(' ');
const ERROR_BODY = JSON.stringify({ error: { code: LONG, message: SAID, request_id: OTHER } });

describe.each<[what: string, status: number, type: string, body: string]>([
  ['a page instead of JSON', 200, 'text/html', `<p>${SAID}</p>`],
  ['an error page', 500, 'text/html', `<p>Authorization: Bearer ${SAID}</p>`],
  ['a problem', 500, 'application/problem+json', JSON.stringify({ title: SAID, detail: OTHER })],
  ['an error', 403, 'application/json', ERROR_BODY],
  ['an error in a success', 200, 'application/json', ERROR_BODY],
  [
    'a health record',
    200,
    'application/json',
    JSON.stringify({ status: 'ok', version: SAID, [LONG]: OTHER }),
  ],
  ['a content type', 200, `text/${OTHER}`, SAID],
])('%s with stored tokens that were not sent', (_, status, type, body) => {
  test.each([
    'health',
    'health --json',
    'doctor',
    'doctor --json',
    'messages ls',
    LOGIN,
    'api /api/health',
    'attachments ls -v',
  ])('E14 %s does not show them', async (line) => {
    const { stdout, stderr } = await withStoredTokens(line, STORED, status, type, body);
    // `api` prints what the service sends.
    const shown = line.startsWith('api ') && status === 200 ? stderr : stdout + stderr;
    for (const token of STORED)
      for (let from = 0; from + 8 <= token.length; from += 1)
        expect(shown).not.toContain(token.slice(from, from + 8));
  });
});

describe('a token that is one of our words', () => {
  test.each(['service', 'refused', 'arx', 'ar', 'messages', 'not_found', 'conversations'])(
    '%s: messages keep our words',
    async (token) => {
      const { exit, stderr } = await at('messages ls', token, 404, '{"error":{"message":"no such thing"}}');
      expect(exit).toBe(6);
      expect(stderr).toContain('the service has no /messages: no such thing');
    },
  );

  test.each(['read', 'installation', 'ok', 'list', 'conversations', 'sampled', 'rows', 'warn', 'doctor'])(
    '%s: the report of the doctor stays as it is',
    async (token) => {
      const body = '{"data":[{"id":"a1"},{"id":"a2"}],"has_more":false}';
      const { stdout } = await at('doctor --json', token, 200, body);
      expect(ServiceReport.safeParse(JSON.parse(stdout)).error).toBeUndefined();
      expect(stdout).not.toContain('[token]');
    },
  );

  test('the URL of a request keeps the words of the interface', async () => {
    const { stderr } = await at('attachments ls --city attachments -v', 'attachments', 404, '{}');
    expect(stderr).toContain('GET /v1/attachments?origin_city=[token]');
  });
});
