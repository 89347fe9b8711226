// The curl command of a request, pasted into a real shell, sends the same request.
import { expect, test } from 'vitest';
import { curlLine } from '../../src/wiring/curl-log.ts';
import { isInstalled } from '../support/installed.ts';
import { always, answer, misbehave } from '../support/misbehaving-server.ts';
import { startProcess } from '../support/program.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TOKEN = 'arx_Zq8vXw3LmT5rKp7sNd9hGb2cYf4j';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const noCurl = !isInstalled('curl');
if (noCurl) console.warn('SKIPPED: curl commands in a shell: no curl here');

test.skipIf(noCurl).each([
  ['GET', `/v1/attachments?origin_city=it's%20$HOME&x=%60id%60`, undefined],
  ['POST', '/api/auth/token', `{"client_id":"it's \\"me\\" $(id) \u202e","tier":"a b"}`],
  ['POST', '/api/webhooks/ingest', `{"id":"evt_1"}\n{"id":"evt_2","text":"'$HOME'"}\n`],
])('%s %s', async (method, target, body) => {
  const server = await misbehave(always(answer(200, '{}')));
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${TOKEN}`,
    'content-type': 'application/json',
    'x-arx-owner-secret': 'owner_secret_1234',
  };
  const url = new URL(target, server.url);
  const line = curlLine({ method, url, headers, ...(body === undefined ? {} : { body: bytes(body) }) }, [
    TOKEN,
  ]);
  expect(line).not.toContain(TOKEN);
  expect(line).not.toContain('owner_secret');
  expect(line).toMatch(/^[\x20-\x7e]+$/);
  const ended = await startProcess('sh', ['-c', line], {
    dir: tempFolder('curl'),
    env: { ARX_TOKEN: TOKEN },
  }).ended;
  await server.close();
  expect(ended).toMatchObject({ exit: 0, stdout: '{}' });
  const [sent] = server.requests;
  expect(sent?.head.split('\r\n')[0]).toBe(`${method} ${url.pathname}${url.search} HTTP/1.1`);
  expect(sent?.head).toContain(`Authorization: Bearer ${TOKEN}`);
  const records = (text: string): unknown[] =>
    text.split('\n').flatMap((record) => (record === '' ? [] : [JSON.parse(record) as unknown]));
  expect(records(sent?.body ?? '')).toEqual(records(body ?? ''));
});

test('a token in the address is not shown', () => {
  const url = new URL(`https://archive.example/v1/attachments/${TOKEN}?starting_after=${TOKEN}`);
  const line = curlLine({ method: 'GET', url, headers: {} }, [TOKEN]);
  expect(line).toMatch(/^curl 'https:\/\/archive\.example\/v1\/attachments\/[^?]+\?starting_after=[^']+'$/);
  expect(line).not.toContain(TOKEN);
});
