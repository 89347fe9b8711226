// `arx archive copy` between the engines, beside the import of the same list and beside pg_dump into psql.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withBundle } from './bundle.mjs';
import { ARX, LIST, once, scratchEnv, spent, table } from './timing.mjs';

export async function bench() {
  if (LIST === undefined) {
    process.stdout.write('\ncopy: skipped, ../shared/data is not there\n');
    return;
  }
  const dir = mkdtempSync(join(tmpdir(), 'arx-bench-'));
  try {
    const mbox = join(dir, 'samba.mbox');
    copyFileSync(LIST, `${mbox}.xz`);
    spawnSync('xz', ['-d', `${mbox}.xz`]);
    await withBundle('copies.ts', async ({ startDatabase }) => {
      const cluster = await startDatabase();
      if (cluster === undefined) process.stdout.write('\ncopy: skipped, no PostgreSQL\n');
      else await measure({ dir, mbox, cluster }).finally(() => cluster.close());
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function measure({ dir, mbox, cluster }) {
  const sql = (text) => once([join(cluster.bin, 'psql'), '-q', cluster.url, '-c', text]);
  /** The address of an empty schema. */
  const schema = (name) => {
    sql(`CREATE SCHEMA ${name}`);
    return `${cluster.url}&options=-csearch_path%3D${name}`;
  };
  const env = { ...process.env, ...scratchEnv(join(dir, 'arx')) };
  const rows = [];
  const run = (name, line) => {
    const { ms, cpu } = spent(line, env);
    rows.push({ command: name, 'CPU s': (cpu / 1000).toFixed(1), 'wall s': (ms / 1000).toFixed(1) });
  };
  const arx = (...words) => ['node', ARX, ...words];
  const [imported, copied] = ['imported', 'copied'].map(schema);
  run('arx import, SQLite', arx('import', mbox, '--database', `sqlite:${dir}/one`));
  run('arx import, PostgreSQL', arx('import', mbox, '--database', imported));
  run('arx archive copy, SQLite to PostgreSQL', arx('archive', 'copy', `sqlite:${dir}/one`, copied));
  run('arx archive copy, PostgreSQL to SQLite', arx('archive', 'copy', copied, `sqlite:${dir}/two`));
  run(
    'arx archive copy, SQLite to SQLite',
    arx('archive', 'copy', `sqlite:${dir}/one`, `sqlite:${dir}/three`),
  );
  run('arx fsck, PostgreSQL (part of a copy)', arx('fsck', '--database', copied));
  run('arx fsck, SQLite (part of a copy)', arx('fsck', '--database', `sqlite:${dir}/two`));
  sql('CREATE DATABASE dumped');
  const pipe = `'${cluster.bin}/pg_dump' -n copied '${cluster.url}' | '${cluster.bin}/psql' -q '${cluster.url.replace('/postgres?', '/dumped?')}'`;
  run('pg_dump of that archive into psql', ['sh', '-c', pipe]);
  table('arx archive copy, samba-technical', rows);
}
