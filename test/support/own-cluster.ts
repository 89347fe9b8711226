// A PostgreSQL of one test alone, with durable writes, which the test can stop hard and start again, and a standby of it.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { appendFileSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, KEPT, makeCluster, owner, programs, ROLE } from './cluster.ts';
import { withClient } from './postgres.ts';
import { tempFolder } from './temp-folder.ts';

export type OwnCluster = {
  url: string;
  /** Folder of its programs. */
  bin: string;
  dir: string;
  port: number;
  /** Ends it as a crash would. */
  stop(): Promise<void>;
  /** Resolves when it answers. */
  start(): Promise<void>;
  close(): Promise<void>;
};

/** Undefined where the machine has none. `hosts`: lines of pg_hba.conf for TCP in place of the usual one. */
export async function ownCluster({ hosts }: { hosts?: string } = {}): Promise<OwnCluster | undefined> {
  const bin = programs();
  if (bin === undefined) return undefined;
  const dir = tempFolder('own-pg');
  const port = await freePort();
  writeSettings(dir, port);
  await makeCluster(bin, dir);
  const local = 'local all all trust\nlocal replication all trust\n';
  if (hosts !== undefined) writeFileSync(join(dir, 'data', 'pg_hba.conf'), `${local}${hosts}\n`);
  return started({ bin, dir, port });
}

/** A standby that follows the cluster by streaming replication. */
export async function standbyOf({ bin, dir: primary, port: from }: OwnCluster): Promise<OwnCluster> {
  const dir = tempFolder('own-pg');
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined) chownSync(dir, uid, gid);
  const port = await freePort();
  writeSettings(dir, port);
  const data = join(dir, 'data');
  const words = ['-D', data, '-h', primary, '-p', String(from), '-U', ROLE, '-R', '-c', 'fast'];
  const copied = spawnSync(join(bin, 'pg_basebackup'), words, { ...owner(), cwd: '/', encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(`pg_basebackup: ${copied.stderr}`);
  // The last setting counts.
  appendFileSync(join(data, 'postgresql.auto.conf'), `include '${join(dir, 'settings')}'\n`);
  return started({ bin, dir, port });
}

function writeSettings(dir: string, port: number): void {
  writeFileSync(
    join(dir, 'settings'),
    `listen_addresses = '127.0.0.1'
     port = ${port}
     unix_socket_directories = '${dir}'
     max_connections = 200
     shared_buffers = 128MB
     log_min_messages = panic
     ssl = on
    `,
  );
}

async function started({ bin, dir, port }: Pick<OwnCluster, 'bin' | 'dir' | 'port'>): Promise<OwnCluster> {
  const url = `postgres://${ROLE}@127.0.0.1:${port}/postgres?host=${encodeURIComponent(dir)}`;
  let server: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = new Promise((resolve) => running.once('exit', resolve));
    running.stdin?.end();
    await gone;
  };
  const start = async (): Promise<void> => {
    server = spawn('sh', ['-c', KEPT, join(bin, 'postgres'), join(dir, 'data')], {
      ...owner(),
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await withClient(async (client) => client.query('SELECT 1'), url);
  };
  await start();
  return { url, bin, dir, port, stop, start, close: stop };
}
