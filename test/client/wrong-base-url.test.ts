// A base URL that is not that of an archive service: each command says what is wrong and which base URL was probably meant.
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CERTIFICATES, KEY } from '../support/certificates.ts';
import { arx } from '../support/command.ts';
import { always, answer, misbehave } from '../support/misbehaving-server.ts';
import { sampleData } from '../support/sample.ts';
import { serve, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

const dir = tempFolder('wrong-base-url');
let served: Served;
beforeAll(async () => {
  await sampleData(`${dir}/data`);
  served = await serve(dir);
});
afterAll(() => served.close());

const LINES = [
  'login --client-id me --observer-tier external',
  'health',
  'attachments ls',
  'content get msg_1',
  'conversations ls',
];

/** Returns what each command says of a base URL: the first line, and the hint. */
async function said(url: string): Promise<string[]> {
  const env = { ARX_TOKEN: 'token' };
  const told = [];
  for (const line of LINES) {
    const { exit, stderr } = await arx(dir, `${line} --base-url ${url} --retries 0`, { env });
    expect(exit).not.toBe(0);
    const [first = '', ...rest] = stderr.split('\n');
    const hint = rest.find((text) => text.startsWith('  hint: ')) ?? '';
    told.push(`${first.replace(/^arx: | \[.*/g, '')} | ${hint.slice('  hint: '.length)}`);
  }
  return told;
}

describe('arx serve', () => {
  test('the address of its files', async () => {
    const expected =
      'this is the address of the files, not that of the archive | check the base URL: arx serve names that of the archive first';
    for (const text of await said(served.asset_url)) expect(text).toContain(expected);
  });

  test.each([...LINES, 'read msg_1', 'search word'])(
    '%s ends with 11 at the address of its files',
    async (line) => {
      const env = { ARX_TOKEN: 'token' };
      const { exit, stderr } = await arx(dir, `${line} --base-url ${served.asset_url} --retries 0`, { env });
      expect(stderr).toContain(
        'arx: this is the address of the files, not that of the archive [protocol, exit 11]',
      );
      expect(exit).toBe(11);
    },
  );

  test.each(['/api', '/v1', '/v1/x', '/v1/attachments', '/api/auth/token', '/v1/'])(
    'with the path %s',
    async (path) => {
      const texts = await said(`${served.base_url}${path}`);
      for (const text of texts) {
        expect(text).toMatch(/^nothing is served under this path: \/(?:api|v1)/);
        expect(text).toContain(` | a base URL ends before /api and /v1: --base-url ${served.base_url}`);
        expect(text.endsWith(served.base_url)).toBe(true);
      }
    },
  );

  test('with another path', async () => {
    for (const text of await said(`${served.base_url}/archive`))
      expect(text).toMatch(
        new RegExp(`: /archive/.* \\| check the base URL, as in --base-url ${served.base_url}$`),
      );
  });

  test('https for http', async () => {
    const host = new URL(served.base_url).host;
    for (const text of await said(`https://${host}`))
      expect(text).toBe(
        `cannot reach ${host} (TLS: the server does not speak it here) | check the base URL, with http:// in place of https://`,
      );
  });

  test('a path that only arx api asks for is no wrong base URL', async () => {
    const ran = await arx(dir, `api /v1/nothing --base-url ${served.base_url}`, {
      env: { ARX_TOKEN: 'token' },
    });
    expect(ran.stderr).toContain('nothing is served under this path');
    expect(ran.stderr).toContain(
      `hint: arx --base-url ${served.base_url} api /openapi.json describes all paths\n`,
    );
  });
});

test('http for https', async () => {
  const server = createServer({ key: KEY, cert: CERTIFICATES.right }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const texts = await said(`http://127.0.0.1:${port}`);
  server.close();
  for (const text of texts)
    expect(text).toMatch(
      `| check the base URL: the server may speak https, as in --base-url https://127.0.0.1:${port}`,
    );
});

test('http for https behind nginx', async () => {
  const page = '<html><h1>The plain HTTP request was sent to HTTPS port</h1></html>';
  const server = await misbehave(always(answer(400, page, { 'content-type': 'text/html' })));
  const texts = await said(server.url);
  await server.close();
  for (const text of texts) expect(text).toMatch(/the answer is a web page.*the server may speak https/);
});

test('a web site', async () => {
  const server = createPlainServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>x'),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const texts = await said(`http://127.0.0.1:${port}`);
  server.close();
  for (const text of texts) expect(text).toMatch(/text\/html.* \| check the base URL/);
});

test('a port on which nothing listens', async () => {
  for (const text of await said('http://127.0.0.1:9'))
    expect(text).toBe(
      'cannot reach 127.0.0.1:9 (refused) | check the base URL, or start the service there: nothing listens on this port',
    );
});

test.each([
  ['127.0.0.1:4747', ', such as http://127.0.0.1:4747'],
  ['localhost:4747', ', such as http://localhost:4747'],
  ['archive.example', ', such as https://archive.example'],
  ['archive.example:8080/a/x', ', such as https://archive.example:8080/a/x'],
  ['htp://archive.example', ''],
  ['me:secret@archive.example', ''],
])('%s', async (url, meant) => {
  const ran = await arx(dir, `health --base-url ${url}`);
  expect(ran.exit).toBe(2);
  expect(ran.stderr.split('\n')[0]).toBe(
    `arx: --base-url must be an http or https URL${meant} [usage, exit 2]`,
  );
});

/** Each asks for something else first; lists of messages and events, search and health are not of every service. */
const FIRST_ASKED = [
  'messages ls',
  'messages ls --walk',
  'search word',
  'health',
  'sequence show arc_reconstruction',
  'content get msg_1',
  'events ls',
  'report',
  'doctor',
  'read msg_1',
];

test.each(FIRST_ASKED)('a server that answers every path with a web page of status 404: %s', async (line) => {
  const server = await misbehave(always(answer(404, '<html>no</html>', { 'content-type': 'text/html' })));
  try {
    const ran = await arx(dir, `${line} --base-url ${server.url}`, { env: { ARX_TOKEN: 'token' } });
    expect([ran.exit, ran.stderr]).toEqual([
      11,
      expect.stringMatching(/not that of an archive service|no archive service/),
    ]);
  } finally {
    await server.close();
  }
});
