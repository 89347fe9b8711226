// A PostgreSQL for one test run: a cluster in a temporary folder, on a socket and a free port.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SELF_SIGNED } from './self-signed.ts';
import { tempFolder } from './temp-folder.ts';

export type Cluster = { dir: string; port: number };

/** The variable that tells the processes of a run where its cluster is; unset where the machine has no PostgreSQL. */
export const CLUSTER = 'ARX_TEST_CLUSTER';

/** The role of the tests; by the socket it needs no password. */
export const ROLE = 'arx';
export const PASSWORD = 'correct horse';

const PROGRAMS = '/usr/lib/postgresql';

/** The folder of the newest PostgreSQL's programs; undefined where the machine has none. */
export function programs(): string | undefined {
  if (!existsSync(PROGRAMS)) return undefined;
  const newest = readdirSync(PROGRAMS).sort((a, b) => Number(b) - Number(a));
  return newest
    .map((version) => join(PROGRAMS, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')));
}

/**
 * Starts the cluster of a test run. It is made while the first tests run; tests that need it wait for it. Returns the
 * function that stops it.
 */
export async function startCluster(): Promise<() => Promise<void>> {
  const bin = programs();
  if (bin === undefined) {
    console.warn(`no PostgreSQL under ${PROGRAMS}: all tests of the second engine are SKIPPED`);
    return async () => {};
  }
  const dir = tempFolder('pg');
  const port = await freePort();
  process.env[CLUSTER] = JSON.stringify({ dir, port } satisfies Cluster);
  writeFileSync(join(dir, 'settings'), settingsOf(dir, port));
  let server: ChildProcess | undefined;
  const made = makeCluster(bin, dir).then(() => {
    const words = ['-c', `${KEPT}; rm -rf "$2"`, join(bin, 'postgres'), join(dir, 'data'), dir];
    server = spawn('sh', words, { ...owner(), cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  });
  return async () => {
    await made.catch(() => {});
    if (server !== undefined && server.exitCode === null) {
      const gone = new Promise((resolve) => server?.once('exit', resolve));
      server.stdin?.end();
      await gone;
    }
  };
}

/**
 * The server lives as long as its stdin is held open: a run that is killed leaves nothing either. QUIT
 * ends it as a crash would, but one that has only just begun ignores that, as a shell's background programs do.
 */
export const KEPT = '"$0" -D "$1" & read -r end; kill -QUIT $!; kill -TERM $!; wait';

/** Never durable: nothing of it outlives the run. */
const settingsOf = (dir: string, port: number) => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = '${dir}'
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 32MB
max_connections = 200
max_locks_per_transaction = 256
autovacuum = off
log_min_messages = panic
ssl = on
`;

const HOSTS = `
local all all trust
host all all 127.0.0.1/32 scram-sha-256
`;

/** Makes a cluster in `<dir>/data` that reads `<dir>/settings`. */
export async function makeCluster(bin: string, dir: string): Promise<void> {
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined) chownSync(dir, uid, gid);
  const data = join(dir, 'data');
  const password = join(dir, 'password');
  writeFileSync(password, PASSWORD);
  const words = [
    '-D',
    data,
    '-U',
    ROLE,
    '--pwfile',
    password,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '-N',
  ];
  await new Promise<void>((resolve, reject) => {
    const making = spawn(join(bin, 'initdb'), words, { ...owner(), cwd: dir, stdio: 'ignore' });
    making.once('error', reject);
    making.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`initdb ended with ${code}`))));
  });
  for (const [name, text] of [
    ['server.key', SELF_SIGNED.key],
    ['server.crt', SELF_SIGNED.cert],
  ] as const) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (uid !== undefined && gid !== undefined) chownSync(join(data, name), uid, gid);
  }
  writeFileSync(join(data, 'pg_hba.conf'), HOSTS);
  writeFileSync(join(data, 'postgresql.auto.conf'), `include '${join(dir, 'settings')}'\n`);
}

/** PostgreSQL refuses to run as root: then it runs as its own user, or as nobody. */
export function owner(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const name = ['postgres', 'nobody'].find((user) => spawnSync('id', ['-u', user]).status === 0) ?? 'nobody';
  const numberOf = (flag: string) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
  return { uid: numberOf('-u'), gid: numberOf('-g') };
}

/** A port nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
