// Programs in front of PostgreSQL: PgBouncer, and HAProxy, each on a port of loopback with a configuration in a temporary folder.
import { spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, owner, ROLE } from './cluster.ts';
import type { OwnCluster } from './own-cluster.ts';
import { tempFolder } from './temp-folder.ts';

const PROGRAMS = { pgbouncer: '/usr/sbin/pgbouncer', haproxy: '/usr/sbin/haproxy' };

/** Says why a test is skipped, undefined where the programs are there. */
export function missingFront(...names: (keyof typeof PROGRAMS)[]): string | undefined {
  const missing = names.filter((name) => !existsSync(PROGRAMS[name]));
  if (missing.length === 0) return undefined;
  const reason = `no ${missing.join(', no ')} on this machine`;
  console.warn(`${reason}: tests of set-ups with PostgreSQL are SKIPPED`);
  return reason;
}

export type Front = {
  port: number;
  stop(): Promise<void>;
  /** Resolves when it listens again, on the same port. */
  start(): Promise<void>;
};

/** PgBouncer before a cluster, with few connections to it, so that clients share them. */
export async function startPgbouncer(
  { dir: socket, port: server }: OwnCluster,
  mode: 'transaction' | 'session' | 'statement',
  size = 3,
): Promise<Front> {
  const dir = tempFolder('pgbouncer');
  const port = await freePort();
  const users = join(dir, 'users');
  const file = join(dir, 'pgbouncer.ini');
  writeFileSync(users, `"${ROLE}" ""\n`);
  writeFileSync(
    file,
    `[databases]
* = host=${socket} port=${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
admin_users = ${ROLE}
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 200
server_login_retry = 1
`,
  );
  const { uid, gid } = owner();
  if (uid !== undefined && gid !== undefined)
    for (const path of [dir, users, file]) chownSync(path, uid, gid);
  return startFront(port, () => spawn(PROGRAMS.pgbouncer, [file], { ...owner(), cwd: '/', stdio: 'ignore' }));
}

/** HAProxy sends each request to one of the processes whose probe `/api/health/ready` succeeds, and to another where that fails. */
export async function startHaproxy(servers: readonly number[]): Promise<Front> {
  const dir = tempFolder('haproxy');
  const port = await freePort();
  const file = join(dir, 'haproxy.cfg');
  writeFileSync(
    file,
    `global
  maxconn 500
defaults
  mode http
  timeout connect 2s
  timeout client 1m
  timeout server 1m
  retries 3
  option redispatch
  retry-on all-retryable-errors
frontend in
  bind 127.0.0.1:${port}
  default_backend arx
backend arx
  option httpchk GET /api/health/ready
  http-check send hdr Host localhost
${servers.map((at) => `  server s${at} 127.0.0.1:${at} check inter 200 fall 1 rise 1`).join('\n')}
`,
  );
  return startFront(port, () => spawn(PROGRAMS.haproxy, ['-db', '-f', file], { cwd: dir, stdio: 'ignore' }));
}

async function startFront(port: number, run: () => ChildProcess): Promise<Front> {
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = run();
    await listening(port, child);
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
  };
  await start();
  process.once('exit', () => void child?.kill('SIGKILL'));
  return { port, start, stop };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    if (child.exitCode !== null || tries === 200)
      throw new Error(`${child.spawnfile} did not begin to listen`);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return;
    await sleep(25);
  }
}
