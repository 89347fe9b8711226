// A PostgreSQL of one test alone, with durable writes, which the test can stop hard and start again.
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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

/** Undefined where the machine has none. */
export async function ownCluster(): Promise<OwnCluster | undefined> {
  const bin = programs();
  if (bin === undefined) return undefined;
  const dir = tempFolder('own-pg');
  const port = await freePort();
  writeFileSync(
    join(dir, 'settings'),
    `listen_addresses = '127.0.0.1'
     port = ${port}
     unix_socket_directories = '${dir}'
     max_connections = 200
     shared_buffers = 128MB
     log_min_messages = panic
    `,
  );
  await makeCluster(bin, dir);
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
  return {
    url,
    bin,
    dir,
    port,
    stop,
    start,
    close: async () => {
      await stop();
    },
  };
}
