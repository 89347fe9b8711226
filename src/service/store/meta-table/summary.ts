// Small facts about the archive as a whole: its file key and its summary, each made once and kept.
import { createHash } from 'node:crypto';
import type { Archive } from '../archive.ts';
import { createFilePaths, type FilePaths } from '../../rules/signed-path.ts';
import { CHECKS, countFailures, share } from '../../rules/integrity.ts';
import type { Database, DataVersion, Statements } from '../sql/database.ts';

type Signing = { key: Uint8Array; paths: FilePaths };
const SIGNING = new WeakMap<Database, Signing>();

/** Paths of files by their numbers; see {@link fileKey}. */
export async function filePaths(archive: Archive): Promise<FilePaths> {
  return (await signingOf(archive)).paths;
}

/** The key that signs file addresses: 32 random bytes, made at first use and kept with the archive; it never changes. */
export async function fileKey(archive: Archive): Promise<Uint8Array> {
  return (await signingOf(archive)).key;
}

/** Tells this archive and its copies from any other, and nothing of the key. */
export async function archiveId(archive: Archive): Promise<string> {
  return createHash('sha256')
    .update(await fileKey(archive))
    .digest('hex');
}

async function signingOf(archive: Archive): Promise<Signing> {
  const known = SIGNING.get(archive.database);
  if (known !== undefined) return known;
  const key = await storedKey(archive);
  const signing = { key, paths: createFilePaths(key) };
  SIGNING.set(archive.database, signing);
  return signing;
}

