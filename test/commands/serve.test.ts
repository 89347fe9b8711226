// `arx serve` from outside: which host names it answers to, which headers it sends, and what it prints.
import { DatabaseSync } from '@photostructure/sqlite';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ErrorBody } from '../../src/contract/error.ts';
import { arx } from '../support/command.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { emptyData, sampleData } from '../support/sample.ts';
import { serve, type Served } from '../support/served.ts';

let dir: string;
let served: Served | undefined;
beforeEach(() => void (dir = tempFolder('serve')));
afterEach(async () => {
  await served?.close();
  served = undefined;
});

type Reply = { status: number; json: unknown };

function ask(url: string, headers: Record<string, string> = {}, body?: unknown): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const sent = request(
      url,
      { method, headers: { ...headers, 'content-type': 'application/json' } },
      (reply) => {
        reply.toArray().then((chunks) => {
          resolve({ status: reply.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) });
        }, reject);
      },
    );
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const token = (tier: string) =>
  ask(
    `${served?.base_url}/api/auth/token`,
    {},
    { client_id: 'c', observer_tier: tier, requested_tier: tier },
  );
const codeOf = ({ json }: Reply) => ErrorBody.parse(json).error.code;

test('a name that is not this machine’s is answered by neither port, until it is given', async () => {
  for (const [flags, own] of [
    [[], 'request_invalid'],
    [['--allow-host', 'Archive.example,b.example'], 'not_found'],
  ] as const) {
    served = await serve(dir, flags);
    for (const origin of [served.base_url, served.asset_url]) {
      expect(codeOf(await ask(`${origin}/x`))).toBe('not_found');
      expect(codeOf(await ask(`${origin}/x`, { host: 'evil.example' }))).toBe('request_invalid');
      expect(codeOf(await ask(`${origin}/x`, { host: 'archive.example:80' }))).toBe(own);
    }
    await served.close();
  }
});

test.each<[flags: string[], tiers: Record<string, number>]>([
  [[], { external: 200, internal: 403, mirror: 403 }],
  [['--max-tier', 'internal'], { external: 200, internal: 200, mirror: 403 }],
  [['--max-tier', 'mirror'], { external: 200, internal: 200, mirror: 200 }],
  [['--host', '0.0.0.0'], { external: 200, internal: 403, mirror: 403 }],
  [['--trust-proxy', '127.0.0.1'], { external: 200, internal: 403, mirror: 403 }],
  [['--allow-host', 'archive.example'], { external: 200, internal: 403, mirror: 403 }],
  [['--trust-proxy', '127.0.0.1', '--max-tier', 'internal'], { external: 200, internal: 200, mirror: 403 }],
])('tiers given with %j', async (flags, tiers) => {
  served = await serve(dir, flags);
  for (const [tier, status] of Object.entries(tiers)) expect((await token(tier)).status).toBe(status);
});

test.each<[flags: string[], tiers: Record<string, number>]>([
  [[], { external: 200, internal: 200, mirror: 403 }],
  [['--trust-proxy', '127.0.0.1'], { external: 200, internal: 200, mirror: 403 }],
  [['--max-tier', 'external'], { external: 200, internal: 403, mirror: 403 }],
  [['--host', '0.0.0.0'], { external: 200, internal: 403, mirror: 403 }],
])('tiers given to the user who runs it with %j', async (flags, tiers) => {
  served = await serve(dir, flags);
  const url = served.base_url.replace('0.0.0.0', '127.0.0.1');
  for (const [tier, status] of Object.entries(tiers)) {
    const who = `--client-id me --observer-tier ${tier} --requested-tier ${tier}`;
    const { exit, stdout, stderr } = await arx(dir, `login --base-url ${url} ${who} --json`);
    expect([exit, stderr]).toEqual(
      status === 200
        ? [0, expect.stringMatching(/^arx: tokens are stored in \S+\n$/)]
        : [5, expect.stringMatching(/no scope above tier (\w+);[^]*--observer-tier \1 /)],
    );
    if (exit === 0) expect(JSON.parse(stdout)).toMatchObject({ access_tier: tier });
    expect(stderr).not.toContain('to others than');
  }
});

test('the user who runs it pulls files of the tier internal', async () => {
  await sampleData(join(dir, 'data'));
  served = await serve(dir);
  const base = `--base-url ${served.base_url}`;
  const who = '--client-id me --observer-tier internal --requested-tier internal';
  expect((await arx(dir, `login ${who} ${base}`)).exit).toBe(0);
  const far = await arx(dir, `attachments pull --all --to far ${base} --json`);
  const near = await arx(dir, 'attachments pull --all --to near --json');
  expect([far.exit, readdirSync(join(dir, 'far'))]).toEqual([near.exit, readdirSync(join(dir, 'near'))]);
});

