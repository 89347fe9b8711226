// Checks the search index against the rows: it names the right messages in the table of their tier, with their words.
import { COLUMNS, type Column, type SearchWords } from '../../contract/search/match.ts';
import type { Expression, Term, TextField } from '../../contract/search/expression.ts';
import { wordsOf } from '../../contract/search/words.ts';
import { TIERS } from '../../contract/tier.ts';
import { searchTextReader } from '../mail/search-text.ts';
import { searchWordsOf } from '../records/search-words.ts';
import { idOf } from '../rules/identifier.ts';
import type { Archive } from '../store/archive.ts';
import { readChecked } from '../store/files/read-checked.ts';
import { readIndexed } from '../store/search/build-index.ts';
import { createFinder } from '../store/search/find-messages.ts';
import { DAY_UNIT, keyParameter, MAX_DAY, searchTable } from '../store/search/search-tables.ts';
import type { Database } from '../store/sql/database.ts';
import type { Findings } from './findings.ts';

const DAY_MS = 86_400_000;

/** Messages whose words are compared, spread over the archive. */
const MAX_SAMPLES = 100;

/** Rows of the index that one statement reads. */
const ROWS_PER_READ = 4_096;

/** The number of a message in a table of the index, and whether the key of a row is not that of its message. */
const KEYS = {
  sqlite: {
    key: 's.rowid',
    n: `(s.rowid % ${DAY_UNIT})`,
    isMoved: `s.rowid <> ${dayIn('m')} * ${DAY_UNIT} + m.n`,
  },
  postgres: { key: 's.n', n: 's.n', isMoved: `s.day <> ${dayIn('m')}` },
} as const satisfies Record<Database['engine'], object>;

/** The day of a message as its key in the index has it. */
function dayIn(alias: string): string {
  const date = `${alias}.date_ms`;
  return `(CASE WHEN ${date} IS NULL OR ${date} < 0 THEN 0 WHEN ${date} >= ${(MAX_DAY + 1) * DAY_MS}
    THEN ${MAX_DAY} ELSE ${date} / ${DAY_MS} END)`;
}

/** Adds the indexed messages above `after`, up to `to`, that the table of their tier lacks. A message that is due must not be in it. */
export async function checkIndexedMessages(
  { database }: Archive,
  { after, to }: { after: number; to: number },
  findings: Findings,
): Promise<void> {
  const isFound = database.engine === 'sqlite' ? `s.rowid = ${dayIn('m')} * ${DAY_UNIT} + m.n` : 's.n = m.n';
  const inTables = TIERS.map(
    (tier) => `WHEN '${tier}' THEN EXISTS (SELECT 1 FROM ${searchTable(tier)} s WHERE ${isFound})`,
  );
  const rows = await database.all<{ n: number }>(
    `SELECT m.n FROM messages m WHERE m.n > $1 AND m.n <= $2
      AND NOT EXISTS (SELECT 1 FROM search_due d WHERE d.n = m.n)
      AND NOT (CASE m.tier ${inTables.join(' ')} END) ORDER BY m.n`,
    [after, to],
  );
  for (const { n } of rows) findings.add('search', 'not in the search index', idOf('msg', n));
}

/**
 * Checks that the tables of the index name messages of their tier, with their dates, that are not due. `progress` is called with the
 * number of rows so far, and awaited.
 */
export async function checkSearchTables(
  { database }: Archive,
  upto: number,
  findings: Findings,
  progress: (rows: number) => Promise<void>,
): Promise<void> {
  const { key, n, isMoved } = KEYS[database.engine];
  let count = 0;
  for (const tier of TIERS) {
    // Each row is read in one statement with its message, so that both are of one state of the archive.
    const rowsOf = (span: string): string =>
      `SELECT ${key} AS key, ${n} AS n, m.n AS message, CASE WHEN m.tier <> '${tier}' THEN 1 ELSE 0 END AS other_tier,
        CASE WHEN m.n IS NOT NULL AND ${isMoved} THEN 1 ELSE 0 END AS moved, CASE WHEN m.n <= $2 AND d.n IS NOT NULL THEN 1 ELSE 0 END AS due
      FROM ${searchTable(tier)} s LEFT JOIN messages m ON m.n = ${n} LEFT JOIN search_due d ON d.n = m.n
      WHERE ${key} > ${keyParameter('$1')} ${span}`;
    // Only counts leave the database where all is well.
    const counted = `SELECT COUNT(*) AS rows, MAX(key) AS last,
        COUNT(CASE WHEN message IS NULL OR other_tier = 1 OR moved = 1 OR due = 1 THEN 1 END) AS wrong
      FROM (${rowsOf(`ORDER BY ${key} LIMIT ${ROWS_PER_READ}`)}) part`;
    for (let after = -1; ;) {
      const part = await database.get<CountedRows>(counted, [after, upto]);
      if (part?.last == null) break;
      if (part.wrong > 0)
        addWrongRows(
          await database.all(rowsOf(`AND ${key} <= ${keyParameter('$3')} ORDER BY ${key}`), [
            after,
            upto,
            part.last,
          ]),
          findings,
        );
      findings.checked('search', part.rows);
      await progress((count += part.rows));
      if (part.rows < ROWS_PER_READ) break;
      after = part.last;
    }
  }
}

