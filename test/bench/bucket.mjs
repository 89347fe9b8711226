// A pull of large and of many small files from `arx serve` whose files lie in a bucket, in turn with the same files in a folder.
// `npm run bench bucket`: the server of the tests, and ARX_TEST_S3 (`s3://BUCKET?endpoint=…`, with AWS_ACCESS_KEY_ID) where it is set.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, median, scratchEnv, table } from './timing.mjs';

const RUNS = 3;

export async function bench({ quick }) {
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  const sets = quick
    ? { small: { files: 1000, bytes: 8192 }, large: { files: 4, bytes: 16 * 1024 * 1024 } }
    : { small: { files: 5000, bytes: 8192 }, large: { files: 16, bytes: 64 * 1024 * 1024 } };
  try {
    await withBundle('copies.ts', async ({ startDatabase, serveBucket }) => {
      const cluster = await startDatabase();
      if (cluster === undefined) {
        process.stdout.write('\nbucket: skipped, no PostgreSQL\n');
        return;
      }
      const server = await serveBucket();
      try {
        for (const [name, set] of Object.entries(sets))
          table(
            'Pulls from a folder and from a bucket, in turn',
            await measure({ dir, cluster, server, name, set }),
          );
      } finally {
        await server.close();
        await cluster.close();
      }
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure({ dir, cluster, server, name, set }) {
  const files = join(dir, name);
  mkdirSync(files);
  for (let n = 0; n < set.files; n += 1) writeFileSync(join(files, `f${n}.bin`), randomBytes(set.bytes));
  const { accessKeyId, secretAccessKey } = server.credentials;
  const real = process.env.ARX_TEST_S3;
  const places = {
    folder: { blobs: join(dir, `${name}-blobs`), env: {} },
    'server of the tests': {
      blobs: server.address(name),
      env: { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    },
    ...(real && { ARX_TEST_S3: { blobs: real.replace(/(\?|$)/, `/bench-${randomUUID()}$1`), env: {} } }),
  };
  const ready = [];
  const times = {};
  try {
    for (const [place, { blobs: base, env }] of Object.entries(places)) {
      const schema = `b${randomBytes(6).toString('hex')}`;
      const url = `${cluster.url}&schema=${schema}`;
      const all = { ...process.env, ...env, ...scratchEnv(join(dir, `arx-${schema}`)) };
      await ended(['archive', 'create', cluster.url, schema, '--blobs', base], all);
      const blobs = base.replace(/(\?|$)/, `/${schema}$1`);
      await ended(['import', files, '--database', url, '--blobs', blobs, '--tier', 'external'], all);
      const served = await serve(['--database', url, '--blobs', blobs], all);
      const add = async (name, served, more) => {
        ready.push({ place: name, served, all, more });
        times[name] = [];
        const who = ['--client-id', 'bench', '--observer-tier', 'external'];
        await ended(['login', '--base-url', served.base_url, ...who], all);
      };
      await add(place, served, []);
      const endpoint = /endpoint=([^&]+)/.exec(blobs)?.[1];
      if (endpoint !== undefined)
        await add(
          `${place}, --redirect-files 60`,
          await serve(['--database', url, '--blobs', blobs, '--redirect-files', '60'], all),
          ['--allow-asset-host', new URL(decodeURIComponent(endpoint)).host],
        );
    }
    for (let round = -1; round < RUNS; round += 1)
      for (const { place, served, all, more } of ready) {
        const to = join(dir, 'pulled');
        const begun = performance.now();
        await ended(
          ['attachments', 'pull', '--all', '--to', to, '--base-url', served.base_url, ...more],
          all,
        );
        if (round >= 0) times[place].push(performance.now() - begun);
        rmSync(to, { recursive: true });
      }
  } finally {
    for (const { served } of ready) await served.close();
  }
  const plain = median(times.folder);
  return Object.entries(times).map(([place, all]) => ({
    pull: `${set.files} files of ${set.bytes / 1024} KiB`,
    'files in': place,
    'median ms': median(all).toFixed(0),
    'speed : folder': (plain / median(all)).toFixed(2),
    'of all runs': `${(plain / Math.max(...all)).toFixed(2)} to ${(plain / Math.min(...all)).toFixed(2)}`,
  }));
}

async function ended(args, env) {
  const child = spawn('node', [ARX, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${args.slice(0, 3).join(' ')} ended with ${code}: ${said}`);
}

async function serve(args, env) {
  const child = spawn('node', [ARX, 'serve', '--port', '0', '--json', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve) => child.stdout.once('data', resolve));
  const close = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGTERM');
    });
  return { ...JSON.parse(String(line)), close };
}
