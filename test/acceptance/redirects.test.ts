// Group E of the bad inputs for the API: redirects, base URLs and proxies.
import { describe, expect, test } from 'vitest';
import { hintText } from '../../src/faults.ts';
import { parseBaseUrl, typedUrlWithin, urlWithin } from '../../src/client/base-url.ts';
import { createClient } from '../../src/client/index.ts';
import { createNetwork } from '../../src/client/network.ts';
import { always, answer, misbehave } from '../support/misbehaving-server.ts';
import { against, clientWorld, faultFrom, TOKEN } from '../client/fixture.ts';

const redirect = (location: string, status = 302): Buffer => answer(status, '', { location });

describe('E: the API is never redirected', () => {
  test.each([301, 302, 303, 307, 308])('E1 status %i', async (status) => {
    await against(
      always(redirect('https://evil.test:8443/login?t=1', status)),
      async ({ client, server }) => {
        const fault = await faultFrom(client.attachments(), 'protocol');
        expect(fault.message).toBe(
          `the server redirects to evil.test:8443 (status ${status}), which arx does not follow`,
        );
        expect(server.requests).toHaveLength(1);
      },
    );
  });

  test.each([
    ['/x/v1/attachments?limit=5', 'BASE/x'],
    ['https://127.0.0.1/v1/attachments?limit=5', 'https://127.0.0.1'],
    ['/v1/attachments/?limit=5', undefined],
    ['https://evil.test/v1/attachments?limit=5', undefined],
  ])('E1 a Location of the same host names the base URL: %s', async (location, meant) => {
    await against(always(redirect(location, 308)), async ({ client, server }) => {
      const { detail } = await faultFrom(client.attachments({ limit: 5 }), 'protocol');
      expect(hintText(detail.hint!)).toBe(
        `check the base URL${meant === undefined ? '' : `, as in --base-url ${meant.replace('BASE', server.url)}`}`,
      );
    });
  });

  test.each([
    [301, '/v1/attachments/?limit=5', '/v1/attachments/?limit=5'],
    [307, 'BASE/v1/attachments/', '/v1/attachments/?limit=5'],
    [308, 'https://evil.test/v1/attachments/?limit=5', undefined],
    [301, '/v1/attachments/?limit=500', undefined],
    [302, '/v1/attachments//?limit=5', undefined],
  ])('E1 %i to the same address with a slash is followed: %s', async (status, location, asked) => {
    const list = answer(200, '{"data":[],"status":"stable"}');
    await against(
      (socket, { head }, count) => {
        const host = /^host: *(\S+)/im.exec(head)?.[1];
        socket.write(count > 0 ? list : redirect(location.replace('BASE', `http://${host}`), status));
      },
      async ({ client, server }) => {
        const reading = client.attachments({ limit: 5 });
        if (asked === undefined) await faultFrom(reading, 'protocol');
        else expect((await reading).body.data).toEqual([]);
        expect(server.requests[1]?.head.split(' ')[1]).toBe(asked);
      },
    );
  });

  test('E1 an event is sent again with a slash only where the redirect keeps its method', async () => {
    const acknowledged = '{"accepted":true,"event_id":"evt_1","type":"mirror.detected","status":"queued"}';
    for (const [status, requests] of [
      [301, 1],
      [307, 2],
    ] as const)
      await against(
        (socket, _, count) =>
          socket.write(count > 0 ? answer(200, acknowledged) : redirect('/api/webhooks/ingest/', status)),
        async ({ client, server }) => {
          const sending = client.ingest({ id: 'evt_1', type: 'mirror.detected', payload: {} });
          await sending.catch((error: unknown) => error);
          expect(server.requests.map(({ head }) => head.split(' ')[0])).toEqual(
            Array.from({ length: requests }, () => 'POST'),
          );
        },
      );
  });

  test.each(['', 'http://[', '//'])('E1 a Location that leads nowhere: "%s"', async (location) => {
    await against(always(redirect(location)), async ({ client }) => {
      await faultFrom(client.attachments(), 'protocol');
    });
  });

  test('E13 no cookie comes back', async () => {
    await against(always(answer(200, '[]', { 'set-cookie': 'a=b; Path=/' })), async ({ client, server }) => {
      await client.attachments();
      await client.attachments();
      expect(server.requests.map(({ head }) => /cookie/i.test(head))).toEqual([false, false]);
    });
  });
});

