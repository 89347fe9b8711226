// Whom the program trusts, with real processes and sockets: bad inputs E1, E13 and E15.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { AUTHORITY, CERTIFICATES, KEY } from '../support/certificates.ts';
import { always, answer, misbehave } from '../support/misbehaving-server.ts';
import { buildProgram, type Program } from '../support/program.ts';
import { against, faultFrom, TOKEN } from '../client/fixture.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('E1: no route of the API is redirected, and no token goes on', () => {
  const credentials = { client_id: 'me', observer_tier: 'internal', requested_tier: 'internal' };
  const EVENT = { id: 'evt_1', type: 'mirror.detected', payload: { layer: 'x' } };
  const ROUTES: Record<
    Exclude<keyof Client, 'baseUrl' | 'guessOf' | 'changesOf' | 'contradictionOf'>,
    (client: Client) => Promise<unknown>
  > = {
    token: (client) => client.token(credentials),
    attachments: (client) => client.attachments(),
    attachment: (client) => client.attachment('att_1'),
    content: (client) => client.content('msg_1'),
    sequence: (client) => client.sequence('arc_reconstruction'),
    search: (client) => client.search({ q: 'x' }),
    health: (client) => client.health(),
    ingest: (client) => client.ingest(EVENT),
    ingestBatch: (client) => client.ingestBatch([{ event: EVENT, text: JSON.stringify(EVENT) }]),
    events: (client) => client.events(),
    conversations: (client) => client.conversations(),
    conversation: (client) => client.conversation('conv_1'),
    messages: (client) => client.messages(),
    get: (client) => client.get('/api/health'),
  };
  test.each(Object.entries(ROUTES))('%s', async (_, ask) => {
    const elsewhere = await misbehave(always(answer(200, '{}')));
    try {
      for (const status of [301, 302, 307, 308]) {
        const redirect = answer(status, '', { location: `${elsewhere.url}/v1/x` });
        await against(always(redirect), async ({ client }) => {
          const { message } = await faultFrom(ask(client), 'protocol');
          expect(message).toBe(
            `the server redirects to 127.0.0.1:${elsewhere.port} (status ${status}), which arx does not follow`,
          );
        });
      }
      expect(elsewhere.requests).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });
});

describe('as real processes', () => {
  let program: Program;
  let dir: string;
  beforeAll(() => {
    program = buildProgram();
    dir = tempFolder('trust');
  });
  const HEALTH = answer(200, '{"status":"ok"}', { 'set-cookie': 'a=b; Path=/' });

  test('E13: .netrc is not read, and no cookie kept', async () => {
    for (const name of ['.netrc', '_netrc'])
      writeFileSync(join(dir, name), 'machine 127.0.0.1 login somebody password s3cret\n', { mode: 0o600 });
    writeFileSync(join(dir, '.curlrc'), 'netrc\n');
    const server = await misbehave(always(HEALTH));
    try {
      const env = { NETRC: join(dir, '.netrc'), CURL_HOME: dir, ARX_TOKEN: TOKEN };
      for (const line of [['health'], ['api', '/api/health']]) {
        const { exit } = await program.run([...line, '--base-url', server.url], { dir, env });
        expect(exit).toBe(0);
      }
      expect(server.requests).toHaveLength(2);
      for (const { head } of server.requests) {
        expect(head).not.toMatch(/basic|cookie|somebody/i);
        expect(head).not.toContain(Buffer.from('somebody:s3cret').toString('base64'));
      }
    } finally {
      await server.close();
    }
  });

  test.each([
    ['a right one, so that the others fail for their own reason', 'right', 0, /^$/],
    ['an expired one', 'expired', 10, /\(TLS: certificate has expired\)/],
    ['one for another name', 'otherName', 10, /\(TLS: certificate is for another name\)/],
  ] as const)('E15, a certificate of a known issuer: %s', async (_, name, code, words) => {
    writeFileSync(join(dir, 'authority.pem'), AUTHORITY);
    const server = await misbehave(always(HEALTH), { key: KEY, cert: CERTIFICATES[name] });
    try {
      const env = { NODE_EXTRA_CA_CERTS: join(dir, 'authority.pem') };
      const { exit, stderr } = await program.run(['health', '--base-url', server.url], { dir, env });
      expect([exit, stderr]).toEqual([code, expect.stringMatching(words)]);
      expect(server.requests).toHaveLength(code === 0 ? 1 : 0);
    } finally {
      await server.close();
    }
  });
});
