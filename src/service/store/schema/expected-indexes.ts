// The indexes that the migrations create, for the check of an archive.
import type { Database } from '../sql/database.ts';
import { MIGRATIONS } from './migrations.ts';
import { statementsOf } from './statements.ts';

type Index = { name: string; statement: string };

/**
 * Returns the names of all indexes with the statements that create them, without those that a later migration drops. For PostgreSQL this includes the indexes of
 * primary and unique keys, because they can be dropped there.
 */
export function indexesFor(engine: Database['engine']): Index[] {
  const keys = MIGRATIONS.flatMap((migration) => statementsOf(migration, engine)).flatMap(keyIndexesOf);
  return engine === 'sqlite' ? secondaryIndexesFor(engine) : [...keys, ...secondaryIndexesFor(engine)];
}

/** As {@link indexesFor}, without the indexes of keys: those that can be dropped and created again on both engines. */
export function secondaryIndexesFor(engine: Database['engine']): Index[] {
  const statements = MIGRATIONS.flatMap((migration) => statementsOf(migration, engine));
  const dropped = new Set(statements.flatMap((statement) => /^DROP INDEX (\w+)$/.exec(statement)?.[1] ?? []));
  return statements.flatMap((statement) => {
    const [, name] = /^CREATE (?:UNIQUE )?INDEX (\w+) /.exec(statement) ?? [];
    return name === undefined || dropped.has(name) ? [] : [{ name, statement }];
  });
}

/** Returns the indexes of the keys in a CREATE TABLE, under the names that PostgreSQL gives them. */
function keyIndexesOf(statement: string): Index[] {
  const [, table] = /^CREATE TABLE (\w+)/.exec(statement) ?? [];
  const keys = statement.matchAll(/(?:(\w+) [^,(]*)?\b(PRIMARY KEY|UNIQUE)(?: \(([^)]*)\))?/g);
  return table === undefined
    ? []
    : Array.from(keys, ([, column, kind, columns]) => {
        const name = kind === 'UNIQUE' ? `${table}_${column}_key` : `${table}_pkey`;
        return { name, statement: `CREATE UNIQUE INDEX ${name} ON ${table} (${columns ?? column})` };
      });
}