describe('E: the base URL', () => {
  test.each([
    ['http://archive.test', /anyone on the way could read the token/],
    ['http://127.0.0.1.evil.test', /anyone on the way/],
    ['http://a.localhost', /anyone on the way/],
    ['ftp://archive.test', /must be http or https/],
    ['file:///etc/passwd', /must be http or https/],
    [`https://user:${TOKEN}@archive.test`, /must not hold a user name or password/],
    ['https://archive.test/?a=b', /query or fragment/],
    ['archive.test', /not a URL/],
    ['', /not a URL/],
  ])('E10 %s is refused', async (text, words) => {
    const fault = await faultFrom((async () => parseBaseUrl(text))(), 'usage');
    expect(fault.message).toMatch(words);
  });

  test.each([
    ['http://localhost:1', 'http://localhost:1/v1/x'],
    ['http://127.3.2.1/', 'http://127.3.2.1/v1/x'],
    ['http://[::1]:2', 'http://[::1]:2/v1/x'],
    ['https://archive.test/deep/prefix//', 'https://archive.test/deep/prefix/v1/x'],
  ])('%s is taken, with its prefix', (text, expected) => {
    expect(urlWithin(parseBaseUrl(text), '/v1/x').href).toBe(expected);
  });

  test('plain http elsewhere when allowed by name', () => {
    expect(parseBaseUrl('http://archive.test', { insecureHttp: true }).origin).toBe('http://archive.test');
  });

  test.each([
    '/../x',
    '/a/%2e%2E/b',
    '/a/.',
    '/a\\..\\b',
    '/..%2fx',
    '/a%5C%2e.%5Cx',
    '/..;a=b/x',
    '/.\t./x',
    '/.\n./x',
    '/.\r/x',
    'v1/x',
    'https://evil.test/',
  ])('the path %s is refused', async (path) => {
    await faultFrom((async () => typedUrlWithin(new URL('https://archive.test/p'), path))(), 'usage');
  });

  test.each([
    ['//evil.test/x', 'https://archive.test/p//evil.test/x'],
    ['/@evil.test', 'https://archive.test/p/@evil.test'],
    ['/a?b=/../c#d', 'https://archive.test/p/a?b=/../c'],
  ])('the path %s stays behind the base', (path, expected) => {
    expect(urlWithin(new URL('https://archive.test/p'), path).href).toBe(expected);
  });
});

test('E12 proxy variables change nothing', async () => {
  const before = process.env['HTTP_PROXY'];
  process.env['HTTP_PROXY'] = 'http://127.0.0.1:1';
  try {
    await against(always(answer(200, '[]')), async ({ client }) => {
      expect((await client.attachments()).status).toBe(200);
    });
  } finally {
    if (before === undefined) delete process.env['HTTP_PROXY'];
    else process.env['HTTP_PROXY'] = before;
  }
});

test('E12 a proxy that refuses, and one that is none', async () => {
  const proxy = await misbehave(always('HTTP/1.1 407 X\r\ncontent-length: 0\r\n\r\n'));
  const settings = { connectTimeoutMs: 1000, idleTimeoutMs: 1000 };
  const network = await createNetwork({ ...settings, proxy: proxy.url });
  const options = { baseUrl: 'https://archive.test', bearer: async () => TOKEN, world: clientWorld() };
  const client = createClient({ ...options, transport: network.transport });
  const fault = await faultFrom(client.attachments(), 'network');
  expect(fault.message).toMatch(/the proxy refused the connection/);
  await network.close();
  await proxy.close();
  for (const address of ['socks5://127.0.0.1:1', 'proxy.test:3128', '']) {
    await faultFrom(createNetwork({ ...settings, proxy: address }), 'usage');
  }
});

test('E12 a proxy named by the user is used', async () => {
  const proxy = await misbehave((socket, request) => {
    socket.write(request.head.startsWith('CONNECT') ? 'HTTP/1.1 200 X\r\n\r\n' : answer(200, '[]'));
  });
  const network = await createNetwork({ connectTimeoutMs: 1000, idleTimeoutMs: 1000, proxy: proxy.url });
  const client = createClient({
    baseUrl: 'http://archive.test',
    insecureHttp: true,
    transport: network.transport,
    bearer: async () => TOKEN,
    world: clientWorld(),
  });
  expect((await client.attachments()).body).toMatchObject({ data: [] });
  expect(proxy.requests.map(({ head }) => head.split('\r\n')[0])).toEqual([
    'CONNECT archive.test:80 HTTP/1.1',
    'GET /v1/attachments HTTP/1.1',
  ]);
  // The proxy sees no token before the tunnel stands.
  expect(proxy.requests[0]?.head).not.toContain(TOKEN);
  await network.close();
  await proxy.close();
});
