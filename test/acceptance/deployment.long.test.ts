// The files of `arx help deployment`, each with the program it is for: nginx with TLS, systemd, logrotate, Prometheus.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/cluster.ts';
import { noNginx, runNginx, type Nginx } from '../support/nginx.ts';
import { buildProgram, type Program, type Running } from '../support/program.ts';
import { SELF_SIGNED } from '../support/self-signed.ts';
import { tempFolder } from '../support/temp-folder.ts';

const TOPIC = readFileSync(join(import.meta.dirname, '../../src/help/topics/deployment.md'), 'utf8');
/** The blocks of the topic in their order. */
const [SERVERS = '', UNIT = '', ROTATION = '', RULES = ''] = [...TOPIC.matchAll(/```\n([^`]*)```/g)].map(
  ([, text]) => text,
);
/** The words after the program in the line that systemd starts. */
const STARTED = /^ExecStart=\S+ ((?:.*\\\n)*.*)/m.exec(UNIT)![1]!.replaceAll('\\\n', ' ').split(/\s+/);

let arx: Program;
let dir: string;
let service: Running;
let ports: Record<'api' | 'assets' | 'tls' | 'tlsAssets' | 'metrics', number>;
const log = () => join(dir, 'access.log');
beforeAll(async () => {
  arx = buildProgram();
  dir = tempFolder('deployment');
  ports = {
    api: await freePort(),
    assets: await freePort(),
    tls: await freePort(),
    tlsAssets: await freePort(),
    metrics: await freePort(),
  };
  mkdirSync(join(dir, 'files'));
  writeFileSync(join(dir, 'files', 'note.txt'), 'a note\n');
  writeFileSync(join(dir, 'files', 'large.bin'), Buffer.alloc(3_000_000, 7));
  const place = `sqlite:${join(dir, 'archive')}`;
  const imported = await arx.run(['import', 'files', '--tier', 'external', '--database', place], { dir });
  expect(imported).toMatchObject({ exit: 0 });
  const replaced: Record<string, string> = {
    'sqlite:/var/lib/arx/archive': place,
    'https://archive.example:8443': `https://127.0.0.1:${ports.tlsAssets}`,
    '/var/log/arx/access.log': log(),
    '9100': String(ports.metrics),
  };
  const words = STARTED.map((word) => replaced[word] ?? word);
  service = arx.start(
    [...words, '--port', String(ports.api), '--asset-port', String(ports.assets), '--json'],
    { dir },
  );
  await service.says('stdout', /\n/);
});
afterAll(async () => {
  service.child.kill('SIGTERM');
  expect(await service.ended).toMatchObject({ exit: 0 });
});

describe.skipIf(noNginx)('nginx with TLS', () => {
  let nginx: Nginx;
  beforeAll(async () => {
    writeFileSync(join(dir, 'archive.pem'), SELF_SIGNED.cert);
    writeFileSync(join(dir, 'archive.key'), SELF_SIGNED.key, { mode: 0o600 });
    const servers = SERVERS.replace('listen 443 ', `listen 127.0.0.1:${ports.tls} `)
      .replace('listen 8443 ', `listen 127.0.0.1:${ports.tlsAssets} `)
      .replaceAll('/etc/ssl/archive.pem', join(dir, 'archive.pem'))
      .replaceAll('/etc/ssl/private/archive.key', join(dir, 'archive.key'))
      .replace('127.0.0.1:4747', `127.0.0.1:${ports.api}`)
      .replace('127.0.0.1:4748', `127.0.0.1:${ports.assets}`);
    nginx = await runNginx(servers, [ports.tls, ports.tlsAssets]);
  });
  afterAll(() => nginx.close());

  test('a client logs in and pulls through it, where it knows the certificate', async () => {
    const base = `https://127.0.0.1:${ports.tls}`;
    const login = ['login', '--base-url', base, '--client-id', 'c', '--observer-tier', 'external'];
    const unknown = await arx.run(login, { dir });
    expect([unknown.exit, unknown.stderr]).toEqual([10, expect.stringMatching(/certificate/i)]);
    const env = { NODE_EXTRA_CA_CERTS: join(dir, 'archive.pem') };
    expect(await arx.run(login, { dir, env })).toMatchObject({ exit: 0 });
    const pull = ['attachments', 'pull', '--all', '--to', 'got', '--base-url', base, '--json'];
    const pulled = await arx.run(pull, { dir, env });
    expect([pulled.exit, pulled.stderr]).toEqual([0, '']);
    expect(readFileSync(join(dir, 'got', 'large.bin'))).toEqual(Buffer.alloc(3_000_000, 7));
  });

  test('the name of the proxy is answered, and another one is not', async () => {
    const statusOf = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request(
          {
            host: '127.0.0.1',
            port: ports.tls,
            path: '/api/health/live',
            ca: SELF_SIGNED.cert,
            checkServerIdentity: () => undefined,
            headers: { host },
          },
          (response) => {
            response.resume();
            resolve(response.statusCode);
          },
        );
        asked.once('error', reject);
        asked.end();
      });
    expect(await statusOf('archive.example')).toBe(200);
    expect(await statusOf('elsewhere.example')).toBe(400);
  });
});

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))('systemd takes the unit', () => {
  const unit = join(dir, 'arx.service');
  writeFileSync(unit, UNIT.replace('/usr/local/bin/arx', '/bin/true'));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  // It also reads the units of this machine.
  expect([status, stderr.split('\n').filter((line) => line.includes('arx.service'))]).toEqual([0, []]);
});

test.skipIf(!existsSync('/usr/sbin/logrotate'))(
  'logrotate rotates the log of a running service',
  async () => {
    const health = () => fetch(`http://127.0.0.1:${ports.api}/api/health`);
    await health();
    const before = readFileSync(log(), 'utf8');
    expect(before).toContain('"route":"health"');
    const file = join(dir, 'rotation');
    writeFileSync(file, ROTATION.replace('/var/log/arx/access.log', log()), { mode: 0o644 });
    execFileSync('/usr/sbin/logrotate', ['--force', '--state', join(dir, 'state'), file]);
    expect(existsSync(`${log()}.1.gz`)).toBe(true);
    await health();
    // A line is written after its answer.
    await expect.poll(() => readFileSync(log(), 'utf8')).toMatch(/\n$/);
    const lines = readFileSync(log(), 'utf8').trimEnd().split('\n');
    // What was written before is not there any more, nor its length in zeros.
    expect(lines.length).toBeLessThan(before.split('\n').length);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ event: 'answered' });
  },
);

test('the rules name metrics that there are, and their labels', async () => {
  const shown = await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text();
  const expressions = [...RULES.matchAll(/expr: (.*)/g)].map(([, text]) => text!);
  expect(expressions.length).toBeGreaterThan(5);
  // These are of PostgreSQL, of a bucket, of what was refused, and of Prometheus itself.
  const elsewhere = new Set([
    'arx_database_takes_writes',
    'arx_bucket_requests_total',
    'arx_turned_away_total',
    'up',
  ]);
  for (const expression of expressions) {
    const [, name = '', label] = /\b((?:arx|up)\w*)(?:\{(\w+)=)?/.exec(expression)!;
    if (elsewhere.has(name)) continue;
    expect(shown, expression).toContain(`# TYPE ${name} `);
    // Counters of what did not happen yet have no line.
    const line = shown.split('\n').find((each) => each.startsWith(`${name}{`));
    if (label !== undefined) expect(line, expression).toContain(`${label}="`);
  }
});
