// An archive on PostgreSQL that keeps its files in a bucket: whole commands, from import to pull, fsck and copy.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serveBucket, type BucketServer } from '../../support/bucket-server.ts';
import { arx, type Ran } from '../../support/command.ts';
import { sha256Of } from '../../support/digest.ts';
import { freshUrl, noPostgres } from '../../support/postgres.ts';
import { serve, tokenOf } from '../../support/served.ts';
import { tempFolder } from '../../support/temp-folder.ts';

describe.skipIf(noPostgres)('--blobs s3://…', () => {
  let dir: string;
  let url: string;
  let server: BucketServer;
  beforeEach(async () => {
    dir = tempFolder('bucket');
    url = await freshUrl();
    server = await serveBucket();
    mkdirSync(join(dir, 'notes'));
    for (const name of ['one', 'two']) writeFileSync(join(dir, 'notes', `${name}.txt`), `note ${name}\n`);
    writeFileSync(join(dir, 'notes', 'large.bin'), LARGE);
  });
  afterEach(() => server.close());
  const LARGE = randomBytes(9 * 1024 * 1024);
  const ENV = { AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'secret/of+test' };
  const run = (line: string, env: Record<string, string> = ENV): Promise<Ran> =>
    arx(dir, '', { argv: [...line.split(' '), '--database', url, '--blobs', server.address()], env });
  /** Everything that a command printed: no secret is in it. */
  const saidBy = ({ stdout, stderr }: Ran): string => {
    expect(stdout + stderr).not.toContain(ENV.AWS_SECRET_ACCESS_KEY);
    return stdout + stderr;
  };

  test('import stores each file once, fsck checks all, and says what is wrong', async () => {
    expect(await run('import notes')).toMatchObject({ exit: 0 });
    expect(await run('import notes')).toMatchObject({ exit: 0 });
    const key = `arx/files/${sha256Of(LARGE).slice(0, 2)}/${sha256Of(LARGE).slice(2)}`;
    expect(server.objects.get(key)?.equals(LARGE)).toBe(true);
    expect(server.objects.size).toBe(4);
    const good = await run('fsck --json');
    expect(JSON.parse(good.stdout)).toMatchObject({
      files: 'bucket',
      files_at: 's3://bucket/arx/files',
      verdict: 'ok',
    });
    server.objects.set(key, LARGE.subarray(1));
    server.objects.delete(
      [...server.objects.keys()].find((each) => /files\/..\//.test(each) && each !== key)!,
    );
    const bad = await run('fsck --json');
    expect(bad.exit).toBe(12);
    expect(saidBy(bad)).toMatch(/bytes have another hash/);
    expect(saidBy(bad)).toMatch(/file missing/);
    expect((await run('fsck -o table')).stdout).toMatch(
      /^damaged, .*, files in the bucket s3:\/\/bucket\/arx\/files$/m,
    );
  });

  test('without credentials, with wrong ones, and at another bucket: nothing is stored', async () => {
    const none = await run('import notes', { AWS_EC2_METADATA_DISABLED: 'true' });
    expect(none.exit).toBe(4);
    expect(saidBy(none)).toContain('there are no credentials for the bucket');
    const wrong = await run('import notes', { ...ENV, AWS_SECRET_ACCESS_KEY: 'wrong' });
    expect(wrong.exit).toBe(4);
    expect(saidBy(wrong)).toContain('SignatureDoesNotMatch');
    expect(server.objects.size).toBe(0);
    expect(await run('import notes')).toMatchObject({ exit: 0 });
    const folder = await arx(dir, '', {
      argv: ['fsck', '--database', url, '--blobs', join(dir, 'folder')],
    });
    expect(folder).toMatchObject({ exit: 2 });
    expect(folder.stderr).toContain('the archive keeps its files in the bucket, not in a folder');
    const other = await arx(dir, '', {
      argv: ['fsck', '--database', url, '--blobs', server.address('other')],
      env: ENV,
    });
    expect(other.exit).toBe(15);
    expect(other.stderr).toContain('--blobs s3://bucket/other is not the bucket of this archive');
  });

  test('a bucket that may only be read is served, and nothing is stored', async () => {
    expect(await run('import notes')).toMatchObject({ exit: 0 });
    const { size } = server.objects;
    server.fault = ({ method }) =>
      method === 'GET' || method === 'HEAD' ? undefined : { status: 403, code: 'AccessDenied' };
    const served = await serve(dir, ['--database', url, '--blobs', server.address()], ENV);
    try {
      const token = await tokenOf(served.base_url, served.owner);
      const line = `attachments pull --all --to got --base-url ${served.base_url} --json`;
      expect(await arx(dir, line, { env: { ARX_TOKEN: token } })).toMatchObject({ exit: 0 });
      expect((await fetch(`${served.base_url}/api/health/ready`)).status).toBe(200);
    } finally {
      expect(await served.close()).toBe(0);
    }
    expect(served.stderrText()).not.toContain('failed');
    writeFileSync(join(dir, 'notes', 'three.txt'), 'note three');
    const refused = await run('import notes');
    expect(refused.exit).toBe(4);
    expect(saidBy(refused)).toContain('refuses these credentials, or what they are used for (AccessDenied)');
    expect(refused.stderr).toContain('hint: arx needs to get, put and list objects');
    expect(server.objects.size).toBe(size);
  });

  test.each([
    [
      'an hour of difference',
      () => ({ date: new Date(Date.now() - 3_600_000).toUTCString() }),
      { status: 403, code: 'RequestTimeTooSkewed', exit: 4, message: 'it is 60 minutes ahead' },
    ],
    [
      'another region',
      () => ({ 'x-amz-bucket-region': 'eu-central-1' }),
      { status: 301, code: 'PermanentRedirect', exit: 15, message: 'region=eu-central-1' },
    ],
  ])('%s', async (_, headers, { status, code, exit, message }) => {
    expect(await run('import notes')).toMatchObject({ exit: 0 });
    server.fault = () => ({ status, code, headers: headers() });
    for (const line of ['import notes', 'serve --port 0', 'fsck', 'blobs move --to database --yes']) {
      const ran = await run(line);
      expect({ line, ...ran }).toMatchObject({ exit, stdout: '' });
      expect(saidBy(ran)).toContain(message);
    }
  });

  test('credentials of a profile', async () => {
    mkdirSync(join(dir, '.aws'));
    writeFileSync(
      join(dir, '.aws', 'credentials'),
      '# of tests\n[default]\naws_access_key_id = other\naws_secret_access_key = other\n\n[arx]\r\n  indented = no\naws_access_key_id=AKIATEST\r\naws_secret_access_key = secret/of+test\n',
    );
    const env = { AWS_SHARED_CREDENTIALS_FILE: join(dir, '.aws', 'credentials'), AWS_PROFILE: 'arx' };
    expect(await run('import notes', env)).toMatchObject({ exit: 0 });
    expect(await run('fsck', { ...env, AWS_PROFILE: 'default' })).toMatchObject({ exit: 4 });
  });

  test('files that are served come from the bucket: pulled whole, in ranges, and 503 while it is busy', async () => {
    expect(await run('import notes')).toMatchObject({ exit: 0 });
    const served = await serve(dir, ['--database', url, '--blobs', server.address()], ENV);
    try {
      const { base_url: baseUrl, owner } = served;
      const token = await tokenOf(baseUrl, owner);
      server.seen.length = 0;
      const pulled = await arx(dir, `attachments pull --all --to got --base-url ${baseUrl} --json`, {
        env: { ARX_TOKEN: token },
      });
      expect(JSON.parse(pulled.stdout)).toMatchObject({ fixity: 'ok' });
      expect(readFileSync(join(dir, 'got', 'large.bin')).equals(LARGE)).toBe(true);
      // A small file takes one request.
      const asked = new Map<string, string>();
      for (const { key, method } of server.seen) asked.set(key, `${asked.get(key) ?? ''} ${method}`.trim());
      const large = sha256Of(LARGE);
      const keyOfLarge = `arx/files/${large.slice(0, 2)}/${large.slice(2)}`;
      for (const [key, methods] of asked)
        if (key.startsWith('arx/files/') && !key.endsWith('.json'))
          expect(methods).toBe(key === keyOfLarge ? 'HEAD GET' : 'GET');
      const listed = await fetch(`${baseUrl}/v1/attachments?limit=10`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { data } = (await listed.json()) as { data: { filename: string; file_url: string }[] };
      const address = data.find(({ filename }) => filename === 'large.bin')!.file_url;
      const part = await fetch(address, { headers: { range: 'bytes=8388600-8388619' } });
      expect(Buffer.from(await part.arrayBuffer()).equals(LARGE.subarray(8_388_600, 8_388_620))).toBe(true);
      expect(await (await fetch(`${baseUrl}/api/health/ready`)).json()).toMatchObject({ status: 'ready' });
      await server.close();
      expect((await fetch(`${baseUrl}/api/health/ready`)).status).toBe(503);
      expect((await fetch(address)).status).toBe(503);
    } finally {
      expect(await served.close()).toBe(0);
      expect(served.stderrText()).not.toContain(ENV.AWS_SECRET_ACCESS_KEY);
      server = await serveBucket();
    }
  });

  test('large files are redirected to the bucket, where that is asked for: to an origin that the reader allows, without a token', async () => {
    expect(await run('import notes')).toMatchObject({ exit: 0 });
    const served = await serve(
      dir,
      ['--database', url, '--blobs', server.address(), '--redirect-files', '60'],
      ENV,
    );
    try {
      const { base_url: baseUrl, owner } = served;
      const token = await tokenOf(baseUrl, owner);
      const pull = (more: string) =>
        arx(dir, `attachments pull --all --to got --base-url ${baseUrl} --json ${more}`, {
          env: { ARX_TOKEN: token },
        });
      const { host } = new URL(server.origin);
      const refused = await pull('');
      expect(refused.exit).toBe(11);
      expect(refused.stderr).toContain(`redirects to ${host} (status 307)`);
      server.seen.length = 0;
      expect(JSON.parse((await pull(`--allow-asset-host ${host}`)).stdout)).toMatchObject({ fixity: 'ok' });
      expect(readFileSync(join(dir, 'got', 'large.bin')).equals(LARGE)).toBe(true);
      // Only the large file was asked for by an address. With a token of the archive the bucket would have refused it.
      expect(server.seen.filter(({ query }) => query.has('X-Amz-Signature'))).toHaveLength(1);

      const listed = await fetch(`${baseUrl}/v1/attachments?limit=10`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { data } = (await listed.json()) as {
        data: { id: string; filename: string; file_url: string }[];
      };
      const { id, file_url: address } = data.find(({ filename }) => filename === 'large.bin')!;
      const ask = (init: RequestInit = {}) => fetch(address, { redirect: 'manual', ...init });
      const sent = await ask();
      expect(sent.status).toBe(307);
      expect(sent.headers.get('cache-control')).toBe('no-store');
      const location = new URL(sent.headers.get('location')!);
      expect(location.searchParams.get('X-Amz-Expires')).toBe('60');
      expect((await ask({ method: 'HEAD' })).status).toBe(200);

      // Other bytes in the bucket are found by the reader.
      const key = location.pathname.replace('/bucket/', '');
      server.objects.set(key, Buffer.alloc(LARGE.byteLength));
      rmSync(join(dir, 'got', 'large.bin'));
      expect((await pull(`--allow-asset-host ${host}`)).exit).toBe(12);
      server.objects.set(key, LARGE.subarray(1));
      expect((await ask()).status).toBe(500);

      expect(await run(`redact ${id} --reason secret --yes`)).toMatchObject({ exit: 0 });
      const redacted = await ask();
      expect([redacted.status, redacted.headers.get('location')]).toEqual([403, null]);
    } finally {
      expect(await served.close()).toBe(0);
    }
  });

  test('files are redirected to no folder', async () => {
    const refused = await arx(dir, '', {
      argv: ['serve', '--database', url, '--blobs', join(dir, 'files'), '--redirect-files', '60'],
    });
    expect(refused).toMatchObject({ exit: 2 });
    expect(refused.stderr).toContain('--redirect-files goes with --blobs s3://');
  });

  test('archive copy from a folder into a bucket, verified', async () => {
    expect((await arx(dir, 'import notes')).exit).toBe(0);
    const copy = await arx(dir, '', {
      argv: ['archive', 'copy', `sqlite:${join(dir, 'data')}`, url, '--to-blobs', server.address(), '--json'],
      env: ENV,
    });
    expect(saidBy(copy)).toContain('"verdict":"equal"');
    expect(copy.exit).toBe(0);
    expect(JSON.parse(copy.stdout)).toMatchObject({ to: { engine: 'postgres', files: 'bucket' } });
    expect(await run('fsck')).toMatchObject({ exit: 0 });
  });
});
