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

/** Events a second: inserts of `size` events a transaction, in a loop, with what the archive has of durability. */
export function rawSqlite(dir: string, ms: number, size: number): number {
  const database = new DatabaseSync(join(dir, 'raw.db'), { timeout: 0 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(
    'CREATE TABLE IF NOT EXISTS events (n INTEGER PRIMARY KEY, id TEXT, type TEXT, payload TEXT) STRICT',
  );
  const insert = database.prepare('INSERT INTO events (id, type, payload) VALUES (?, ?, ?)');
  const begun = performance.now();
  let events = 0;
  while (performance.now() - begun < ms) {
    database.exec('BEGIN IMMEDIATE');
    for (const end = events + size; events < end; events += 1)
      insert.run(`evt_${events}`, TYPE, JSON.stringify(PAYLOAD));
    database.exec('COMMIT');
  }
  const rate = (events / (performance.now() - begun)) * 1000;
  database.close();
  return rate;
}

/** The same by connections of the engine's own program, in whole seconds: {@link CONNECTIONS}, or 4 that insert several events in one statement. */
export function pgbench(cluster: OwnCluster, dir: string, ms: number, size: number): number {
  const script = join(dir, 'insert.sql');
  const row = `('evt_' || random(), '${TYPE}', '${JSON.stringify(PAYLOAD)}')`;
  const rows = Array.from({ length: size }, () => row).join(',');
  writeFileSync(script, `INSERT INTO raw_events (id, type, payload) VALUES ${rows};\n`);
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
    String(size === 1 ? CONNECTIONS : 4),
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
  return Number(/tps = ([\d.]+)/.exec(output)?.[1]) * size;
}
