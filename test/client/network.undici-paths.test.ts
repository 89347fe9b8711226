// Private modules of undici that are loaded alone, since the whole package more than doubles the start-up time: each must still be what undici exports.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const undici = require('undici') as typeof import('undici');

/** By path: the public export that is the same object. src/client/undici.d.ts gives each the type of that export. */
const PUBLIC: Record<string, unknown> = {
  'undici/lib/dispatcher/pool.js': undici.Pool,
  'undici/lib/dispatcher/proxy-agent.js': undici.ProxyAgent,
  'undici/lib/core/connect.js': undici.buildConnector,
  'undici/lib/api/api-request.js': undici.Dispatcher.prototype.request,
  'undici/lib/api/api-connect.js': undici.Dispatcher.prototype.connect,
};

describe('a private module of undici', () => {
  test.each(Object.keys(PUBLIC))('%s is the public export', (path) => {
    expect(PUBLIC[path]).toBeTypeOf('function');
    expect(require(path)).toBe(PUBLIC[path]);
  });

  test('is declared for the compiler if and only if it is checked here', () => {
    const types = readFileSync(join(import.meta.dirname, '../../src/client/undici.d.ts'), 'utf8');
    const declared = [...types.matchAll(/declare module '([^']+)'/g)].map((match) => match[1]);
    expect(new Set(declared)).toEqual(new Set(Object.keys(PUBLIC)));
  });
});

test('a request through a pool gives the fields that the transport reads', async () => {
  const { request } = undici.Dispatcher.prototype;
  const { createServer } = await import('node:http');
  const server = createServer((_, response) => response.setHeader('X-Test', 'a').end('body'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const pool = new undici.Pool(`http://127.0.0.1:${port}`);
  try {
    const reply = await request.call(pool, {
      path: '/',
      method: 'GET',
      responseHeaders: 'raw',
    });
    expect(reply).toMatchObject({ statusCode: 200, statusText: 'OK' });
    // A flat list of names and values, in the order and case in which they came.
    expect(reply.headers).toEqual(expect.arrayContaining(['X-Test', 'a']));
    expect(await reply.body.text()).toBe('body');
  } finally {
    await pool.destroy();
    server.close();
  }
});
