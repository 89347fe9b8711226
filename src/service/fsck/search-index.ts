// Checks the search index against the rows: it names the right messages in the table of their tier, with their words.
import { COLUMNS, type Column, type SearchWords } from '../../contract/search/match.ts';
import type { Expression, Term, TextField } from '../../contract/search/query.ts';
import { wordsOf } from '../../contract/search/words.ts';
import { TIERS, type Tier } from '../../contract/token.ts';
import { searchTextReader } from '../mail/search-text.ts';
import { searchWordsOf } from '../records/search-words.ts';
import { idOf } from '../rules/identifier.ts';
import type { Archive } from '../store/archive.ts';
import { readChecked } from '../store/files/read-checked.ts';
import { readIndexed } from '../store/search/build-index.ts';
import { createFinder } from '../store/search/find-messages.ts';
import { indexedUpTo } from '../store/search/index-state.ts';
import { DAY_UNIT, MAX_DAY, searchTable } from '../store/search/search-tables.ts';
import type { Database } from '../store/sql/database.ts';
import type { Findings } from './findings.ts';

/** Messages whose words are compared, spread over the archive. */
const MAX_SAMPLES = 100;

/**
 * Checks that the index has every message up to the last one that is indexed, in the table of its tier, and nothing else; and of
 * a sample that it has the words which readers of that tier get. A message that is due must not be in it.
 */
export async function checkSearchIndex(archive: Archive, findings: Findings): Promise<void> {
  const { database } = archive;
  const upto = await indexedUpTo(database);
  for (const tier of TIERS) {
    for (const { problem, sql } of rulesFor(database.engine, tier)) {
      for (const { n } of await database.all<{ n: number }>(sql, [upto]))
        findings.add('search', problem, idOf('msg', n));
    }
    const rows = await database.get<{ rows: number }>(`SELECT COUNT(*) AS rows FROM ${searchTable(tier)}`);
    findings.checked('search', rows?.rows ?? 0);
  }
  const step = Math.max(1, Math.floor(upto / MAX_SAMPLES));
  for (let n = 1; n <= upto; n += step) await checkWords(archive, n, findings);
}

/** Each rule is one statement, so that it sees one state of the archive. */
function rulesFor(engine: Database['engine'], tier: Tier): { problem: string; sql: string }[] {
  const table = searchTable(tier);
  const isSqlite = engine === 'sqlite';
  const day = `CASE WHEN m.date_ms IS NULL OR m.date_ms < 0 THEN 0 WHEN m.date_ms >= ${(MAX_DAY + 1) * DAY_MS}
    THEN ${MAX_DAY} ELSE m.date_ms / ${DAY_MS} END`;
  const n = isSqlite ? `(s.rowid % ${DAY_UNIT})` : 's.n';
  const isMoved = isSqlite ? `s.rowid <> (${day}) * ${DAY_UNIT} + m.n` : `s.day <> (${day})`;
  const isFound = isSqlite ? `s.rowid = (${day}) * ${DAY_UNIT} + m.n` : 's.n = m.n';
  const joined = `SELECT ${n} AS n FROM ${table} s LEFT JOIN messages m ON m.n = ${n}`;
  return [
    { problem: 'indexed without a message', sql: `${joined} WHERE m.n IS NULL AND $1 >= 0` },
    {
      problem: 'indexed for another tier',
      sql: `${joined} WHERE m.tier <> '${tier}' AND $1 >= 0`,
    },
    {
      problem: 'indexed under another date',
      sql: `${joined} WHERE m.n IS NOT NULL AND ${isMoved} AND $1 >= 0`,
    },
    {
      problem: 'indexed though its content has changed',
      sql: `${joined} JOIN search_due d ON d.n = m.n WHERE m.n <= $1`,
    },
    {
      problem: 'not in the search index',
      sql: `SELECT m.n FROM messages m WHERE m.n <= $1 AND m.tier = '${tier}'
        AND NOT EXISTS (SELECT 1 FROM search_due d WHERE d.n = m.n)
        AND NOT EXISTS (SELECT 1 FROM ${table} s WHERE ${isFound}) ORDER BY m.n`,
    },
  ];
}

const DAY_MS = 86_400_000;

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
