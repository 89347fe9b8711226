// A large archive that the database itself generates: as many conversations as attachments, distributed as in real archives.
import type { Database, Statements } from '../../src/service/store/sql/database.ts';

/** Quantiles, and between two of them more of the smaller values: [share of the rows, greatest value]. */
export type Spread = readonly (readonly [share: number, value: number])[];

/** What real archives have (their message and file sizes in bytes); a message without a file is not in `files`. */
export const SPREADS = {
  threads: [
    [0, 1],
    [0.5, 3],
    [0.9, 12],
    [0.99, 37],
    [1, 155],
  ],
  messages: [
    [0, 400],
    [0.5, 6_800],
    [0.9, 14_900],
    [0.99, 52_000],
    [1, 4_200_000],
  ],
  attachments: [
    [0, 60],
    [0.5, 15_000],
    [0.9, 146_000],
    [0.99, 614_000],
    [1, 3_100_000],
  ],
  files: [
    [0, 1],
    [0.5, 1],
    [0.8, 4],
    [1, 12],
  ],
} as const satisfies Record<string, Spread>;

/** The share of messages that have attachments. */
export const WITH_FILES = 0.095;

export type Generated = { conversations: number; messages: number; attachments: number };

/** Rows of one statement: what an engine sorts and holds at once. */
const BATCH = 500_000;

/**
 * Fills an empty archive with `count` conversations, their messages and `count` attachments: rows with sizes and hashes,
 * no stored bytes. The same for the same seed, on both engines. Messages of a conversation follow each other.
 */
export async function generate(database: Database, count: number, seed = 1): Promise<Generated> {
  const indexes = await withoutIndexes(database);
  const run = (sql: string) => database.migration((statements) => statements.run(sql));
  await run('CREATE TABLE numbers (k INTEGER PRIMARY KEY)');
  await run(`INSERT INTO numbers ${series(0, 154)} SELECT n FROM s`);

  let last = 0;
  for (let from = 1; from <= count; from += BATCH) {
    const before = last;
    await run(`INSERT INTO conversations (n, subject, source, first_message, message_count, started_ms, last_ms, failed)
      ${series(from, Math.min(from + BATCH - 1, count))}
      SELECT c.start, concat('Letter ', c.n, ' of the archive'), ${oneOf('c.n', seed, 'source', 3)}, c.start, c.size,
        ${dateOf('c.start')}, ${dateOf('c.start + c.size - 1')}, ${failed('c.n', seed + 7)}
      FROM (SELECT n, size, ${before} + 1 + SUM(size) OVER (ORDER BY n) - size AS start
        FROM (SELECT n, ${valueOf('threads', drawn('n', seed))} AS size FROM s) AS sized) AS c`);
    last = await newest(
      database,
      'SELECT first_message + message_count - 1 AS n FROM conversations ORDER BY conversations.n DESC LIMIT 1',
    );
    await run(`INSERT INTO messages (n, conversation, parent, sequence, message_key, date_ms, sender, subject, format,
        source, classification, raw_sha256, raw_bytes, attachments, tier, failed, path, position)
      SELECT n, conversation, CASE k WHEN 0 THEN NULL ELSE n - 1 END, n, concat(n, '@archive.example'), ${dateOf('n')},
        concat('Observer ', n % 997, ' <o', n % 997, '@archive.example>'), subject, 'rfc822', source,
        CASE k WHEN 0 THEN 'seed_token' ELSE 'reply' END, ${hashOf('n')}, ${valueOf('messages', drawn('n', seed + 1))},
        CASE WHEN ${drawn('n', seed + 2)} < ${WITH_FILES} THEN ${valueOf('files', drawn('n', seed + 3))} ELSE 0 END,
        ${tierOf('n')}, ${failed('n', seed + 4)}, 'generated.mbox', n
      FROM (SELECT c.n + k AS n, c.n AS conversation, k, c.subject, c.source FROM conversations c CROSS JOIN numbers
        WHERE c.n > ${before} AND k < c.message_count) AS m`);
  }
  let files = 0;
  for (let from = 1; from <= last && files < count; from += BATCH) {
    await run(`INSERT INTO attachments (n, message, part, filename, sha256, bytes, declared_type, detected_type, stored,
        redacted, redaction, decorative_layer, first_visible, origin_city, source, tier, trailing_bytes, failed)
      SELECT n, message, part, concat('document-', n, '.pdf'), ${hashOf('n')}, ${valueOf('attachments', drawn('n', seed + 5))},
        concat('type/', n % 50), concat('type/', n % 50), 1, CASE n % 500 WHEN 0 THEN 1 ELSE 0 END,
        CASE n % 500 WHEN 0 THEN 'sealed' END, 0, 1, concat('city', n % 8), source, tier, 0, ${failed('n', seed + 6)}
      FROM (SELECT ${files} + ROW_NUMBER() OVER (ORDER BY m.n, k) AS n, m.n AS message, k AS part, m.source, m.tier
        FROM messages m CROSS JOIN numbers WHERE m.n >= ${from} AND m.n < ${from + BATCH} AND k < m.attachments) AS f
      WHERE n <= ${count}`);
    files = await newest(database, 'SELECT MAX(n) AS n FROM attachments');
  }
  await run('DROP TABLE numbers');
  for (const sql of indexes) await run(sql);
  await run('ANALYZE');
  return { conversations: count, messages: last, attachments: files };
}