test('the secret of its user is in a file of mode 0600, which goes with the service; others prove nothing', async () => {
  served = await serve(dir);
  const name = `owner-127.0.0.1-${new URL(served.base_url).port}`;
  const path = join(dir, 'config', name);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const secret = readFileSync(path, 'utf8');
  const asks = (value: string) =>
    ask(
      `${served?.base_url}/api/auth/token`,
      { 'x-arx-owner-secret': value },
      { client_id: 'c', observer_tier: 'internal', requested_tier: 'internal' },
    );
  expect((await asks(secret)).status).toBe(200);
  for (const wrong of ['', 'x', secret.slice(1), `${secret}x`]) expect((await asks(wrong)).status).toBe(403);
  await served.close();
  expect(readdirSync(join(dir, 'config'))).not.toContain(name);
});

const OTHERS = 'ids and places of the rest';
test.each<[flags: string[], line: string]>([
  [[], ''],
  [['--max-tier', 'mirror'], ''],
  [
    ['--host', '0.0.0.0'],
    `arx: anyone who reaches this service (--host) can read messages and files of tier external, and ${OTHERS}\n`,
  ],
  [
    ['--trust-proxy', '127.0.0.1'],
    `arx: anyone who reaches this service (--trust-proxy) can read messages and files of tier external, and ${OTHERS}\n`,
  ],
  [
    ['--allow-host', 'archive.example', '--max-tier', 'internal'],
    `arx: anyone who reaches this service (--allow-host) can read messages and files up to tier internal, and ${OTHERS}, and can send events\n`,
  ],
  [
    ['--host', '0.0.0.0', '--max-tier', 'mirror', '--read-only'],
    'arx: anyone who reaches this service (--host) can read all messages and files\n',
  ],
])('one line says what strangers can read with %j', async (flags, line) => {
  await sampleData(join(dir, 'data'));
  served = await serve(dir, flags);
  expect(served.stderrText()).toBe(line);
});

test('a new archive in the data folder is noticed, with what named the folder, since a typo makes one', async () => {
  served = await serve(dir);
  const folder = join(dir, 'data');
  expect(served.stderrText()).toBe(`arx: no archive was in ${folder} (ARX_DATA_DIR): made a new one\n`);
  await served.close();
  served = await serve(dir);
  expect(served.stderrText()).toBe('');
});

test('an archive that --database names and that is new or empty is noticed, since a typo makes one', async () => {
  for (const said of [
    `no archive was in ${join(dir, 'typo')}: made a new one`,
    `the archive in ${join(dir, 'typo')} is empty`,
  ]) {
    served = await serve(dir, ['--database', 'sqlite:typo']);
    expect(served.stderrText()).toBe(`arx: ${said}\n`);
    await served.close();
  }
  await sampleData(join(dir, 'data'));
  served = await serve(dir, ['--database', 'sqlite:data']);
  expect(served.stderrText()).toBe('');
});

test.each(['--port', '--asset-port', '--metrics-port'])(
  'a port in use is named with its option: %s',
  async (flag) => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const others = ['--port', '--asset-port'].filter((each) => each !== flag).map((each) => `${each} 0`);
    const { exit, stderr } = await arx(dir, `serve ${others.join(' ')} ${flag} ${port}`);
    await new Promise((resolve) => taken.close(resolve));
    expect(exit).toBe(2);
    expect(stderr).toContain(`, ${flag}) is in use`);
    expect(stderr).toContain(`hint: name another ${flag}; ${flag} 0 takes a free one`);
  },
);

test.each([
  ['--port 5 --asset-port 5', '--port and --asset-port', 5],
  ['--port 5 --metrics-port 6', '--asset-port and --metrics-port', 6],
  ['--port 0 --asset-port 7 --metrics-port 7', '--asset-port and --metrics-port', 7],
])('options that name one port are exit 2: %s', async (options, both, port) => {
  const { exit, stderr } = await arx(dir, `serve ${options}`);
  expect([exit, stderr]).toEqual([
    2,
    `arx: ${both} are the same port, ${port} [usage, exit 2]\n` +
      '  hint: name another one, or 0 for a free one; without --asset-port it is the one after --port\n',
  ]);
});

