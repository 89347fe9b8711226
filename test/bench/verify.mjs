// Verification against openssl and sha256sum on the same files, in turn, on a file system in memory where there is one.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARX, inTurn, scratchEnv, table } from './timing.mjs';

const MEBIBYTE = 1024 * 1024;
const GOAL_KIB = 200 * 1024;

export async function bench() {
  const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'arx-bench-'));
  try {
    large(join(dir, 'large'));
    small(join(dir, 'small'));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function large(dir) {
  mkdirSync(dir);
  const names = Array.from({ length: 8 }, (_, at) => `file-${at}`);
  for (const name of names) writeFileSync(join(dir, name), randomBytes(128 * MEBIBYTE));
  const sums = summed(dir);
  const medians = inTurn(
    {
      'arx attachments verify': arx(dir),
      'openssl dgst -sha256': {
        line: ['openssl', 'dgst', '-sha256', ...names.map((name) => join(dir, name))],
      },
      'sha256sum -c': { line: ['sh', '-c', `cd ${dir} && exec sha256sum -c --quiet ${sums}`] },
    },
    7,
  );
  show('Verifying 1 GiB in 8 files', medians, { openssl: '≤ 0.6', sums: '≤ 0.2' });
}

function small(dir) {
  for (let folder = 0; folder < 100; folder++) {
    mkdirSync(join(dir, `folder-${folder}`), { recursive: true });
    for (let at = 0; at < 1000; at++)
      writeFileSync(join(dir, `folder-${folder}`, `file-${at}.bin`), randomBytes(4096));
  }
  const sums = summed(dir);
  const medians = inTurn(
    {
      'arx attachments verify': arx(dir),
      'sha256sum -c': { line: ['sh', '-c', `cd ${dir} && exec sha256sum -c --quiet ${sums}`] },
    },
    7,
  );
  show('Verifying 100,000 files of 4 KiB', medians, { sums: '≤ 0.7' });
}

/** SHA256SUMS of a folder, made by sha256sum. */
function summed(dir) {
  const line =
    'find . -type f -printf "%P\\0" | sort -z | xargs -0 sha256sum > ../SHA256SUMS && mv ../SHA256SUMS .';
  const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: dir, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return 'SHA256SUMS';
}

const arx = (dir) => ({
  line: ['node', ARX, 'attachments', 'verify', dir, '--against', 'sums', '-o', 'table'],
  env: scratchEnv(join(dir, '..', 'home')),
});

function show(title, medians, goals) {
  const ratio = (name, to) => {
    const against = medians[to];
    return against === undefined ? '' : (medians[name].ms / against.ms).toFixed(2);
  };
  table(
    `${title}, ${availableParallelism()} cores, medians of 7 in turn`,
    Object.entries(medians).map(([name, { ms, kib }]) => ({
      command: name,
      ms: ms.toFixed(0),
      ...(goals.openssl === undefined ? {} : { 'ratio to openssl': ratio(name, 'openssl dgst -sha256') }),
      'ratio to sha256sum': ratio(name, 'sha256sum -c'),
      'peak MiB': (kib / 1024).toFixed(0),
      goal: name.startsWith('arx')
        ? [goals.openssl, goals.sums, `≤ ${GOAL_KIB / 1024} MiB`]
            .filter((goal) => goal !== undefined)
            .join(', ')
        : '',
    })),
  );
}