async function storedKey(archive: Archive): Promise<Uint8Array> {
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
 * Where an archive on PostgreSQL keeps its files: its first process decides, before there is any row. `lost` where it
 * has rows and does not know.
 */
export async function filesLocation(
  statements: Statements,
): Promise<'database' | 'folder' | 'undecided' | 'lost'> {
  const found = await statements.get<{ value: string | null; message: number | null }>(
    `SELECT (SELECT value FROM meta WHERE key = 'files') AS value, (SELECT MIN(n) FROM messages) AS message`,
  );
  const value = found?.value ?? null;
  if (value === 'database' || value === 'folder') return value;
  return value === null && found?.message == null ? 'undecided' : 'lost';
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
export const SUMMARY_STATE = `SELECT (SELECT MAX(n) FROM messages) AS messages, (SELECT MAX(n) FROM attachments) AS attachments,
  (SELECT value FROM meta WHERE key = 'summary') AS kept`;
type Stamp = { messages: number | null; attachments: number | null; kept: string | null };

/**
 * `forgotten`: rows were changed since; `joined`: conversations went. `failing` rows were counted at `counted_ms`.
 */
type Kept = {
  messages: number | null;
  attachments: number | null;
  summary: Summary;
  failing: number;
  counted_ms: number;
  forgotten?: true;
  joined?: true;
};

/** What was kept for the archive as it is, by the version of the engine; see {@link Database.dataVersion}. */
const LAST = new WeakMap<Database, { version: DataVersion; summary: Summary }>();

/** Failing rows that may be counted a millisecond of the clock: a hundredth of what an engine can. */
const ROWS_A_MS = 100;

/**
 * Counts and mean integrity of the archive as it is now; of a large one as it was up to a few seconds ago, and while
 * another writes, as it was last counted. What was counted is kept, and only rows that fail a check are counted
 * again. Whoever changes rows instead of adding some calls {@link invalidateSummary} in the same transaction. `known` is the
 * state of the archive where it was asked for just now.
 */
export async function summaryOf(archive: Archive, known?: DataVersion): Promise<Summary> {
  const { database, now } = archive;
  const version = known ?? (await database.dataVersion?.());
  const last = LAST.get(database);
  if (last !== undefined && last.version === version) return last.summary;
  const stamp = await database.get<Stamp>(SUMMARY_STATE);
  const kept = keptOf(stamp?.kept);
  if (kept !== undefined) {
    const isOfNow = kept.messages === stamp?.messages && kept.attachments === stamp.attachments;
    if (isOfNow && kept.forgotten === undefined) {
      if (version !== undefined) LAST.set(database, { version, summary: kept.summary });
      return kept.summary;
    }
    if (Math.abs(now() - kept.counted_ms) < Math.floor(kept.failing / ROWS_A_MS)) return kept.summary;
  }
  if (archive.readOnly) return countedOnce(archive, stamp);
  try {
    // Counted as the writer, so that no change slips in between the count and its keeping. A read waits for no writer.
    const fresh = await database.tryTransaction(async (statements) => {
      const counted = await count(statements, await statements.get<Stamp>(SUMMARY_STATE), now());
      await keep(statements, counted);
      return counted.summary;
    });
    if (fresh !== undefined) return fresh;
  } catch {
    // A full disk must not fail a read.
    return (await count(database, stamp, now())).summary;
  }
  return kept?.summary ?? (await count(database, stamp, now())).summary;
}

/** What cannot be kept with the archive is kept in this process: counted once for each of its states. */
const COUNTED = new WeakMap<Archive, { stamp: string; summary: Promise<Summary> }>();

function countedOnce(archive: Archive, stamp: Stamp | undefined): Promise<Summary> {
  const known = COUNTED.get(archive);
  const state = JSON.stringify(stamp);
  if (known?.stamp === state) return known.summary;
  const summary = count(archive.database, stamp, archive.now()).then((counted) => counted.summary);
  COUNTED.set(archive, { stamp: state, summary });
  summary.catch(() => COUNTED.delete(archive));
  return summary;
}

/** What changed: checks, positions or redactions of rows, or conversations were joined, too. */
export async function invalidateSummary(
  statements: Statements,
  changed: 'rows' | 'conversations' = 'rows',
): Promise<void> {
  const row = await statements.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'summary'`);
  const kept = keptOf(row?.value);
  if (kept === undefined) return;
  await keep(statements, {
    ...kept,
    forgotten: true,
    ...(changed === 'conversations' ? { joined: true } : {}),
  });
}

/** An older arx kept less, which is as good as nothing, and so is a text that is none of ours. */
function keptOf(text: string | null | undefined): Kept | undefined {
  try {
    const kept = JSON.parse(text ?? 'null') as Kept | null;
    return kept?.failing === undefined ? undefined : kept;
  } catch {
    return undefined;
  }
}

async function keep(statements: Statements, kept: Kept): Promise<void> {
  await statements.run(
    `INSERT INTO meta VALUES ('summary', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [JSON.stringify(kept)],
  );
}

/** Messages and attachments are numbered without gaps and never go, so their greatest number is how many there are. */
async function count(statements: Statements, stamp: Stamp | undefined, now: number): Promise<Kept> {
  const tally = async (kind: 'message' | 'attachment', all: number) => {
    const failing = await statements.all<{ failed: number; rows: number }>(
      `SELECT failed, COUNT(*) AS rows FROM ${kind}s WHERE failed <> 0 GROUP BY failed`,
    );
    return {
      all,
      checks: all * CHECKS[kind].length,
      failing: failing.reduce((sum, { rows }) => sum + rows, 0),
      failed: failing.reduce((sum, { rows, failed }) => sum + rows * countFailures(kind, failed), 0),
    };
  };
  const kept = keptOf(stamp?.kept);
  // A conversation has the number of a message, so those that are new have one behind the newest message of then.
  const since = kept?.joined === true ? 0 : (kept?.messages ?? 0);
  const messages = await tally('message', stamp?.messages ?? 0);
  const attachments = await tally('attachment', stamp?.attachments ?? 0);
  const others = await statements.get<{ conversations: number; redacted: number; displaced: number }>(
    `SELECT (SELECT COUNT(*) FROM conversations WHERE n > $1) AS conversations,
      (SELECT COUNT(*) FROM attachments WHERE redacted = 1) AS redacted,
      (SELECT COUNT(*) FROM messages WHERE sequence <> n) AS displaced`,
    [since],
  );
  const checks = messages.checks + attachments.checks;
  return {
    messages: stamp?.messages ?? null,
    attachments: stamp?.attachments ?? null,
    summary: {
      conversations: (since === 0 ? 0 : (kept?.summary.conversations ?? 0)) + (others?.conversations ?? 0),
      messages: messages.all,
      attachments: attachments.all,
      redacted: others?.redacted ?? 0,
      displaced: others?.displaced ?? 0,
      integrity: share(checks - messages.failed - attachments.failed, checks),
    },
    failing: messages.failing + attachments.failing,
    counted_ms: now,
  };
}
