// A pull of large and of many small files from `arx serve` whose files lie in a bucket, in turn with the same files in a folder.
// `npm run bench bucket [MiB]`: the server of the tests, and ARX_TEST_S3 (`s3://BUCKET?endpoint=…`, with AWS_ACCESS_KEY_ID) where it is
// set. With a number, one file of so many MiB.
import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, median, scratchEnv, table } from './timing.mjs';

const RUNS = 3;

const MIB = 1024 * 1024;

export async function bench({ quick, numbers }) {
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  const sets =
    numbers.length > 0
      ? { one: { files: 1, bytes: numbers[0] * MIB } }
      : quick
        ? { small: { files: 1000, bytes: 8192 }, large: { files: 4, bytes: 16 * MIB } }
        : { small: { files: 5000, bytes: 8192 }, large: { files: 16, bytes: 64 * MIB } };
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
  for (let n = 0; n < set.files; n += 1) writeRandom(join(files, `f${n}.bin`), set.bytes);
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
        times[name] = { ms: [], client: [], service: [], server: [] };
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
        const begun = { ms: performance.now(), ...cpuOf(served.pid) };
        await ended(
          ['attachments', 'pull', '--all', '--to', to, '--base-url', served.base_url, ...more],
          all,
        );
        const after = { ms: performance.now(), ...cpuOf(served.pid) };
        if (round >= 0)
          for (const [name, all] of Object.entries(times[place])) all.push(after[name] - begun[name]);
        rmSync(to, { recursive: true });
      }
  } finally {
    for (const { served } of ready) await served.close();
  }
  const plain = median(times.folder.ms);
  const cpu = median(times.folder.client) + median(times.folder.service);
  return Object.entries(times).map(([place, { ms, client, service, server }]) => ({
    pull: `${set.files} files of ${set.bytes / 1024} KiB`,
    'files in': place,
    'median ms': median(ms).toFixed(0),
    'speed : folder': (plain / median(ms)).toFixed(2),
    'of all runs': `${(plain / Math.max(...ms)).toFixed(2)} to ${(plain / Math.min(...ms)).toFixed(2)}`,
    'CPU ms of arx serve': median(service).toFixed(0),
    'of the pull': median(client).toFixed(0),
    'of the server of the tests': median(server).toFixed(0),
    'CPU of arx : folder': ((median(client) + median(service)) / cpu).toFixed(2),
  }));
}

/** Random bytes, written in pieces: a file may be larger than a buffer. */
function writeRandom(path, bytes) {
  const fd = openSync(path, 'w');
  for (let left = bytes; left > 0; left -= MIB) writeSync(fd, randomBytes(Math.min(left, MIB)));
  closeSync(fd);
}

/** Milliseconds of CPU (user and system) so far: of a service, of the clients that have ended, and of this process. */
function cpuOf(pid) {
  const { user, system } = process.cpuUsage();
  return { service: ticks(pid, 11), client: ticks('self', 13), server: (user + system) / 1000 };
}

/** A field of proc_pid_stat(5) and the next one, in milliseconds; counted from the state, which follows the name. */
function ticks(pid, field) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return 10 * (Number(fields[field]) + Number(fields[field + 1]));
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
  return { ...JSON.parse(String(line)), pid: child.pid, close };
}
