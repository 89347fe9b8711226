// nginx as a load balancer on loopback, with a configuration in a temporary folder.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempFolder } from './temp-folder.ts';

const PROGRAM = '/usr/sbin/nginx';
export const noNginx = !existsSync(PROGRAM);

export type Upstreams = { port: number; servers: readonly number[] }[];

export type Nginx = { close(): Promise<void> };

/** Listens on each port and passes every request on to one of its servers, to another where that goes. */
export async function startNginx(upstreams: Upstreams): Promise<Nginx> {
  return runNginx(
    serversOf(upstreams),
    upstreams.map(({ port }) => port),
  );
}

/** Runs nginx with these parts of its block `http`, and waits until it listens on the ports. */
export async function runNginx(servers: string, ports: readonly number[]): Promise<Nginx> {
  const dir = tempFolder('nginx');
  const file = join(dir, 'nginx.conf');
  writeFileSync(file, configuration(dir, servers));
  const child = spawn(PROGRAM, ['-p', dir, '-c', file, '-e', join(dir, 'error.log')], { stdio: 'ignore' });
  await listening(ports, child);
  return {
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function configuration(dir: string, servers: string): string {
  return `
daemon off;
pid ${dir}/nginx.pid;
worker_processes 1;
error_log ${dir}/error.log;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${dir}/body;
  proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi;
  scgi_temp_path ${dir}/scgi;
${servers}
}
`;
}

function serversOf(upstreams: Upstreams): string {
  return upstreams
    .map(
      ({ port, servers }) => `
  upstream arx_${port} {
    ${servers.map((server) => `server 127.0.0.1:${server} max_fails=0;`).join(' ')}
    keepalive 8;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://arx_${port};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_next_upstream error timeout non_idempotent;
    }
  }`,
    )
    .join('\n');
}

async function listening(ports: readonly number[], child: ChildProcess): Promise<void> {
  for (const port of ports) {
    for (let tries = 0; ; tries += 1) {
      if (child.exitCode !== null || tries === 200) throw new Error('nginx did not begin to listen');
      const isOpen = await new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
        socket.once('error', () => resolve(false));
      });
      if (isOpen) break;
      await sleep(25);
    }
  }
}