/** Numbers `from` to `to` as `s (n)`. */
function series(from: number, to: number): string {
  return `WITH RECURSIVE s (n) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT n + 1 FROM s WHERE n < ${to})`;
}

/** A number from 0 to below 1 that a row's number and the seed decide; products stay below 2^62, squares break what is linear. */
function drawn(n: string, seed: number): string {
  const once = `(${n} * 48271 + ${seed * 7919}) % 2147483647`;
  const mixed = `(${once}) * (${once}) % 2147483647`;
  return `(CAST((${mixed}) * 16807 % 2147483647 AS DOUBLE PRECISION) / 2147483647)`;
}

/** The value of a spread at a share that is drawn. */
function valueOf(spread: keyof typeof SPREADS, share: string): string {
  const points: Spread = SPREADS[spread];
  const cases = points.slice(1).map(([to, value], at) => {
    const [from, least] = points[at]!;
    const along = `(${share} - ${from}) / ${to - from}`;
    const grown = `${least} + ${value - least} * ${along} * ${along} * ${along}`;
    return `WHEN ${share} < ${to} THEN CAST(ROUND(${grown}) AS BIGINT)`;
  });
  return `CASE ${cases.join(' ')} END`;
}

function oneOf(n: string, seed: number, word: string, count: number): string {
  return `concat('${word}', CAST(${drawn(n, seed + 8)} * ${count * 1000} AS BIGINT) % ${count})`;
}

/** One row in fifty fails a check. */
function failed(n: string, seed: number): string {
  return `CASE WHEN ${drawn(n, seed)} < 0.02 THEN 1 ELSE 0 END`;
}

function tierOf(n: string): string {
  return `CASE WHEN ${n} % 700 = 0 THEN 'mirror' WHEN ${n} % 600 = 0 THEN 'internal' ELSE 'external' END`;
}

function dateOf(n: string): string {
  return `1000000000000 + (${n}) * 9000`;
}

/** 64 hexadecimal digits, other ones for each number and in no order. */
function hashOf(n: string): string {
  const digits = (seed: number) => `CAST(1000000000 + ${drawn(n, seed)} * 2000000000 AS BIGINT)`;
  return `substr(concat(${[11, 12, 13, 14, 15, 16].map(digits).join(', ')}, 'abcdef'), 1, 64 - length(concat('', ${n})))
    || concat('', ${n})`;
}

async function newest(statements: Statements, sql: string): Promise<number> {
  return (await statements.get<{ n: number }>(sql))?.n ?? 0;
}

/** Drops the indexes that can be made again when all rows are there; resolves to the statements that make them. */
async function withoutIndexes(database: Database): Promise<string[]> {
  const found = await database.all<{ name: string; sql: string }>(
    database.engine === 'sqlite'
      ? `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`
      : `SELECT indexname AS name, indexdef AS sql FROM pg_indexes
          WHERE schemaname = current_schema() AND indexname NOT LIKE '%\\_key' AND indexname NOT LIKE '%\\_pkey'`,
  );
  for (const { name } of found)
    await database.migration((statements) => statements.run(`DROP INDEX ${name}`));
  return found.map(({ sql }) => sql);
}
