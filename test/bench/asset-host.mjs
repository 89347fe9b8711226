// A scratch nginx as archive and asset host at once: files on tmpfs, and before a list of them.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const CATALOGUE = fileURLToPath(new URL('catalogue.mjs', import.meta.url));
const PIECE_BYTES = 16 * 1024 * 1024;

export const hasNginx = () => spawnSync('nginx', ['-v']).status === 0;

/** Writes `count` files of `bytes` random bytes and their catalogue under the city `set`; gives their rows. */
export function makeFiles(root, url, set, count, bytes) {
  mkdirSync(join(root, 'files', set), { recursive: true });
  mkdirSync(join(root, 'catalogue'), { recursive: true });
  const rows = Array.from({ length: count }, (_, index) => {
    const filename = `file-${index + 1}.bin`;
    return {
      id: `att_${index + 1}`,
      filename,
      file_url: `${url}/files/${set}/${filename}`,
      sha256: writeRandom(join(root, 'files', set, filename), bytes),
      content_type: 'application/octet-stream',
      redacted: false,
      decorative_layer: false,
      first_visible: true,
      origin_city: set,
      source: 'external',
      bytes,
    };
  });
  writeFileSync(join(root, 'catalogue', `${set}.json`), JSON.stringify(rows));
  return rows;
}

function writeRandom(path, bytes) {
  const hash = createHash('sha256');
  const piece = randomBytes(Math.min(bytes, PIECE_BYTES));
  const file = openSync(path, 'wx');
  for (let at = 0; at < bytes; at += piece.length) {
    // No two pieces alike.
    piece.writeUInt32LE(at / piece.length, 0);
    const last = piece.subarray(0, bytes - at);
    writeSync(file, last);
    hash.update(last);
  }
  closeSync(file);
  return hash.digest('hex');
}

/** Serves `<root>/www` on a free port of this machine; `stop` ends it. */
export async function startNginx(root) {
  const [port, listPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  mkdirSync(join(root, 'www'), { recursive: true });
  writeFileSync(join(root, 'www/health.json'), JSON.stringify({ status: 'ok', asset_url: url }));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${root}/tmp-${name};`)
    .join(' ');
  writeFileSync(
    join(root, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${root}/pid; worker_processes 1;
error_log ${root}/error.log; events { worker_connections 512; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; ${temporary}
  server {
    listen 127.0.0.1:${port}; root ${root}/www; default_type application/octet-stream;
    location = /api/health { default_type application/json; try_files /health.json =404; }
    location = /v1/attachments {
      proxy_pass http://127.0.0.1:${listPort};
    }
  }
}
`,
  );
  const nginx = spawn('nginx', ['-p', root, '-c', join(root, 'nginx.conf')], { stdio: 'ignore' });
  const list = spawn(process.execPath, [CATALOGUE, join(root, 'www/catalogue'), String(listPort)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = Promise.all(
    [nginx, list].map((child) => new Promise((resolve) => child.once('close', resolve))),
  );
  for (let turn = 0; ; turn++) {
    const answer = await fetch(`${url}/api/health`).catch(() => undefined);
    if (answer?.ok) break;
    if (turn === 100 || nginx.exitCode !== null) throw new Error('nginx did not start');
    await sleep(50);
  }
  return {
    url,
    root: join(root, 'www'),
    stop: async () => {
      nginx.kill('SIGQUIT');
      list.kill();
      await ended;
    },
  };
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
