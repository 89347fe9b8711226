// What the store needs of a database: statements with numbered parameters, and transactions of one writer.

/** A value of a parameter or a column. Integers are at most 2^53. */
export type Value = string | number | null | Uint8Array;
/** A row by the names of its columns. */
export type Row = Record<string, Value>;

/** Identifies a state of all data, see {@link Database.dataVersion}. */
export type DataVersion = string | number;

/** Reads rows. */
export type Reads = {
  readonly engine: 'sqlite' | 'postgres';
  all<T extends Row = Row>(sql: string, parameters?: readonly Value[]): Promise<T[]>;
  get<T extends Row = Row>(sql: string, parameters?: readonly Value[]): Promise<T | undefined>;
  /** Returns the rows of a statement with `IN ?`, for any number of values. Absent where the engine has no arrays. */
  allIn?: (<T extends Row = Row>(sql: string, values: readonly Value[]) => Promise<T[]>) | undefined;
};

/** Reads that may take long. */
export type LongReads = Reads & {
  /** Returns the column `n` of all rows, in their order. */
  numbers(sql: string, parameters?: readonly Value[]): Promise<Float64Array>;
  /** Returns the same reads for one who may go: they throw the reason of the signal, and end also in the middle of a statement where they can. */
  until(signal: AbortSignal): LongReads;
};

/** Runs statements, inside or outside of a transaction. */
export type Statements = Reads & {
  /** Resolves to the number of rows changed. */
  run(sql: string, parameters?: readonly Value[]): Promise<number>;
  /** As {@link Statements.run}, for the end of a transaction: sent together with the commit, without waiting for it. */
  last?: ((sql: string, parameters?: readonly Value[]) => void) | undefined;
  /** The version of the tables when the transaction began, where the engine reads it together with the beginning. */
  version?: number | undefined;
  /** Inserts many rows in order. Absent where the engine has nothing faster than INSERT. */
  copy?:
    | ((table: string, columns: readonly string[], rows: readonly (readonly Value[])[]) => Promise<void>)
    | undefined;
};

/** `readsVersion`: the work learns {@link Statements.version} where the engine reads it together with the beginning. */
export type TransactionOptions = { readsVersion?: boolean };

/**
 * A database. Statements use `$1 … $n`, `ON CONFLICT`, `RETURNING` and types that both engines know. Differences between
 * the engines are only in the folders engines and search, in `typed()` of schema/statements.ts, and in the ranges of sql.
 */
export type Database = Statements & {
  /** For statements whose cost grows with the archive: in a served archive they hold up no other request. */
  longReads: LongReads;
  /**
   * Runs `work` as the only writer of all processes. Durable when it resolves, undone when it throws. Never nested.
   * After a conflict with another transaction `work` runs again from its beginning.
   */
  transaction<T>(work: (statements: Statements) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** As {@link Database.transaction}, but resolves to undefined at once while another writer is active. */
  tryTransaction<T>(
    work: (statements: Statements) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T | undefined>;
  /** As {@link Database.transaction}, for changes of tables, without a time limit. */
  migration<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /**
   * Runs `work` over one state of all data, which later commits do not change; without a time limit. Writers go on
   * meanwhile, and the engine keeps what `work` may still read.
   */
  snapshot<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Returns whether the server takes writes now; a standby does not. Absent where the engine has no servers. */
  takesWrites?(): Promise<boolean>;
  /** Counts connections of this process and those that wait for one. Absent without a connection pool. */
  pool?(): { busy: number; idle: number; waiting: number };
  /**
   * Returns a value that changes with every commit of any process. What was read between two equal values is still
   * valid. Absent where the engine cannot tell; NaN, which equals nothing, where it cannot tell at this moment.
   */
  dataVersion?: (() => DataVersion | Promise<DataVersion>) | undefined;
  close(): Promise<void>;
};
