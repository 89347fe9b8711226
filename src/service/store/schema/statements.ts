// Migrations as single statements in the types of one engine.
import type { Database } from '../sql/database.ts';
import type { Migration } from './migrations.ts';

/** Returns the statements of a migration for an engine. */
export function statementsOf(
  { both, sqlite = '', postgres = '' }: Migration,
  engine: Database['engine'],
): string[] {
  return `${both};${engine === 'postgres' ? postgres : sqlite}`
    .split(';')
    .map((statement) => typed(statement.trim(), engine))
    .filter((statement) => statement !== '');
}

/**
 * SQLite: STRICT tables, whose integers all have 64 bits. PostgreSQL: integers of 64 bits, and text that sorts by its
 * bytes, as in SQLite.
 */
function typed(statement: string, engine: Database['engine']): string {
  if (engine === 'postgres') {
    return statement
      .replaceAll(/\bINTEGER\b/g, 'BIGINT')
      .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"')
      .replaceAll(/\bBLOB\b/g, 'BYTEA');
  }
  return statement.replaceAll('BIGINT', 'INTEGER') + (statement.startsWith('CREATE TABLE') ? ' STRICT' : '');
}