type CountedRows = { rows: number; last: number | null; wrong: number };

type IndexedRow = {
  n: number;
  message: number | null;
  other_tier: number;
  moved: number;
  due: number;
};

function addWrongRows(rows: readonly IndexedRow[], findings: Findings): void {
  for (const row of rows) {
    const add = (problem: string): void => findings.add('search', problem, idOf('msg', row.n));
    if (row.message === null) add('indexed without a message');
    if (row.other_tier === 1) add('indexed for another tier');
    if (row.moved === 1) add('indexed under another date');
    if (row.due === 1) add('indexed though its content has changed');
  }
}

/** Checks of a sample of the indexed messages above `after` that the index has the words which readers of their tier get. */
export async function checkSampledWords(
  archive: Archive,
  { after, upto }: { after: number; upto: number },
  findings: Findings,
): Promise<void> {
  const step = Math.max(1, Math.floor((upto - after) / MAX_SAMPLES));
  for (let n = after + 1; n <= upto; n += step) await checkWords(archive, n, findings);
}

const FIELDS: Partial<Record<Column, TextField>> = {
  subject: 'subject',
  sender: 'from',
  files: 'file',
  body: 'body',
};

async function checkWords(archive: Archive, n: number, findings: Findings): Promise<void> {
  const message = await readIndexed(archive.database, n);
  const text = message && (await searchTextReader((sha256) => readChecked(archive.blobs, sha256))(message));
  if (message === undefined || text === undefined) return;
  const words = searchWordsOf(text);
  const terms = COLUMNS.flatMap((column) =>
    [words[column][0], words[column].at(-1)].flatMap((word) =>
      word === undefined ? [] : [termOf(word, FIELDS[column])],
    ),
  );
  const isFound = async (expression: Expression): Promise<boolean> => {
    const finder = await createFinder(archive.database, {
      expression,
      filters: [],
      reader: message.row.tier,
      labelsOf: () => [],
      matches: async () => false,
    });
    return (await finder.hitOf(n, 'newest')) !== undefined;
  };
  // Another process may have changed the message meanwhile; then it is due.
  const isDue = async (): Promise<boolean> =>
    (await archive.database.get('SELECT n FROM search_due WHERE n = $1', [n])) !== undefined;
  const id = idOf('msg', n);
  if (terms.length > 0 && !(await isFound(allOf(terms))) && !(await isDue()))
    findings.add('search', 'words are not in the search index', id);
  for (const word of withheldWords(message.files, words)) {
    if (!(await isFound(termOf(word, undefined))) || (await isDue())) continue;
    findings.add('search', 'found by a withheld file', id);
    break;
  }
}

function termOf(word: string, field: TextField | undefined): Term {
  return { kind: 'term', field, words: [word], isPrefix: false };
}

function allOf(terms: readonly Term[]): Expression {
  return terms.length === 1 ? terms[0]! : { kind: 'all', of: terms };
}

/** Returns words of the names of withheld files that the message does not have elsewhere. */
function withheldWords(
  files: readonly { filename: string; withheld: boolean }[],
  words: SearchWords,
): string[] {
  const known = new Set(COLUMNS.flatMap((column) => words[column]));
  const names = files.filter(({ withheld }) => withheld).flatMap(({ filename }) => wordsOf(filename));
  return names.filter((word) => !known.has(word)).slice(0, 8);
}
