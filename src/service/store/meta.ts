// Small facts about the archive as a whole: its file key and its summary, each made once and kept.
import type { Archive } from '../archive.ts';
import { CHECKS, failures, share } from '../rules/integrity.ts';
import type { Statements } from './database.ts';

/** The key that signs file addresses: 32 random bytes, made at first use and kept with the archive. */
export async function fileKey(archive: Archive): Promise<Uint8Array> {
  const { database } = archive;
  const find = async () =>
    (await database.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'file_key'`))?.value;
  const known = await find();
  if (known !== undefined) return Buffer.from(known, 'base64');
  const fresh = Buffer.from(archive.randomBytes(32)).toString('base64');
  await database.run(`INSERT INTO meta VALUES ('file_key', $1) ON CONFLICT (key) DO NOTHING`, [fresh]);
  return Buffer.from((await find()) ?? fresh, 'base64');
}

/**
 * `displaced` messages stand elsewhere than they arrived; `integrity` is the share of all checks passed by all messages
 * and attachments, 1 for an empty archive.
 */
export type Summary = {
  conversations: number;
  messages: number;
  attachments: number;
  redacted: number;
  displaced: number;
  integrity: number;
};

/** The greatest numbers given so far: rows are only ever added, so they tell one state of the archive from another. */
const STAMP = `SELECT (SELECT MAX(n) FROM messages) AS messages, (SELECT MAX(n) FROM attachments) AS attachments,
  (SELECT value FROM meta WHERE key = 'summary') AS kept`;
type Stamp = { messages: number | null; attachments: number | null; kept: string | null };
type Kept = { messages: number | null; attachments: number | null; summary: Summary; forgotten?: true };

/**
 * Counts and mean integrity, counted once for each state of the archive and then kept. Whoever changes rows instead of
 * adding some calls {@link forgetSummary} in the same transaction. While another writes, the last ones are given: to
 * count all rows for each answer would cost more than what they tell.
 */
export async function summaryOf(archive: Archive): Promise<Summary> {
  const { database } = archive;
  const stamp = await database.get<Stamp>(STAMP);
  const kept = stamp?.kept == null ? undefined : (JSON.parse(stamp.kept) as Kept);
  const isOfNow = kept?.messages === stamp?.messages && kept?.attachments === stamp?.attachments;
  if (kept !== undefined && kept.forgotten === undefined && isOfNow) return kept.summary;
  if (archive.readOnly) return countedOnce(archive, JSON.stringify(stamp));
  try {
    // Counted as the writer, so that no change slips in between the count and its keeping. A read waits for no writer.
    const fresh = await database.transactionNow(async (statements) => {
      const now = await statements.get<Stamp>(STAMP);
      const summary = await count(statements);
      await keep(statements, {
        messages: now?.messages ?? null,
        attachments: now?.attachments ?? null,
        summary,
      });
      return summary;
    });
    if (fresh !== undefined) return fresh;
  } catch {
    // A full disk must not fail a read.
    return count(database);
  }
  return kept?.summary ?? count(database);
}

/** What cannot be kept with the archive is kept in this process: counted once for each of its states. */
const COUNTED = new WeakMap<Archive, { stamp: string; summary: Promise<Summary> }>();

function countedOnce(archive: Archive, stamp: string): Promise<Summary> {
  const known = COUNTED.get(archive);
  if (known?.stamp === stamp) return known.summary;
  const summary = count(archive.database);
  COUNTED.set(archive, { stamp, summary });
  summary.catch(() => COUNTED.delete(archive));
  return summary;
}

export async function forgetSummary(statements: Statements): Promise<void> {
  const row = await statements.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'summary'`);
  if (row !== undefined) await keep(statements, { ...(JSON.parse(row.value) as Kept), forgotten: true });
}

async function keep(statements: Statements, kept: Kept): Promise<void> {
  await statements.run(
    `INSERT INTO meta VALUES ('summary', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [JSON.stringify(kept)],
  );
}

async function count(statements: Statements): Promise<Summary> {
  const tally = async (kind: 'message' | 'attachment') => {
    const rows = await statements.all<{ failed: number; rows: number }>(
      `SELECT failed, COUNT(*) AS rows FROM ${kind}s GROUP BY failed`,
    );
    const all = rows.reduce((sum, row) => sum + row.rows, 0);
    const failed = rows.reduce((sum, row) => sum + row.rows * failures(kind, row.failed), 0);
    return { all, checks: all * CHECKS[kind].length, failed };
  };
  const messages = await tally('message');
  const attachments = await tally('attachment');
  const others = await statements.get<{ conversations: number; redacted: number; displaced: number }>(
    `SELECT (SELECT COUNT(*) FROM conversations) AS conversations,
      (SELECT COUNT(*) FROM attachments WHERE redacted = 1) AS redacted,
      (SELECT COUNT(*) FROM messages WHERE sequence <> n) AS displaced`,
  );
  const checks = messages.checks + attachments.checks;
  return {
    conversations: others?.conversations ?? 0,
    messages: messages.all,
    attachments: attachments.all,
    redacted: others?.redacted ?? 0,
    displaced: others?.displaced ?? 0,
    integrity: share(checks - messages.failed - attachments.failed, checks),
  };
}
