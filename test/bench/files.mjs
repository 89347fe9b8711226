// Pulling files against curl, aria2 and rclone with their hashes checked: one of 1 GiB, and 5,000 of 16 KiB, on tmpfs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasNginx, makeFiles, startNginx } from './asset-host.mjs';
import { ARX, besidePeers, scratchEnv, table } from './timing.mjs';

const GIB = 1024 ** 3;

export async function bench({ quick }) {
  const rounds = quick ? 3 : 7;
  if (!hasNginx()) {
    process.stderr.write('SKIPPED: nginx is not here (apt-get install nginx-light); no figures for files\n');
    return;
  }
  const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'arx-bench-'));
  const host = await startNginx(scratch);
  try {
    const to = join(scratch, 'to');
    const before = () => {
      rmSync(to, { recursive: true, force: true });
      mkdirSync(to);
    };
    const env = { ...scratchEnv(scratch), ARX_TOKEN: 'arx_bench.token', ARX_BASE_URL: host.url };
    const arx = (set) => ({
      line: ['node', ARX, 'attachments', 'pull', '--city', set, '--to', to, '-o', 'json'],
      env,
      before,
    });
    const shell = (text) => ({ line: ['bash', '-o', 'pipefail', '-c', text], before });
    const report = reporter(rounds);
    large(scratch, host, to, arx, shell, report);
    small(scratch, host, to, arx, shell, report);
  } finally {
    await host.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function large(scratch, host, to, arx, shell, report) {
  const [{ file_url: url, sha256, filename }] = makeFiles(host.root, host.url, 'large', 1, GIB);
  const path = join(to, filename);
  const sums = join(scratch, 'large.sums');
  writeFileSync(sums, `${sha256}  ${path}\n`);
  report('1 file of 1 GiB', arx('large'), {
    'curl | tee | openssl dgst': needs(
      ['curl', 'openssl'],
      shell(`curl -sf ${url} | tee ${path} | openssl dgst -sha256 | grep -q ${sha256}`),
    ),
    'curl, then openssl dgst': needs(
      ['curl', 'openssl'],
      shell(`curl -sf -o ${path} ${url} && openssl dgst -sha256 ${path} | grep -q ${sha256}`),
    ),
    'aria2c --checksum': needs(
      ['aria2c'],
      shell(`aria2c -q -d ${to} -o ${filename} --file-allocation=none --checksum=sha-256=${sha256} ${url}`),
    ),
    'rclone copyurl, then sha256sum -c': needs(
      ['rclone'],
      shell(`rclone copyurl -q --config /dev/null ${url} ${path} && sha256sum -c --quiet ${sums}`),
    ),
  });
}

function small(scratch, host, to, arx, shell, report) {
  const rows = makeFiles(host.root, host.url, 'small', 5000, 16 * 1024);
  const lines = (of) => rows.map(of).join('');
  const [curl, aria, sums] = ['curl', 'aria', 'sums'].map((name) => join(scratch, `small.${name}`));
  writeFileSync(
    curl,
    lines(({ file_url, filename }) => `url = "${file_url}"\noutput = "${to}/${filename}"\n`),
  );
  writeFileSync(
    aria,
    lines(({ file_url, filename, sha256 }) => `${file_url}\n out=${filename}\n checksum=sha-256=${sha256}\n`),
  );
  writeFileSync(
    sums,
    lines(({ filename, sha256 }) => `${sha256}  ${to}/${filename}\n`),
  );
  report('5,000 files of 16 KiB', arx('small'), {
    'curl --parallel, then sha256sum -c': needs(
      ['curl', 'sha256sum'],
      shell(`curl -sf --parallel --parallel-max 16 -K ${curl} && sha256sum -c --quiet ${sums}`),
    ),
    'aria2c --checksum': needs(
      ['aria2c'],
      shell(`aria2c -q -d ${to} -j 16 --file-allocation=none -i ${aria}`),
    ),
  });
}

/** The case where its tools are here, else a loud skip. */
function needs(tools, peer) {
  const missing = tools.filter((tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0);
  if (missing.length === 0) return peer;
  process.stderr.write(`SKIPPED: ${missing.join(', ')} not here\n`);
  return undefined;
}

const reporter = (rounds) => (title, ours, peers) =>
  table(
    `${title} over loopback, nginx, tmpfs, hashes checked; ${rounds} rounds beside each`,
    besidePeers('arx attachments pull', ours, peers, rounds),
  );
