// Pulls of files in a bucket whose service fails at random: broken bodies, refusals, ranges that are ignored, other bytes for one request.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  serveBucket,
  type BucketFault,
  type BucketServer,
  type SeenRequest,
} from '../support/bucket-server.ts';
import { arx } from '../support/command.ts';
import { freshUrl, noPostgres } from '../support/postgres.ts';
import { randomFrom, type Random } from '../support/random.ts';
import { serve, tokenOf, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { thread } from '../support/threads.ts';

const ENV = { AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'secret/of+test' };
const MIB = 1024 * 1024;
const FILES = new Map<string, Buffer>(
  [3 * MIB + 17, 2 * MIB, 300_000, 9_000, 1].map((bytes, at) => [`f${at}.bin`, randomBytes(bytes)]),
);
const SEEDS = process.env['ARX_TEST_LONG'] === '1' ? 20 : 4;
/** Of a file in one pull. More of one kind in a row are a service that does not work. */
const MAX_FAULTS = 3;

describe.skipIf(noPostgres)('a bucket that fails at random', () => {
  let dir: string;
  let server: BucketServer;
  const services = new Map<string, { served: Served; token: string }>();
  beforeAll(async () => {
    dir = tempFolder('bucket-faults');
    const url = await freshUrl();
    server = await serveBucket();
    mkdirSync(join(dir, 'files'));
    for (const [name, bytes] of FILES) writeFileSync(join(dir, 'files', name), bytes);
    const place = ['--database', url, '--blobs', server.address()];
    expect(await arx(dir, '', { argv: ['import', 'files', ...place], env: ENV })).toMatchObject({ exit: 0 });
    for (const redirect of ['', '60']) {
      const more = redirect === '' ? [] : ['--redirect-files', redirect];
      const served = await serve(dir, [...place, ...more], ENV);
      services.set(redirect, { served, token: await tokenOf(served.base_url, served.owner) });
    }
  });
  afterAll(async () => {
    for (const { served } of services.values()) await served.close();
    await server.close();
  });
  beforeEach(() => {
    server.fault = () => undefined;
    rmSync(join(dir, 'got'), { recursive: true, force: true });
  });

  async function pull(redirect: string) {
    const { served, token } = services.get(redirect)!;
    const line = `attachments pull --all --to got --base-url ${served.base_url} --json`;
    const { host } = new URL(server.origin);
    return arx(dir, `${line} --allow-asset-host ${host}`, { env: { ARX_TOKEN: token }, thread });
  }
  function expectOnlyWholeFiles(): string[] {
    const found = readdirSync(join(dir, 'got')).filter((name) => name.endsWith('.bin'));
    for (const name of found)
      expect(readFileSync(join(dir, 'got', name)).equals(FILES.get(name)!)).toBe(true);
    return found;
  }
  /** Returns faults at random, at most so many for each file, and other bytes and an expired address only once for each. */
  function faults(random: Random, most: number): (request: SeenRequest) => BucketFault {
    const counts = new Map<string, number>();
    const seen = new Set<string>();
    const isFirst = (what: string): boolean =>
      most === Infinity || (!seen.has(what) && seen.add(what).has(what));
    return ({ key, method, query }) => {
      const count = counts.get(key) ?? 0;
      const object = server.objects.get(key);
      if (method !== 'GET' || object === undefined || count >= most || random() < 0.4) return undefined;
      counts.set(key, count + 1);
      const kind = Math.floor(random() * 6);
      if (kind === 0) return { status: 503, code: 'SlowDown' };
      if (kind === 1) return 'whole';
      if (kind === 2 && query.has('X-Amz-Signature') && isFirst(`${key} 403`))
        return { status: 403, code: 'AccessDenied' };
      if (kind === 3 && isFirst(key))
        return { replaced: randomBytes(object.byteLength + Math.floor(random() * 3) - 1) };
      return { cutAfter: Math.floor(random() * object.byteLength) };
    };
  }

  describe.each(['', '60'])('--redirect-files "%s"', (redirect) => {
    test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
      'seed %i: every file arrives',
      async (seed) => {
        server.fault = faults(randomFrom(`${redirect} ${seed}`), MAX_FAULTS);
        const pulled = await pull(redirect);
        expect(expectOnlyWholeFiles(), pulled.stderr).toHaveLength(FILES.size);
        expect(pulled.exit).toBe(0);
      },
    );

    test('attachments cat prints the right bytes where the first reading has others', async () => {
      const { served, token } = services.get(redirect)!;
      const bytes = FILES.get('f0.bin')!;
      let isFirst = true;
      server.fault = ({ key, method }) => {
        if (!isFirst || method !== 'GET' || server.objects.get(key)?.byteLength !== bytes.byteLength)
          return undefined;
        isFirst = false;
        return { replaced: randomBytes(bytes.byteLength) };
      };
      const line = `attachments cat att_1 --base-url ${served.base_url} --allow-asset-host ${new URL(server.origin).host}`;
      const printed = await arx(dir, line, { env: { ARX_TOKEN: token } });
      expect([printed.exit, isFirst], printed.stderr).toEqual([0, false]);
      expect(printed.bytes.equals(bytes)).toBe(true);
    });

    test('without an end of the faults: a clear failure, and no wrong file', async () => {
      const random = randomFrom(`${redirect} endless`);
      server.fault = faults(random, Infinity);
      const { exit, stderr } = await pull(redirect);
      expectOnlyWholeFiles();
      expect([0, 5, 9, 10, 12], stderr).toContain(exit);
      expect(stderr).not.toMatch(/internal|undefined|\[object/);
    });
  });
});
