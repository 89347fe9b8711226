// What the store asks of an SQL engine: plain statements with $1 parameters, one writer's transaction, nothing else.

export type Value = string | number | null | Uint8Array;
export type Row = Record<string, Value>;

/** One state of the archive among all; see {@link Database.dataVersion}. */
export type DataVersion = string | number;

export type Statements = {
  all<T extends Row = Row>(sql: string, parameters?: readonly Value[]): Promise<T[]>;
  get<T extends Row = Row>(sql: string, parameters?: readonly Value[]): Promise<T | undefined>;
  /** Resolves to the number of rows changed. */
  run(sql: string, parameters?: readonly Value[]): Promise<number>;
  /** As {@link Statements.run}, for what ends a transaction: sent in one go with its commit, where the engine is far. */
  last?: ((sql: string, parameters?: readonly Value[]) => void) | undefined;
  /** Rows of a statement with `IN ?`, for values however many, where the engine takes them as one. */
  allIn?: (<T extends Row = Row>(sql: string, values: readonly Value[]) => Promise<T[]>) | undefined;
  /** Adds many rows of the same columns, in order, where the engine has a faster way than INSERT for it. */
  copy?:
    | ((table: string, columns: readonly string[], rows: readonly (readonly Value[])[]) => Promise<void>)
    | undefined;
};

/**
 * One engine. Statements use `$1 … $n`, `ON CONFLICT`, `RETURNING` and types both engines know: what differs is in
 * sqlite.ts, postgres.ts and `typed()` of schema.ts, and nowhere else.
 */
export type Database = Statements & {
  readonly engine: 'sqlite' | 'postgres';
  /**
   * Runs `work` alone among writers, of all processes; durable when it resolves, undone when it throws. Never nested.
   * Where others came into its way it is run again from its beginning.
   */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** As {@link Database.transaction}, but undefined at once, and no work done, where another writer is at it. */
  tryTransaction<T>(work: (statements: Statements) => Promise<T>): Promise<T | undefined>;
  /** As {@link Database.transaction}, for changes of tables: it may take as long as it needs. */
  migration<T>(work: (statements: Statements) => Promise<T>): Promise<T>;
  /** Connections of this process to the engine now, and who waits for one; where it has such. */
  pool?(): { busy: number; idle: number; waiting: number };
  /**
   * A word that is another one after any commit of any process: whoever asks for it, and gets it once more, may rely on
   * what was read in between. Absent where the engine cannot tell, not a number where it cannot at this moment.
   */
  dataVersion?: (() => DataVersion | Promise<DataVersion>) | undefined;
  close(): Promise<void>;
};
