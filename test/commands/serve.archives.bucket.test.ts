// `arx serve --archives --redirect-files`: readers of several archives are sent to the bucket, each only to files that it may read.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withSchema } from '../../src/service/administration.ts';
import { freshDatabase } from '../support/archives-database.ts';
import { serveBucket, type BucketServer } from '../support/bucket-server.ts';
import { arx } from '../support/command.ts';
import { noPostgres } from '../support/postgres.ts';
import { serve, tokenOf, type Served } from '../support/served.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ENV = { AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'secret/of+test' };
const LARGE = { one: randomBytes(1_200_000), two: randomBytes(1_100_000), secret: randomBytes(1_300_000) };

describe.skipIf(noPostgres)('archives whose files are redirected to a bucket', () => {
  let dir: string;
  let url: string;
  let server: BucketServer;
  let served: Served;
  const own = (line: string) => arx(dir, line, { env: ENV });
  beforeEach(async () => {
    dir = tempFolder('archives-bucket');
    url = await freshDatabase();
    server = await serveBucket();
    const base = server.address('all');
    const inOne = `--database ${withSchema(url, 'one')} --blobs ${server.address('all/one')}`;
    const inTwo = `--database ${withSchema(url, 'two')} --blobs ${server.address('all/two')}`;
    for (const [name, bytes] of Object.entries(LARGE)) {
      mkdirSync(join(dir, name));
      writeFileSync(join(dir, name, `${name}.bin`), bytes);
    }
    for (const line of [
      `archive create ${url} one two --blobs ${base}`,
      `import one --tier external ${inOne}`,
      `import secret --tier internal ${inOne}`,
      `import two --tier external ${inTwo}`,
    ])
      expect(await own(line), line).toMatchObject({ exit: 0 });
    served = await serve(dir, ['--archives', url, '--blobs', base, '--redirect-files', '30'], ENV);
  });
  afterEach(async () => {
    await served.close();
    await server.close();
  });

  const base = (name: string) => `${served.base_url}/a/${name}`;
  async function filesOf(name: string, token: string): Promise<Map<string, string>> {
    const reply = await fetch(`${base(name)}/v1/attachments?limit=100`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { data } = (await reply.json()) as { data: { filename: string; file_url: string | null }[] };
    return new Map(
      data.flatMap(({ filename, file_url }) => (file_url === null ? [] : [[filename, file_url]])),
    );
  }
  async function redirected(address: string): Promise<{ status: number; to: URL | undefined }> {
    const { status, headers } = await fetch(address, { redirect: 'manual' });
    const location = headers.get('location');
    return { status, to: location === null ? undefined : new URL(location) };
  }
  async function externalToken(name: string): Promise<string> {
    const reply = await fetch(`${base(name)}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: 'c', observer_tier: 'external', requested_tier: 'external' }),
    });
    return ((await reply.json()) as { access_token: string }).access_token;
  }

  test('to the prefix of the archive, only what the reader may read, and not after the file is redacted', async () => {
    const internal = await filesOf('one', await tokenOf(base('one'), served.owner));
    const { status, to } = await redirected(internal.get('secret.bin')!);
    expect(status).toBe(307);
    expect(to!.pathname).toMatch(/^\/bucket\/all\/one\/[\da-f]{2}\//);
    expect(to!.searchParams.get('X-Amz-Expires')).toBe('30');
    expect(Buffer.from(await (await fetch(to!)).arrayBuffer()).equals(LARGE.secret)).toBe(true);

    const external = await filesOf('one', await externalToken('one'));
    expect([...external.keys()]).toEqual(['one.bin']);
    expect((await redirected(external.get('one.bin')!)).status).toBe(307);
    const forged = [
      internal.get('secret.bin')!.replace('/internal/', '/external/'),
      external.get('one.bin')!.replace('/external/', '/internal/'),
      external.get('one.bin')!.replace('/att_1/', '/att_2/'),
      // The signature of one archive opens nothing of another.
      external.get('one.bin')!.replace('/a/one/', '/a/two/'),
      internal.get('secret.bin')!.replace('/a/one/', '/a/two/'),
    ];
    for (const address of forged)
      expect(await redirected(address), address).toEqual({ status: 403, to: undefined });

    // The address was given out by a process that lets its readers have more.
    const lower = await serve(
      dir,
      [
        '--archives',
        url,
        '--blobs',
        server.address('all'),
        '--redirect-files',
        '30',
        '--max-tier',
        'external',
      ],
      ENV,
    );
    const there = internal.get('secret.bin')!.replace(served.asset_url, lower.asset_url);
    expect(await redirected(there)).toEqual({ status: 403, to: undefined });
    await lower.close();

    const place = `--database ${withSchema(url, 'one')} --blobs ${server.address('all/one')}`;
    expect(await own(`redact att_1 --reason secret --yes ${place}`)).toMatchObject({ exit: 0 });
    expect(await redirected(external.get('one.bin')!)).toEqual({ status: 403, to: undefined });
  });

  test('arx follows to an origin that is allowed, without its token, and says so where an address expired', async () => {
    const pull = async (more: string, to = 'got') =>
      arx(dir, `attachments pull --all --to ${to} --base-url ${base('two')} --json ${more}`, {
        env: { ARX_TOKEN: await tokenOf(base('two'), served.owner) },
      });
    const { host } = new URL(server.origin);
    const refused = await pull('');
    expect(refused.exit).toBe(11);
    expect(refused.stderr).toContain(`redirects to ${host} (status 307)`);
    server.seen.length = 0;
    expect(JSON.parse((await pull(`--allow-asset-host ${host}`)).stdout)).toMatchObject({ fixity: 'ok' });
    expect(readFileSync(join(dir, 'got', 'two.bin')).equals(LARGE.two)).toBe(true);
    // With a token of the archive the bucket would have refused it.
    expect(server.seen.filter(({ query }) => query.has('X-Amz-Signature'))).toHaveLength(1);

    server.now = () => Date.now() + 31_000;
    server.seen.length = 0;
    const late = await pull(`--allow-asset-host ${host}`, 'late');
    expect([late.exit, late.stderr]).toEqual([5, expect.stringContaining('status 403')]);
    // One address, another after it expired, and a refusal without a length is read by the other transport.
    expect(server.seen.filter(({ query }) => query.has('X-Amz-Signature'))).toHaveLength(3);
  });
});
