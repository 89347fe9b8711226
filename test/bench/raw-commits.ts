// Durable commits of an engine by itself, one event each: what the ingest of events is held against.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { ROLE } from '../support/cluster.ts';
import type { OwnCluster } from '../support/own-cluster.ts';

/** Of those who send one event at a time. */
export const CONNECTIONS = 64;

/** Every event that is measured. */
export const TYPE = 'contact.flagged';
export const PAYLOAD = { contact: 'observer 7', trust: 'low', handler_trace: 'relay/17' };

/** Commits a second: one insert a transaction, in a loop, with what the archive has of durability. */
export function rawSqlite(dir: string, ms: number): number {
  const database = new DatabaseSync(join(dir, 'raw.db'), { timeout: 0 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    'CREATE TABLE IF NOT EXISTS events (n INTEGER PRIMARY KEY, id TEXT, type TEXT, payload TEXT) STRICT',
  );
  const insert = database.prepare('INSERT INTO events (id, type, payload) VALUES (?, ?, ?)');
  const begun = performance.now();
  let commits = 0;
  for (; performance.now() - begun < ms; commits += 1)
    insert.run(`evt_${commits}`, TYPE, JSON.stringify(PAYLOAD));
  const rate = (commits / (performance.now() - begun)) * 1000;
  database.close();
  return rate;
}

/** The same by {@link CONNECTIONS} connections of the engine's own program, in whole seconds. */
export function pgbench(cluster: OwnCluster, dir: string, ms: number): number {
  const script = join(dir, 'insert.sql');
  writeFileSync(
    script,
    `INSERT INTO raw_events (id, type, payload) VALUES ('evt_' || random(), '${TYPE}', '${JSON.stringify(PAYLOAD)}');\n`,
  );
  const place = ['-h', cluster.dir, '-p', String(cluster.port), '-U', ROLE];
  execFileSync(
    join(cluster.bin, 'psql'),
    [
      ...place,
      '-qc',
      'CREATE TABLE IF NOT EXISTS raw_events (n BIGSERIAL PRIMARY KEY, id TEXT, type TEXT, payload TEXT)',
      'postgres',
    ],
    { stdio: 'ignore' },
  );
  const words = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(CONNECTIONS),
    '-j',
    '2',
    '-T',
    String(Math.ceil(ms / 1000)),
    '-f',
    script,
  ];
  const output = execFileSync(join(cluster.bin, 'pgbench'), [...place, ...words, 'postgres'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Number(/tps = ([\d.]+)/.exec(output)?.[1]);
}