test.each([
  ['a name that no machine has', '--host', 'x'.repeat(64)],
  ['a name with a port', '--metrics-host', 'localhost:80'],
  ['an address of a network that is not ours', '--host', 'fe80::1'],
])('an address that cannot be bound is named with its option: %s', async (_, option, host) => {
  await emptyData(join(dir, 'data'));
  const ports = '--port 0 --asset-port 0 --metrics-port 0';
  const { exit, stderr } = await arx(dir, `serve ${ports} ${option} ${host}`);
  expect(exit).toBe(2);
  expect(stderr).toBe(
    `arx: ${option}: ${host} is no address of this machine, and no known name of one [usage, exit 2]\n` +
      `  hint: ${option} 127.0.0.1 is this machine alone, ${option} 0.0.0.0 all its addresses\n`,
  );
});

test('all ports that are in use are named at once', async () => {
  const taken = [createServer(), createServer(), createServer()];
  const ports: number[] = [];
  for (const server of taken) {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    ports.push((server.address() as AddressInfo).port);
  }
  const [api, assets, metrics] = ports;
  await emptyData(join(dir, 'data'));
  const two = await arx(dir, `serve --port ${api} --asset-port ${assets}`);
  const three = await arx(dir, `serve --port ${api} --asset-port ${assets} --metrics-port ${metrics}`);
  for (const server of taken) await new Promise((resolve) => server.close(resolve));
  const begin = `arx: port ${assets} (files, --asset-port) and port ${api} (API, --port)`;
  const flags = '--asset-port and --port';
  expect(two).toMatchObject({ exit: 2, stdout: '' });
  expect(two.stderr).toBe(
    `${begin} are in use [usage, exit 2]\n  hint: name another ${flags}; ${flags} 0 take free ones\n`,
  );
  expect(three.stderr).toContain(`${begin} and port ${metrics} (metrics, --metrics-port) are in use`);
});

test('a folder that is served already is served again with --read-only', async () => {
  await sampleData(join(dir, 'data'));
  served = await serve(dir);
  const second = await arx(dir, 'serve --port 0', { running: () => true });
  expect(second.exit).toBe(15);
  expect(second.stderr).toContain('serve.lock is held by process');
  expect(second.stderr).toContain('  hint: to serve it twice: --read-only with another --port; if no arx');
  const first = served;
  served = await serve(dir, ['--read-only']);
  await first.close();
});

test.each(['serve --port 0', 'import mails', 'archive copy sqlite:data'])(
  '%s makes no archive in a folder of other things, and no folder above one',
  async (words) => {
    await sampleData(join(dir, 'data'));
    mkdirSync(join(dir, 'mails'));
    mkdirSync(join(dir, 'photos'));
    for (const path of ['mails/a.eml', 'photos/1.jpg']) writeFileSync(join(dir, path), 'Subject: s\n\nx\n');
    const option = words.startsWith('archive') ? '' : '--database ';
    const run = async (name: string) => {
      const { exit, stderr } = await arx(dir, `${words} ${option}sqlite:${name}`);
      return [exit, stderr];
    };
    expect(await run('photos')).toEqual([
      13,
      expect.stringContaining(
        `${join(dir, 'photos')}: the folder is not empty, and no archive [unsafe, exit 13]\n`,
      ),
    ]);
    expect(readdirSync(join(dir, 'photos'))).toEqual(['1.jpg']);
    expect(await run('none/new')).toEqual([
      2,
      expect.stringContaining(`${join(dir, 'none')}: no such folder [usage, exit 2]`),
    ]);
    expect(existsSync(join(dir, 'none'))).toBe(false);
  },
);

test('redact makes no archive where --database names none', async () => {
  const { exit, stderr } = await arx(dir, 'redact --yes att_1 --database sqlite:typo');
  expect([exit, stderr]).toEqual([
    6,
    `arx: no archive in ${join(dir, 'typo')} [not_found, exit 6]\n  hint: arx config path prints the folder of the local archive\n`,
  ]);
  expect(existsSync(join(dir, 'typo'))).toBe(false);
});

test.each([
  [{}, /^arx: (req_\w+) failed: \w*Error ERR_SQLITE_ERROR 1\n$/],
  [{ ARX_DEBUG: '1' }, /^arx: (req_\w+) failed: [^\n]+\n(arx: req_\w+ at [^\n]+\n)+$/],
])(
  'a database that lost a table leaves a line under the id of the request, without its words: %j',
  async (env, lines) => {
    await sampleData(join(dir, 'data'));
    served = await serve(dir, [], env);
    const broken = new DatabaseSync(join(dir, 'data', 'archive.db'));
    broken.exec('DROP TABLE tokens');
    broken.close();
    const { json, status } = await token('external');
    const { error } = ErrorBody.parse(json);
    expect([status, error.code]).toEqual([500, 'storage_damaged']);
    const said = served.stderrText();
    expect(said).not.toContain('no such table');
    expect(lines.exec(said)?.[1]).toBe(error.request_id);
  },
);
