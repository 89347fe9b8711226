// Time and peak memory of what is done to a pulled folder of 100,000 files, on a file system in memory where there is one.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARX, once, scratchEnv, table } from './timing.mjs';

const FILES = 100_000;

export async function bench() {
  const dir = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'arx-bench-'));
  try {
    const files = join(dir, 'files');
    pulled(files);
    const [zip, bag] = [join(dir, 'bag.zip'), join(dir, 'bag')];
    const cases = {
      'verify, against the manifest': ['verify', files],
      'export --to bag.zip': ['export', files, '--offline', '--to', zip],
      'export --to bag': ['export', files, '--offline', '--to', bag],
      'verify bag.zip': ['verify', zip],
      'verify bag': ['verify', bag, '--against', 'bag'],
    };
    const env = { ...process.env, ...scratchEnv(join(dir, 'home')) };
    table(
      `${FILES} pulled files of 4 KiB, once each`,
      Object.entries(cases).map(([name, words]) => {
        const { ms, kib } = once(['node', ARX, 'attachments', ...words], env);
        return { command: `arx attachments ${name}`, ms: ms.toFixed(0), 'peak MiB': (kib / 1024).toFixed(0) };
      }),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A folder as a pull leaves it. */
function pulled(dir) {
  mkdirSync(dir);
  const lines = Array.from({ length: FILES }, (_, index) => {
    const bytes = randomBytes(4096);
    const path = `file-${index}.bin`;
    writeFileSync(join(dir, path), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return `${JSON.stringify({ id: `att_${index}`, path, sha256, bytes: bytes.length, redacted: false })}\n`;
  });
  writeFileSync(join(dir, '.arx-manifest.ndjson'), lines.join(''));
}
