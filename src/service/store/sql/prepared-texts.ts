// Texts by which PostgreSQL's engine knows statements that are sent in another way, see engines/postgres-plans.ts.

/** How the statement of every list page begins. */
export const PAGE_SELECT = `SELECT string_agg(json, ',') AS rows, COUNT(*) AS count`;

/** How the statement of a page begins that is read as ranges of an index. Its own text, since there are many of these statements. */
export const FILTERED_PAGE_SELECT = `SELECT COUNT(*) AS count, string_agg(json, ',') AS rows`;

/** The key in `meta` of the number of revocations. */
export const REVOCATIONS = 'tokens_revoked';

/** The greatest numbers, the stored summary and the number of revocations. Rows are only added, so the numbers identify a state of the archive. */
export const SUMMARY_STATE = `SELECT (SELECT MAX(n) FROM messages) AS messages, (SELECT MAX(n) FROM attachments) AS attachments,
  (SELECT value FROM meta WHERE key = 'summary') AS kept,
  (SELECT value FROM meta WHERE key = '${REVOCATIONS}') AS revoked`;

/** The condition of the search index on PostgreSQL. The query is the first parameter. */
export const WORDS_MATCH = 'words @@ CAST($1 AS TSQUERY)';

/** How a condition on the words of one weight begins, which have an index of their own. */
export const WORDS_OF_WEIGHT = 'ts_filter(words, ';
