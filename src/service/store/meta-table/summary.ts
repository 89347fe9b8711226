// Counts and mean integrity of an archive, stored in the table `meta` so that requests need not count.
import { CHECKS, countFailures, share } from '../../rules/integrity.ts';
import type { Archive } from '../archive.ts';
import type { Database, DataVersion, Statements } from '../sql/database.ts';
import { SUMMARY_STATE } from '../sql/prepared-texts.ts';

/**
 * `displaced` counts messages whose position is not their number. `integrity` is the share of all checks that the
 * messages and attachments pass, 1 for an empty archive.
 */
export type Summary = {
  conversations: number;
  messages: number;
  attachments: number;
  redacted: number;
  displaced: number;
  integrity: number;
};

/** A row of {@link SUMMARY_STATE}: the greatest numbers, and the stored summary as text. */
type SummaryState = { messages: number | null; attachments: number | null; kept: string | null };

/** The value in `meta`. Its field names are part of the stored format. */
type StoredSummary = {
  /** The greatest numbers when it was counted. */
  messages: number | null;
  attachments: number | null;
  summary: Summary;
  /** Rows that fail a check, and when they were counted, in milliseconds since the epoch. */
  failing: number;
  counted_ms: number;
  /** The stored counts are outdated: rows were changed since. */
  forgotten?: true;
  /** Conversations were joined since, so their number cannot be counted on. */
  joined?: true;
};

/** The last summary per database, and the data version that it is valid for. */
const LAST = new WeakMap<Database, { version: DataVersion; summary: Summary }>();

/** Failing rows that are counted per millisecond of pause: counting takes at most about 1 % of the time. */
const ROWS_PER_PAUSE_MS = 100;

/**
 * Returns counts and mean integrity. For a small archive they are exact. For an archive with many failing rows, or while
 * another process writes, they may be some seconds old. Only failing rows are counted again, the rest follows from the
 * greatest numbers. Whoever changes rows calls {@link invalidateSummary} in the same transaction. `known` is the data
 * version of the archive where the caller just asked for it.
 */
export async function summaryOf(archive: Archive, known?: DataVersion): Promise<Summary> {
  const { database, now } = archive;
  const version = known ?? (await database.dataVersion?.());
  const last = LAST.get(database);
  if (last !== undefined && last.version === version) return last.summary;
  const state = await database.get<SummaryState>(SUMMARY_STATE);
  const stored = parseStored(state?.kept);
  if (stored !== undefined) {
    const isCurrent = stored.messages === state?.messages && stored.attachments === state.attachments;
    if (isCurrent && stored.forgotten === undefined) {
      if (version !== undefined) LAST.set(database, { version, summary: stored.summary });
      return stored.summary;
    }
    if (Math.abs(now() - stored.counted_ms) < Math.floor(stored.failing / ROWS_PER_PAUSE_MS))
      return stored.summary;
  }
  if (archive.readOnly) return countOnce(archive, state);
  try {
    // As the writer, so that nothing changes between counting and storing. A read does not wait for another writer.
    const fresh = await database.tryTransaction(async (statements) => {
      const counted = await count(statements, await statements.get<SummaryState>(SUMMARY_STATE), now());
      await save(statements, counted);
      return counted.summary;
    });
    if (fresh !== undefined) return fresh;
  } catch {
    // A full disk must not fail a read.
    return (await count(database, state, now())).summary;
  }
  return stored?.summary ?? (await count(database, state, now())).summary;
}

/** Summaries of read-only archives, which cannot store them: counted once for each state. */
const COUNTED = new WeakMap<Archive, { state: string; summary: Promise<Summary> }>();

function countOnce(archive: Archive, row: SummaryState | undefined): Promise<Summary> {
  const known = COUNTED.get(archive);
  const state = JSON.stringify(row);
  if (known?.state === state) return known.summary;
  const summary = count(archive.database, row, archive.now()).then((counted) => counted.summary);
  COUNTED.set(archive, { state, summary });
  summary.catch(() => COUNTED.delete(archive));
  return summary;
}

/** Marks the stored summary as outdated. `rows`: checks, positions or redactions changed; `conversations`: some were joined. */
export async function invalidateSummary(
  statements: Statements,
  changed: 'rows' | 'conversations' = 'rows',
): Promise<void> {
  const row = await statements.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'summary'`);
  const stored = parseStored(row?.value);
  if (stored === undefined) return;
  await save(statements, {
    ...stored,
    forgotten: true,
    ...(changed === 'conversations' ? { joined: true } : {}),
  });
}

/** Returns undefined for text that is not a summary, and for one of an older arx, which lacks fields. */
function parseStored(text: string | null | undefined): StoredSummary | undefined {
  try {
    const stored = JSON.parse(text ?? 'null') as StoredSummary | null;
    return stored?.failing === undefined ? undefined : stored;
  } catch {
    return undefined;
  }
}

async function save(statements: Statements, stored: StoredSummary): Promise<void> {
  await statements.run(
    `INSERT INTO meta VALUES ('summary', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [JSON.stringify(stored)],
  );
}

/** Numbers have no gaps and rows are never deleted, so the greatest number of messages or attachments is their count. */
async function count(
  statements: Statements,
  state: SummaryState | undefined,
  now: number,
): Promise<StoredSummary> {
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
  const stored = parseStored(state?.kept);
  // A conversation has the number of its first message. New conversations have numbers above the last known message.
  const since = stored?.joined === true ? 0 : (stored?.messages ?? 0);
  const messages = await tally('message', state?.messages ?? 0);
  const attachments = await tally('attachment', state?.attachments ?? 0);
  const others = await statements.get<{ conversations: number; redacted: number; displaced: number }>(
    `SELECT (SELECT COUNT(*) FROM conversations WHERE n > $1) AS conversations,
      (SELECT COUNT(*) FROM attachments WHERE redacted = 1) AS redacted,
      (SELECT COUNT(*) FROM messages WHERE sequence <> n) AS displaced`,
    [since],
  );
  const checks = messages.checks + attachments.checks;
  return {
    messages: state?.messages ?? null,
    attachments: state?.attachments ?? null,
    summary: {
      conversations: (since === 0 ? 0 : (stored?.summary.conversations ?? 0)) + (others?.conversations ?? 0),
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
