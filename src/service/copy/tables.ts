// The tables that a copy of an archive has, and how their rows are read: in the order of their key, in batches of bounded size.
import { createHash, hash } from 'node:crypto';
import { createTurns } from '../../concurrency/turns.ts';
import { ATTACHMENTS } from '../records/attachment.ts';
import { CONVERSATIONS, THREADS } from '../records/conversation.ts';
import { EVENTS } from '../records/event.ts';
import { MESSAGES, ORPHANS, RAWS } from '../records/message.ts';
import type { Table } from '../records/table.ts';
import type { Row, Statements, Value } from '../store/sql/database.ts';

/** A table with the columns of its key, which are its first columns or among them. */
export type CopiedTable = {
  name: string;
  columns: readonly string[];
  key: readonly string[];
  /** A column with values of many bytes: a batch has fewer rows. */
  large?: string;
  /** Rows are never changed or removed, so that an interrupted copy continues after its last row. */
  isAppendOnly?: true;
};

const copied = (
  { name, columns }: Pick<Table, 'name' | 'columns'>,
  key: readonly string[],
  more: Pick<CopiedTable, 'large' | 'isAppendOnly'> = {},
): CopiedTable => ({ name, columns: Object.keys(columns), key, ...more });

/** The tables of rows. Messages come before attachments: see `withdrawChanged` in copy-table.ts. */
export const ROW_TABLES: readonly CopiedTable[] = [
  copied(CONVERSATIONS, ['n']),
  copied(THREADS, ['message_key']),
  copied(ORPHANS, ['message_key', 'message']),
  copied(MESSAGES, ['n']),
  copied(ATTACHMENTS, ['n']),
  copied(EVENTS, ['n'], { large: 'payload' }),
];

/** The table of stored bytes of messages. */
export const CONTENT_TABLE: CopiedTable = copied(RAWS, ['n'], { large: 'content', isAppendOnly: true });

/** Tables that are not copied row by row. test/service/copy/tables.test.ts finds a table that stands in no list. */
export const OTHER_TABLES: Readonly<Record<string, string>> = {
  meta: 'the file key and the counts are copied, the rest belongs to a place',
  tokens: 'they open this archive; a copy issues its own',
  search_due: 'the search index is made anew, of all messages',
  search_external: 'the search index is made anew',
  search_internal: 'the search index is made anew',
  search_mirror: 'the search index is made anew',
  blobs: 'files are copied to where the target keeps its files',
  chunks: 'files are copied to where the target keeps its files',
  counters: 'reads of a test service, of this place',
  peers: 'requests of the last minute, of this place',
};

/** Rows and bytes of a batch. A single larger value is a batch of its own. */
const MAX_ROWS = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** The values of the key columns of a row. */
type Key = readonly Value[];
/** Rows in the order of their key, and the key of the last one. */
type Batch = { rows: Row[]; last: Key };

/** Yields the rows of a table after a key, in order. */
export async function* batchesOf(
  statements: Statements,
  table: CopiedTable,
  after: Key | undefined,
): AsyncGenerator<Batch> {
  const turn = createTurns();
  for (let from = after; ;) {
    await turn();
    const to = table.large === undefined ? undefined : await endOfBatch(statements, table, table.large, from);
    if (table.large !== undefined && to === undefined) return;
    const rows = await rowsBetween(statements, table, from, to);
    if (rows.length === 0) return;
    from = keyOf(table, rows.at(-1)!);
    yield { rows, last: from };
  }
}

/** Returns the rows after one key and up to another, in order: all of them with `to`, else the next {@link MAX_ROWS}. */
export async function rowsBetween(
  statements: Statements,
  table: CopiedTable,
  after: Key | undefined,
  to: Key | undefined,
): Promise<Row[]> {
  const { where, values } = betweenKeys(table, after, to);
  const limit = to === undefined ? ` LIMIT ${MAX_ROWS}` : '';
  return statements.all(
    `SELECT ${table.columns.join(', ')} FROM ${table.name}${where} ORDER BY ${table.key.join(', ')}${limit}`,
    values,
  );
}

async function endOfBatch(
  statements: Statements,
  table: CopiedTable,
  large: string,
  after: Key | undefined,
): Promise<Key | undefined> {
  const { where, values } = betweenKeys(table, after, undefined);
  const key = table.key.join(', ');
  const rows = await statements.all<Row & { size: number }>(
    `SELECT ${key}, octet_length(${large}) AS size FROM ${table.name}${where} ORDER BY ${key} LIMIT ${MAX_ROWS}`,
    values,
  );
  let bytes = 0;
  const tooMany = rows.findIndex(({ size }, index) => (bytes += size) > MAX_BYTES && index > 0);
  const last = rows.at(tooMany === -1 ? -1 : tooMany - 1);
  return last === undefined ? undefined : keyOf(table, last);
}

/** Returns the condition on the key, '' where all rows are meant. */
export function betweenKeys(
  { key }: CopiedTable,
  after: Key | undefined,
  to: Key | undefined,
): { where: string; values: Value[] } {
  const columns = `(${key.join(', ')})`;
  const parameters = (first: number): string => `(${key.map((_, at) => `$${first + at}`).join(', ')})`;
  const conditions = [
    ...(after === undefined ? [] : [`${columns} > ${parameters(1)}`]),
    ...(to === undefined ? [] : [`${columns} <= ${parameters(1 + (after?.length ?? 0))}`]),
  ];
  return {
    where: conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`,
    values: [...(after ?? []), ...(to ?? [])],
  };
}

/** Returns the key of a row. */
function keyOf({ key }: CopiedTable, row: Row): Key {
  return key.map((column) => row[column]!);
}

/** Returns the greatest key of a table. */
export async function lastKey(statements: Statements, table: CopiedTable): Promise<Key | undefined> {
  const key = table.key.join(', ');
  const descending = table.key.map((column) => `${column} DESC`).join(', ');
  const row = await statements.get(`SELECT ${key} FROM ${table.name} ORDER BY ${descending} LIMIT 1`);
  return row === undefined ? undefined : keyOf(table, row);
}

/** Returns a row as text: two rows are equal where it is. */
export function rowText({ columns }: CopiedTable, row: Row): string {
  return JSON.stringify(columns.map((column) => textOf(row[column]!)));
}

function textOf(value: Value): string | number | null {
  return value instanceof Uint8Array ? hash('sha256', value, 'hex') : value;
}

/** The SHA-256 of a table: of the texts of its rows, in the order of the key. */
export function tableDigest(table: CopiedTable): { add(texts: readonly string[]): void; end(): string } {
  const digest = createHash('sha256').update(JSON.stringify([table.name, table.columns]));
  return {
    add: (texts) => void digest.update(`\n${texts.join('\n')}`),
    end: () => digest.digest('hex'),
  };
}

/** Returns the SHA-256 of a table, and its rows. */
export async function digestTable(
  statements: Statements,
  table: CopiedTable,
  progress: (rows: number) => void,
): Promise<{ sha256: string; rows: number }> {
  const digest = tableDigest(table);
  let rows = 0;
  for await (const batch of batchesOf(statements, table, undefined)) {
    digest.add(batch.rows.map((row) => rowText(table, row)));
    rows += batch.rows.length;
    progress(batch.rows.length);
  }
  return { sha256: digest.end(), rows };
}
