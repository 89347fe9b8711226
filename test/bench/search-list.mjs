// Search in a list of 100,000 messages: one that is generated in the distributions of samba-technical; import, size, queries and changes.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, LIST, scratchEnv, spent, table } from './timing.mjs';

/** Common words and rare ones, a phrase, a prefix, a field, and a part of the time. */
const QUERIES = [
  'samba',
  'the',
  'smbd',
  'regression',
  '"on the"',
  'regress*',
  'from:jeremy',
  'samba since:2001 before:2002',
];

export async function bench({ quick, numbers: [count = quick ? 4_000 : 100_000] }) {
  if (LIST === undefined) {
    process.stdout.write('\nsearch-list: skipped, ../shared/data is not there\n');
    return;
  }
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    const real = join(dir, 'samba.mbox');
    copyFileSync(LIST, `${real}.xz`);
    spawnSync('xz', ['-d', `${real}.xz`]);
    await withBundle('searches.ts', async (measure) => {
      const list = join(dir, 'list.mbox');
      measure.generateList(real, list, count, 'list');
      for (const engine of ['SQLite', 'PostgreSQL'])
        await engineOf(engine, { dir, list, real, count, measure });
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function engineOf(engine, { dir, list, real, count, measure }) {
  const home = join(dir, engine);
  mkdirSync(home);
  const env = { ...process.env, ...scratchEnv(home) };
  const cluster = engine === 'SQLite' ? undefined : await measure.startDatabase();
  if (engine === 'PostgreSQL' && cluster === undefined) {
    process.stdout.write('\nPostgreSQL: skipped, it is not here\n');
    return;
  }
  try {
    const place = cluster === undefined ? { dir: join(home, 'data') } : { url: cluster.url };
    const database = cluster === undefined ? [] : ['--database', cluster.url];
    const imported = spent(['node', ARX, 'import', list, ...database], env);
    const { raw, index } = await measure.measureSize(place);
    table(`${engine}: import of ${count.toLocaleString('en')} generated messages, with the index`, [
      {
        'bytes of the list': statSync(list).size,
        seconds: (imported.ms / 1000).toFixed(1),
        'CPU s': (imported.cpu / 1000).toFixed(1),
        'index ÷ raw': (index / raw).toFixed(3),
        goal: engine === 'SQLite' ? '≤ 0.25' : '≤ 0.5',
      },
    ]);
    table(
      `${engine}: queries in this process, ms of wall time (CPU of this process), medians of 9`,
      await measure.measureQueries(place, QUERIES),
    );
    table(
      `${engine}: changes, real mails with files, ms of wall time (CPU of this process), medians of 9`,
      await measure.measureChanges(place, real),
    );
  } finally {
    await cluster?.close();
  }
}
