// A stored table described once: the row types and the column lists of all statements are derived from the description.

/**
 * The values that a column holds. `sql` is the type as PostgreSQL names it; every integer has 64 bits on both engines.
 * `value` is never set: it carries the type of the values for the compiler.
 */
export type ColumnType<T = unknown> = {
  readonly sql: 'BIGINT' | 'TEXT' | 'BLOB';
  readonly nullable: boolean;
  readonly value?: T;
};

/** An integer of 64 bits. JavaScript reads it as a number, so it is at most 2^53. */
export const INTEGER: ColumnType<number> = { sql: 'BIGINT', nullable: false };
/** Text without NUL. */
export const TEXT: ColumnType<string> = { sql: 'TEXT', nullable: false };
/** Bytes of any length. */
export const BYTES: ColumnType<Uint8Array> = { sql: 'BLOB', nullable: false };

/** Returns the type of a column that may also hold NULL. */
export function orNull<T>({ sql }: ColumnType<T>): ColumnType<T | null> {
  return { sql, nullable: true };
}

/** Returns the type of a text column that holds one of a closed set of words. */
export function oneOf<Word extends string>(): ColumnType<Word> {
  return { sql: 'TEXT', nullable: false };
}

/** How statements use a column. */
export type Column = {
  type: ColumnType;
  /** `false` for a column that no INSERT sets. It keeps the default of its migration until an UPDATE sets it. */
  inserted?: false;
  /** `false` for a column that is not part of the row type. Statements that need it name it. */
  read?: false;
};

/**
 * Why something of a row is withheld from a reader: the row is above his tier (a conversation: its first message is), its
 * bytes are redacted, or a part of it is withheld: a message of the conversation, a file of the message.
 */
export type Withheld = 'above' | 'redacted' | 'part';

/** The column is part of the place of a row, which every reader sees. */
export const NOWHERE: readonly Withheld[] = [];
/** The column is hidden in rows above the reader's tier. */
export const ABOVE: readonly Withheld[] = ['above'];
/** As {@link ABOVE}, and in redacted rows. */
export const REDACTED: readonly Withheld[] = ['above', 'redacted'];
/** As {@link ABOVE}, and where a part of the row is withheld. */
export const IN_PART: readonly Withheld[] = ['above', 'part'];

/**
 * A column of a record that lists show. `shown` names the wire fields that come from it, none for an internal column.
 * `hidden` names the rows in which the column changes no answer to that reader. test/acceptance/withheld.test.ts changes
 * it there and compares all answers.
 */
export type WireColumn<Field> = Column & { shown: readonly Field[]; hidden: readonly Withheld[] };

/** The columns of a table by name. */
export type Columns = Readonly<Record<string, Column>>;

/** The description of a table, made by {@link table}. */
export type Table<C extends Columns = Columns> = {
  readonly name: string;
  readonly columns: C;
  /** Names of the columns that an INSERT or COPY sets, in the order of the table. */
  readonly inserted: readonly string[];
  /** The column list of a SELECT that returns {@link RowOf}, for example `n, conversation, parent`. */
  readonly select: string;
};

/** Returns the description of a table. The columns stand in the order in which its migrations create them. */
export function table<const C extends Columns>(name: string, columns: C): Table<C> {
  const names = Object.keys(columns);
  return {
    name,
    columns,
    inserted: names.filter((column) => columns[column]?.inserted !== false),
    select: names.filter((column) => columns[column]?.read !== false).join(', '),
  };
}

type ValueOf<C> = C extends { type: ColumnType<infer T> } ? T : never;

/** All columns of a row. */
export type StoredRow<T> =
  T extends Table<infer C> ? { -readonly [name in keyof C]: ValueOf<C[name]> } : never;

/** The columns of a row that {@link Table.select} lists. */
export type RowOf<T> =
  T extends Table<infer C>
    ? {
        -readonly [name in keyof C as C[name] extends { read: false } ? never : name]: ValueOf<C[name]>;
      }
    : never;

/** The columns of a row that {@link Table.inserted} lists. An object that lacks one does not compile. */
export type NewRow<T> =
  T extends Table<infer C>
    ? {
        -readonly [name in keyof C as C[name] extends { inserted: false } ? never : name]: ValueOf<C[name]>;
      }
    : never;

/** Returns the column names of a table for SQL: `{ n: 'm.n', … }` with the alias `m`, `{ n: 'n', … }` without. */
export function columnNames<C extends Columns>(
  { columns }: Table<C>,
  alias?: string,
): Readonly<Record<keyof C, string>> {
  const names = Object.keys(columns).map((name) => [name, alias === undefined ? name : `${alias}.${name}`]);
  return Object.fromEntries(names) as Record<keyof C, string>;
}
