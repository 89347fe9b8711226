// Verification against openssl and sha256sum on the same files, in turn, on a file system in memory where there is one.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARX, besidePeers, scratchEnv, table } from './timing.mjs';

const MEBIBYTE = 1024 * 1024;

export async function bench({ quick }) {
  const rounds = quick ? 3 : 7;
  const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'arx-bench-'));
  try {
    const report = reporter(rounds);
    large(join(dir, 'large'), report);
    small(join(dir, 'small'), report);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function large(dir, report) {
  mkdirSync(dir);
  const names = Array.from({ length: 8 }, (_, at) => `file-${at}`);
  for (const name of names) writeFileSync(join(dir, name), randomBytes(128 * MEBIBYTE));
  writeSums(dir);
  report('1 GiB in 8 files', arx(dir), {
    'openssl dgst -sha256': {
      line: ['openssl', 'dgst', '-sha256', ...names.map((name) => join(dir, name))],
    },
    'sha256sum -c': sha256sum(dir),
  });
}

function small(dir, report) {
  for (let folder = 0; folder < 100; folder++) {
    mkdirSync(join(dir, `folder-${folder}`), { recursive: true });
    for (let at = 0; at < 1000; at++)
      writeFileSync(join(dir, `folder-${folder}`, `file-${at}.bin`), randomBytes(4096));
  }
  writeSums(dir);
  report('100,000 files of 4 KiB', arx(dir), { 'sha256sum -c': sha256sum(dir) });
}

/** SHA256SUMS of a folder, made by sha256sum. */
function writeSums(dir) {
  const line =
    'find . -type f -printf "%P\\0" | sort -z | xargs -0 sha256sum > ../SHA256SUMS && mv ../SHA256SUMS .';
  const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: dir, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

const sha256sum = (dir) => ({
  line: ['sh', '-c', `cd ${dir} && exec sha256sum -c --quiet SHA256SUMS`],
});

const arx = (dir) => ({
  line: ['node', ARX, 'attachments', 'verify', dir, '--against', 'sums', '-o', 'table'],
  env: scratchEnv(join(dir, '..', 'home')),
});

const reporter = (rounds) => (title, ours, peers) =>
  table(
    `Verifying ${title}, ${availableParallelism()} cores; ${rounds} rounds beside each`,
    besidePeers('arx attachments verify', ours, peers, rounds),
  );
