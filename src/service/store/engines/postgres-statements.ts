// Sends statements to PostgreSQL: translates the few words that differ from SQLite, and reads integers as numbers.
import pg from 'pg';
import type { Row, Statements, Value } from '../sql/database.ts';
import { throwAccessError } from './postgres-errors.ts';

/** The result of one statement. */
export type Answer = { rows: Row[]; rowCount: number | null };

/**
 * Sends one statement, prepared as `name` where it has one. Other statements are not prepared, because a connection would
 * keep the plan that was right for an empty table. Throws DatabaseAccessError or the error of the server.
 */
export async function query(
  client: pg.Pool | pg.ClientBase,
  sql: string,
  parameters: readonly Value[] = [],
  name?: string,
): Promise<Answer> {
  try {
    const config = { text: translated(sql), values: [...parameters] };
    return await client.query<Row>(name === undefined ? config : { ...config, name });
  } catch (error) {
    return throwAccessError(error);
  }
}

/** Returns the {@link Statements} over a function that sends one statement. */
export function statementsOver(
  send: (sql: string, parameters?: readonly Value[]) => Promise<Answer>,
): Statements {
  return {
    engine: 'postgres',
    all: async <T extends Row>(sql: string, parameters?: readonly Value[]) =>
      (await send(sql, parameters)).rows as T[],
    get: async <T extends Row>(sql: string, parameters?: readonly Value[]) =>
      (await send(sql, parameters)).rows[0] as T | undefined,
    run: async (sql, parameters) => (await send(sql, parameters)).rowCount ?? 0,
    allIn: async <T extends Row>(sql: string, values: readonly Value[]) =>
      (await send(sql.replace('IN ?', '= ANY($1)'), [arrayOf(values)])).rows as T[],
  };
}

/** Returns integers or texts as an array literal of PostgreSQL. */
function arrayOf(values: readonly Value[]): string {
  return `{${values.map((value) => `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** Translated statements. Only those with JSON functions are kept here, and they are long. */
const TRANSLATED = new Map<string, string>();

/** Replaces the two JSON functions that have another name in PostgreSQL. They write the same text. */
function translated(sql: string): string {
  if (!/json_(?:quote|each)\(/.test(sql)) return sql;
  let text = TRANSLATED.get(sql);
  if (text === undefined) {
    text = sql
      .replaceAll(/json_quote\(([\w.]+)\)/g, 'CAST(to_json($1) AS TEXT)')
      .replaceAll('json_each(', 'jsonb_array_elements(');
    TRANSLATED.set(sql, text);
  }
  return text;
}

/** The number of the type BIGINT, whose values the client would return as text. */
const INT8 = 20;

/** Returns the parser of a column type. Integers become numbers; one beyond 2^53 throws a RangeError. */
export function getTypeParser(type: number): (text: string) => unknown {
  return type === INT8 ? safeInteger : (pg.types.getTypeParser(type) as (text: string) => unknown);
}

function safeInteger(text: string): number {
  const whole = Number(text);
  if (!Number.isSafeInteger(whole)) throw new RangeError('a stored integer is beyond 2^53');
  return whole;
}
