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

/** Statements that make a table, and the rows that are inserted: the bare fields, or everything that the archive's table has, with its indexes. */
const TABLES = {
  bare: {
    table:
      'CREATE TABLE IF NOT EXISTS raw_events (n BIGSERIAL PRIMARY KEY, id TEXT, type TEXT, payload TEXT)',
    columns: 'raw_events (id, type, payload)',
    row: `'evt_' || random(), '${TYPE}', '${JSON.stringify(PAYLOAD)}'`,
  },
  whole: {
    table: `CREATE SEQUENCE IF NOT EXISTS whole_n; CREATE TABLE IF NOT EXISTS whole_events (LIKE archive.events INCLUDING ALL)`,
    columns: 'whole_events (n, id, type, payload, body_sha256, received_ms, deliveries, effect, applied)',
    row: `nextval('whole_n'), 'evt_' || random(), '${TYPE}', '${JSON.stringify(PAYLOAD)}', '${'0123456789abcdef'.repeat(4)}',
      1800000000000, 1, 'recorded', currval('whole_n')`,
  },
};

/** The same by connections of the engine's own program, in whole seconds: {@link CONNECTIONS}, or 4 that insert several events in one statement. */
export function pgbench(
  cluster: OwnCluster,
  dir: string,
  { ms, size, rows = 'bare' }: { ms: number; size: number; rows?: keyof typeof TABLES },
): number {
  const script = join(dir, 'insert.sql');
  const { table, columns, row } = TABLES[rows];
  writeFileSync(
    script,
    `INSERT INTO ${columns} VALUES ${Array.from({ length: size }, () => `(${row.replaceAll('\n', ' ')})`).join(',')};\n`,
  );
  const place = ['-h', cluster.dir, '-p', String(cluster.port), '-U', ROLE];
  execFileSync(join(cluster.bin, 'psql'), [...place, '-qc', table, 'postgres'], { stdio: 'ignore' });
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
