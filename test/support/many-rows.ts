// Inserts many plain rows with few statements, for tests that depend on the number of rows.
import type { Database } from '../../src/service/store/sql/database.ts';

const TABLES = [
  `conversations (n, subject, source, first_message, message_count, failed)
    SELECT n, 'a', 'gateway', n, 1, 0 FROM s`,
  `messages (n, conversation, sequence, format, source, classification, raw_sha256, raw_bytes, attachments, tier,
      failed, path, position)
    SELECT n, n, n, 'rfc822', 'gateway', 'reply', 'h' || n, 1, 1, 'external', 0, 'x', n FROM s`,
  `attachments (n, message, part, filename, sha256, bytes, declared_type, stored, redacted, decorative_layer,
      first_visible, origin_city, source, tier, failed)
    SELECT n, n, 0, 'f', 'h' || n, 1, 'type/' || (n % 50), 1, CASE WHEN n % 500 = 0 THEN 1 ELSE 0 END, 0, 1,
      'city' || (n % 50), 'source' || (n % 50), CASE WHEN n % 700 = 0 THEN 'mirror' WHEN n % 600 = 0 THEN 'internal'
      ELSE 'external' END, 0 FROM s`,
  `events (n, id, type, payload, body_sha256, received_ms, deliveries, effect, applied)
    SELECT n, 'evt_' || n, 'mirror.detected', '{"layer":"x"}', 'h', 0, 1, 'recorded', n FROM s`,
  `tokens (sha256, client_id, tier, scope, expires_ms) SELECT 'h' || n, 'c', 'external', 's', n FROM s`,
];

/** Puts rows 1 to `count` into the tables of an empty archive, and lets the engine know how they are spread. */
export async function fill(database: Database, count: number): Promise<void> {
  const numbers = `WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})`;
  for (const rows of TABLES) {
    await database.migration((statements) => statements.run(`${numbers} INSERT INTO ${rows}`));
  }
  await database.migration((statements) => statements.run('ANALYZE'));
}
