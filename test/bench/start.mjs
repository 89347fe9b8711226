// Start-up: whole commands against bare `node -e 0`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARX, inTurn, once, scratchEnv, table } from './timing.mjs';

const GOALS = { '--version': 1.3, 'attachments ls': 2.5 };

export async function bench() {
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    const env = scratchEnv(dir);
    // A page of 100 files, each a message of its own.
    const files = join(dir, 'files');
    for (let n = 0; n < 120; n++) {
      if (n === 0) (await import('node:fs')).mkdirSync(files);
      writeFileSync(join(files, `note-${n}.txt`), `note ${n}\n`);
    }
    once(['node', ARX, 'import', files], { ...process.env, ...env });
    const arx = (...args) => ({ line: ['node', ARX, ...args], env });
    const medians = inTurn(
      {
        'node -e 0': { line: ['node', '-e', '0'] },
        '--version': arx('--version'),
        'attachments ls': arx('attachments', 'ls'),
        'attachments ls --limit 100 --json': arx('attachments', 'ls', '--limit', '100', '--json'),
        'attachments ls --limit 100 -o table': arx('attachments', 'ls', '--limit', '100', '-o', 'table'),
        'conversations walk -o ndjson': arx('conversations', 'walk', '-o', 'ndjson'),
      },
      15,
    );
    const bare = medians['node -e 0'].ms;
    table(
      `Start-up, Node ${process.version}, medians of 15 in turn`,
      Object.entries(medians).map(([name, { ms }]) => ({
        command: name === 'node -e 0' ? name : `arx ${name}`,
        ms: ms.toFixed(0),
        'ratio to node -e 0': (ms / bare).toFixed(2),
        goal: GOALS[name] === undefined ? '' : `≤ ${GOALS[name]}`,
      })),
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
