// The tables of an archive as numbered migrations. Both engines understand them after `typed()` in statements.ts.

/**
 * One version of the schema. `both`: statements for both engines, separated by semicolons. `sqlite` and `postgres`:
 * statements for one of them. Types are INTEGER, BIGINT, TEXT and BLOB. A released migration never changes; add a new one at the
 * end. The columns that code reads or writes are described in src/service/records.
 */
export type Migration = { both: string; sqlite?: string; postgres?: string };

/**
 * Conventions of all tables: `n` is a number that is never used again. Times are milliseconds since the epoch, flags 0
 * or 1, hashes lower-case hexadecimal. The tables `blobs` and `chunks` hold the files of an archive without a folder for
 * them; `counters` and `peers` hold what several processes count together. In the condition of a partial index, IS TRUE
 * keeps SQLite from using the index for another query of the same shape.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    both: `
  CREATE TABLE conversations (
    n INTEGER PRIMARY KEY, subject TEXT, source TEXT NOT NULL, first_message INTEGER NOT NULL,
    message_count INTEGER NOT NULL, started_ms BIGINT, last_ms BIGINT, failed INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE messages (
    n INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, parent INTEGER, sequence BIGINT NOT NULL, moved_by TEXT,
    message_key TEXT, date_ms BIGINT, sender TEXT, subject TEXT,
    format TEXT NOT NULL, source TEXT NOT NULL, classification TEXT NOT NULL,
    raw_sha256 TEXT NOT NULL, raw_bytes BIGINT NOT NULL, attachments INTEGER NOT NULL,
    tier TEXT NOT NULL, failed INTEGER NOT NULL DEFAULT 0, path TEXT NOT NULL, position BIGINT NOT NULL
  );
  CREATE UNIQUE INDEX messages_by_raw ON messages (raw_sha256);
  CREATE INDEX messages_by_sequence ON messages (sequence, n);
  CREATE INDEX messages_by_conversation ON messages (conversation, sequence, n);
  CREATE INDEX messages_by_key ON messages (message_key);
  CREATE TABLE raws (n INTEGER PRIMARY KEY, content BLOB NOT NULL);
  CREATE TABLE threads (message_key TEXT PRIMARY KEY, conversation INTEGER NOT NULL);
  CREATE INDEX threads_by_conversation ON threads (conversation);
  CREATE TABLE attachments (
    n INTEGER PRIMARY KEY, message INTEGER NOT NULL, part INTEGER NOT NULL, filename TEXT NOT NULL,
    sha256 TEXT NOT NULL, bytes BIGINT NOT NULL, declared_type TEXT NOT NULL, detected_type TEXT,
    stored INTEGER NOT NULL, redacted INTEGER NOT NULL, redaction TEXT,
    decorative_layer INTEGER NOT NULL, first_visible INTEGER NOT NULL, origin_city TEXT,
    source TEXT NOT NULL, tier TEXT NOT NULL, trailing_bytes BIGINT NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    source_by TEXT, decorative_by TEXT
  );
  CREATE INDEX attachments_redacted ON attachments (n) WHERE redacted = 1;
  CREATE INDEX attachments_by_type ON attachments (declared_type, n);
  CREATE INDEX attachments_by_city ON attachments (origin_city, n);
  CREATE INDEX attachments_by_message ON attachments (message, part);
  CREATE INDEX attachments_by_hash ON attachments (sha256, n);
  CREATE TABLE events (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, payload TEXT NOT NULL, body_sha256 TEXT NOT NULL,
    received_ms BIGINT NOT NULL, deliveries INTEGER NOT NULL, effect TEXT NOT NULL, applied INTEGER,
    message BIGINT, attachment BIGINT
  );
  CREATE INDEX events_waiting ON events (n) WHERE effect = 'waiting';
  CREATE INDEX events_by_message ON events (message, n) WHERE message IS NOT NULL;
  CREATE INDEX events_by_attachment ON events (attachment, n) WHERE attachment IS NOT NULL;
  CREATE UNIQUE INDEX events_by_applied ON events (applied);
  CREATE TABLE tokens (
    sha256 TEXT PRIMARY KEY, client_id TEXT NOT NULL, tier TEXT NOT NULL, scope TEXT NOT NULL, expires_ms BIGINT NOT NULL
  );
  CREATE INDEX tokens_by_expiry ON tokens (expires_ms);
  CREATE TABLE orphans (
    message_key TEXT NOT NULL, message INTEGER NOT NULL, rank INTEGER NOT NULL, PRIMARY KEY (message_key, message)
  );
  CREATE INDEX orphans_by_message ON orphans (message, rank);
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
  `,
  },
  {
    both: `
  CREATE INDEX attachments_by_source ON attachments (source, n);
  CREATE INDEX attachments_closed_to_external ON attachments (n) WHERE (redacted = 1 OR tier <> 'external') IS TRUE;
  CREATE INDEX attachments_closed_to_internal ON attachments (n) WHERE (redacted = 1 OR tier = 'mirror') IS TRUE;
  CREATE INDEX messages_displaced ON messages (n) WHERE sequence <> n;
  CREATE INDEX events_displaced ON events (n) WHERE applied <> n;
  `,
    postgres: `
  CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, bytes BIGINT NOT NULL);
  CREATE TABLE chunks (sha256 TEXT NOT NULL, chunk INTEGER NOT NULL, content BLOB NOT NULL, PRIMARY KEY (sha256, chunk));
  CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
  CREATE TABLE peers (name TEXT PRIMARY KEY, start_ms BIGINT NOT NULL, count BIGINT NOT NULL);
  CREATE INDEX peers_by_start ON peers (start_ms);
  `,
  },
  {
    both: `
  ALTER TABLE events ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN due_ms BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE events ADD COLUMN error TEXT;
  CREATE INDEX events_queued ON events (n) WHERE effect = 'queued';
  CREATE INDEX events_dead ON events (n) WHERE effect = 'dead';
  CREATE INDEX events_superseded ON events (n) WHERE effect = 'superseded';
  `,
  },
  {
    both: `
  CREATE INDEX messages_failing ON messages (failed) WHERE failed <> 0;
  CREATE INDEX attachments_failing ON attachments (failed) WHERE failed <> 0;
  `,
  },
  {
    // Earlier imports took the tier external from the header of a mail, which its sender wrote.
    both: `
  UPDATE messages SET tier = 'internal' WHERE tier = 'external';
  UPDATE attachments SET tier = 'internal' WHERE tier = 'external';
  `,
  },
  {
    both: `
  ALTER TABLE attachments ADD COLUMN contains INTEGER NOT NULL DEFAULT 0;
  `,
  },
  {
    // Tokens of earlier versions lack the scope write:events. A client whose token is unknown asks for another one.
    both: 'DELETE FROM tokens',
  },
  {
    // The greater event id won. Now the later arrival does, so these are applied again where they arrived later.
    both: `UPDATE events SET effect = 'queued', applied = NULL WHERE effect = 'superseded'`,
  },
  {
    // A file without bytes had the hash of its description in place of a hash.
    both: `
  ALTER TABLE attachments ADD COLUMN absence TEXT;
  UPDATE attachments SET absence = 'is not in the export', sha256 = 'absent:' || sha256 WHERE stored = 0;
  `,
  },
  {
    // The search index, a table for each tier, and the messages that must be indexed again (store/search). The texts come
    // as words with blanks between them, and `ascii` changes none of these words.
    both: 'CREATE TABLE search_due (n INTEGER PRIMARY KEY)',
    sqlite: perTier(
      (table) => `CREATE VIRTUAL TABLE ${table} USING fts5(subject, sender, body, files, quoted,
        content='', contentless_delete=1, tokenize='ascii')`,
    ),
    postgres: perTier(
      (table) => `CREATE TABLE ${table} (n BIGINT PRIMARY KEY, day BIGINT NOT NULL, is_long INTEGER NOT NULL,
          words TSVECTOR NOT NULL);
        CREATE INDEX ${table}_words ON ${table} USING gin (words);
        CREATE INDEX ${table}_newest ON ${table} (day DESC, n DESC)`,
    ),
  },
  {
    // The tier of a conversation: the highest of its messages. A row with the same bytes as an earlier one of a higher tier is
    // the first that its readers see. Names of tiers stand in the order of the alphabet. Checks are counted for each tier,
    // without redacted files.
    both: `
  ALTER TABLE conversations ADD COLUMN tier TEXT NOT NULL DEFAULT 'mirror';
  UPDATE conversations SET tier = COALESCE(
    (SELECT MAX(m.tier) FROM messages m WHERE m.conversation = conversations.n), tier);
  UPDATE attachments SET first_visible = 1 WHERE first_visible = 0 AND NOT EXISTS
    (SELECT 1 FROM attachments b WHERE b.sha256 = attachments.sha256 AND b.n < attachments.n AND b.tier <= attachments.tier);
  DROP INDEX messages_failing;
  DROP INDEX attachments_failing;
  CREATE INDEX messages_failing_by_tier ON messages (failed, tier) WHERE failed <> 0;
  CREATE INDEX attachments_failing_by_tier ON attachments (failed, tier, redacted) WHERE failed <> 0;
  `,
  },
  {
    // Payloads are kept as they were sent. Those of earlier events stay canonical JSON, whose hash is body_sha256.
    both: 'ALTER TABLE events ADD COLUMN payload_sha256 TEXT',
  },
  {
    // The channel of a chat. Messages that the archive has already keep none, also when they are imported again.
    both: `
  ALTER TABLE messages ADD COLUMN channel TEXT;
  CREATE INDEX messages_channel ON messages (channel, tier) WHERE channel IS NOT NULL;
  `,
  },
  // What filters of attachments read (lists/attachments.ts): an index for each combination of filters, in the order of the
  // list, of the rows that show their values. The tier comes first, so that each reader reads the ranges of his tiers. A step for
  // each index: what was made stays when an upgrade of a large archive is interrupted.
  {
    both: `CREATE INDEX attachments_open ON attachments (tier, n)
      WHERE (redacted = 0) IS TRUE`,
  },
  {
    both: `CREATE INDEX attachments_open_by_city ON attachments (tier, origin_city, n)
      WHERE (redacted = 0 AND origin_city IS NOT NULL) IS TRUE`,
  },
  {
    both: `CREATE INDEX attachments_open_by_type ON attachments (tier, declared_type, n)
      WHERE (redacted = 0) IS TRUE`,
  },
  {
    both: `CREATE INDEX attachments_open_by_source ON attachments (tier, source, n)
      WHERE (redacted = 0) IS TRUE`,
  },
  {
    both: `CREATE INDEX attachments_open_by_city_type ON attachments (tier, origin_city, declared_type, n)
      WHERE (redacted = 0 AND origin_city IS NOT NULL) IS TRUE`,
  },
  {
    both: `CREATE INDEX attachments_open_by_city_source ON attachments (tier, origin_city, source, n)
      WHERE (redacted = 0 AND origin_city IS NOT NULL) IS TRUE`,
  },
  {
    both: `CREATE INDEX attachments_open_by_type_source ON attachments (tier, declared_type, source, n)
      WHERE (redacted = 0) IS TRUE`,
  },
  {
    both: `CREATE INDEX attachments_open_by_city_type_source ON attachments (tier, origin_city, declared_type, source, n)
      WHERE (redacted = 0 AND origin_city IS NOT NULL) IS TRUE`,
  },
  { both: 'CREATE INDEX attachments_closed ON attachments (tier, n) WHERE (redacted = 1) IS TRUE' },
  { both: 'CREATE INDEX attachments_of_message ON attachments (message, n)' },
  {
    both: `
  DROP INDEX attachments_by_city;
  DROP INDEX attachments_by_type;
  DROP INDEX attachments_by_source;
  DROP INDEX attachments_by_message;
  DROP INDEX attachments_redacted;
  DROP INDEX attachments_closed_to_external;
  DROP INDEX attachments_closed_to_internal;
  `,
  },
  // The names behind ids in the text of a Slack message. Messages that the archive has already get them when their export is
  // imported again.
  { both: 'ALTER TABLE messages ADD COLUMN mentions TEXT' },
  // The words of subjects and senders by themselves: the index of all words does not tell them from those of bodies.
  {
    both: '',
    postgres: perTier(
      (table) =>
        `CREATE INDEX ${table}_fields ON ${table} USING gin (ts_filter(words, '{a}'), ts_filter(words, '{b}'))`,
    ),
  },
  // PostgreSQL could read these two combinations by an index without the type, which had the same condition and the same order. The
  // conditions now differ: every source is >= ''. The old index is dropped last, because readers wait from then on.
  {
    both: `
  CREATE INDEX attachments_of_type_source ON attachments (tier, declared_type, source, n)
    WHERE (redacted = 0 AND source >= '') IS TRUE;
  DROP INDEX attachments_open_by_type_source;
  `,
  },
  {
    both: `
  CREATE INDEX attachments_of_city_type_source ON attachments (tier, origin_city, declared_type, source, n)
    WHERE (redacted = 0 AND origin_city IS NOT NULL AND source >= '') IS TRUE;
  DROP INDEX attachments_open_by_city_type_source;
  `,
  },
];

/** The statements for the three tables of the search index. */
function perTier(statements: (table: string) => string): string {
  return ['search_external', 'search_internal', 'search_mirror'].map(statements).join(';');
}

const tablesOf = (text: string): string[] =>
  [...text.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = '']) => name);

/** The tables that every archive has, of whatever version. */
export const FIRST_TABLES: readonly string[] = tablesOf(MIGRATIONS[0]?.both ?? '');

/** All tables that an archive may have. */
export const TABLES: readonly string[] = MIGRATIONS.flatMap(({ both, postgres = '' }) =>
  tablesOf(both + postgres),
);
