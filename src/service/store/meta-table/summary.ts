// Counts and mean integrity of an archive as each tier may know them, stored in `meta` so that requests need not count.
import { TIERS, type Tier } from '../../../contract/tier.ts';
import { CHECKS, countFailures, share } from '../../rules/integrity.ts';
import { tiersUpTo } from '../../rules/tiers.ts';
import { forReaders } from '../../records/reader.ts';
import type { Archive } from '../archive.ts';
import type { Database, DataVersion, Statements } from '../sql/database.ts';
import { isCountKept } from './count-pause.ts';
import { SUMMARY_STATE } from '../sql/prepared-texts.ts';

/**
 * What a reader may know of the whole archive. `withheld` counts the messages above his tier, `withheldFiles` the attachments that are
 * redacted or above it, `displaced` the messages
 * whose position is not their number. `integrity` is the share of all checks that the messages and attachments
 * pass whose integrity he sees, 1 where there are none.
 */
export type Summary = {
  conversations: number;
  messages: number;
  withheld: number;
  attachments: number;
  withheldFiles: number;
  displaced: number;
  integrity: number;
};

/** The summary for a reader of each tier. */
export type Summaries = Readonly<Record<Tier, Summary>>;

/**
 * What a request needs to know of the whole archive. `revoked` changes when tokens are revoked, null where none ever was
 * (`revocations.ts`).
 */
export type ArchiveState = { summaries: Summaries; revoked: string | null };

/** A row of {@link SUMMARY_STATE}: the greatest numbers, the stored summary as text, and the number of revocations. */
type SummaryState = {
  messages: number | null;
  attachments: number | null;
  kept: string | null;
  revoked: string | null;
};

/** Rows by their tier. */
type RowsByTier = Partial<Record<Tier, number>>;

/** The value in `meta`. Its field names are part of the stored format. */
type StoredSummary = {
  /** The greatest numbers when it was counted. */
  messages: number | null;
  attachments: number | null;
  /** The rows up to these numbers. */
  tiers: { messages: RowsByTier; attachments: RowsByTier };
  summaries: Summaries;
  /** Rows that were counted one by one, and when, in milliseconds since the epoch. */
  counted: number;
  counted_ms: number;
  /** The stored counts are outdated: rows were changed since. */
  forgotten?: true;
  /** Conversations were joined since, so their number cannot be counted on. */
  joined?: true;
  /** Tiers of rows were changed since, so rows cannot be counted on. */
  retiered?: true;
};

/** The last state per database, and the data version that it is valid for. */
const LAST = new WeakMap<Database, { version: DataVersion; state: ArchiveState }>();

/** Returns the summaries of {@link readState} alone. */
export async function summariesOf(archive: Archive): Promise<Summaries> {
  return (await readState(archive)).summaries;
}

/**
 * Returns counts and mean integrity for each tier, and whether tokens were revoked. For a small archive the counts are exact. For one
 * with many failing, redacted or displaced rows, or while another process writes, they may be some seconds old. Only failing and redacted rows are
 * counted again, and of the others those that are new. Whoever changes rows calls {@link invalidateSummary} in the same transaction.
 * `known` is the data version of the archive where the caller just asked for it.
 */
export async function readState(archive: Archive, known?: DataVersion): Promise<ArchiveState> {
  const { database } = archive;
  const version = known ?? (await database.dataVersion?.());
  const last = LAST.get(database);
  if (last !== undefined && last.version === version) return last.state;
  const row = await database.get<SummaryState>(SUMMARY_STATE);
  const revoked = row?.revoked ?? null;
  const stored = parseStored(row?.kept);
  const isCurrent = stored?.messages === row?.messages && stored?.attachments === row?.attachments;
  if (stored === undefined || !isCurrent || stored.forgotten === true)
    return { summaries: await countedAgain(archive, row, stored), revoked };
  const state = { summaries: stored.summaries, revoked };
  if (version !== undefined) LAST.set(database, { version, state });
  return state;
}

/** Returns the summaries where the stored ones are missing or outdated, and stores them where that can be done. */
async function countedAgain(
  archive: Archive,
  state: SummaryState | undefined,
  stored: StoredSummary | undefined,
): Promise<Summaries> {
  const { database, now } = archive;
  if (stored !== undefined && isCountKept(stored.counted, stored.counted_ms, now())) return stored.summaries;
  // Where storing failed in this state, it fails again: a standby, a full disk.
  if (archive.readOnly || COUNTED.get(archive)?.state === stateOf(state)) return countOnce(archive, state);
  try {
    // As the writer, so that nothing changes between counting and storing. A read does not wait for another writer.
    const fresh = await database.tryTransaction(async (statements) => {
      const counted = await count(statements, await statements.get<SummaryState>(SUMMARY_STATE), now());
      await save(statements, counted);
      return counted.summaries;
    });
    if (fresh !== undefined) return fresh;
  } catch {
    // A full disk must not fail a read.
    return countOnce(archive, state);
  }
  return stored?.summaries ?? (await count(database, state, now())).summaries;
}

/** Summaries of archives that cannot store them: counted once for each state. */
const COUNTED = new WeakMap<Archive, { state: string; summaries: Promise<Summaries> }>();

function countOnce(archive: Archive, row: SummaryState | undefined): Promise<Summaries> {
  const known = COUNTED.get(archive);
  const state = stateOf(row);
  if (known?.state === state) return known.summaries;
  const summaries = count(archive.database, row, archive.now()).then((counted) => counted.summaries);
  COUNTED.set(archive, { state, summaries });
  summaries.catch(() => COUNTED.delete(archive));
  return summaries;
}

const stateOf = (row: SummaryState | undefined): string => JSON.stringify(row ?? null);

/** Marks the stored summary as outdated. `rows`: checks, positions or redactions changed; `conversations`: some were joined; `tiers`: of rows. */
export async function invalidateSummary(
  statements: Statements,
  changed: 'rows' | 'conversations' | 'tiers' = 'rows',
): Promise<void> {
  const row = await statements.get<{ value: string }>(`SELECT value FROM meta WHERE key = 'summary'`);
  const stored = parseStored(row?.value);
  if (stored === undefined) return;
  const isMarked =
    stored.forgotten === true &&
    (changed !== 'conversations' || stored.joined === true) &&
    (changed !== 'tiers' || stored.retiered === true);
  if (isMarked) return;
  await save(statements, {
    ...stored,
    forgotten: true,
    ...(changed === 'conversations' ? { joined: true } : {}),
    ...(changed === 'tiers' ? { retiered: true } : {}),
  });
}

/** Returns undefined for text that is not a summary, and for one of an older arx, which lacks fields. */
function parseStored(text: string | null | undefined): StoredSummary | undefined {
  try {
    const stored = JSON.parse(text ?? 'null') as StoredSummary | null;
    return stored?.summaries?.mirror?.withheldFiles === undefined ? undefined : stored;
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

async function count(
  statements: Statements,
  state: SummaryState | undefined,
  now: number,
): Promise<StoredSummary> {
  const stored = parseStored(state?.kept);
  const known = stored?.retiered === true ? undefined : stored;
  const messages = await tally(statements, 'message', known, state);
  const attachments = await tally(statements, 'attachment', known, state);
  const redacted = await statements.all<RowGroup>(
    'SELECT tier, COUNT(*) AS rows FROM attachments WHERE (redacted = 1) IS TRUE GROUP BY tier',
  );
  // A conversation has the number of its first message. New conversations have numbers above the last known message.
  const since = stored?.joined === true ? 0 : (stored?.messages ?? 0);
  const others = await statements.get<{ conversations: number; displaced: number }>(
    `SELECT (SELECT COUNT(*) FROM conversations WHERE n > $1) AS conversations,
      (SELECT COUNT(*) FROM messages WHERE sequence <> n) AS displaced`,
    [since],
  );
  const before = since === 0 ? 0 : (stored?.summaries.mirror.conversations ?? 0);
  const shared = {
    conversations: before + (others?.conversations ?? 0),
    // Numbers have no gaps and rows are never deleted, so the greatest number is the count.
    messages: state?.messages ?? 0,
    attachments: state?.attachments ?? 0,
    displaced: others?.displaced ?? 0,
  };
  const summaryFor = (reader: Tier): Summary => {
    const readable = tiersUpTo(reader);
    const sum = (groups: readonly RowGroup[]) =>
      groups.reduce((all, { tier, rows }) => (readable.includes(tier) ? all + rows : all), 0);
    const openFiles = sum(attachments.rows) - sum(redacted);
    const checks = sum(messages.rows) * CHECKS.message.length + openFiles * CHECKS.attachment.length;
    return {
      ...shared,
      withheld: messages.rows.reduce(
        (all, { tier, rows }) => (readable.includes(tier) ? all : all + rows),
        0,
      ),
      withheldFiles: shared.attachments - openFiles,
      integrity: share(checks - sum(messages.failures) - sum(attachments.failures), checks),
    };
  };
  return {
    messages: state?.messages ?? null,
    attachments: state?.attachments ?? null,
    tiers: { messages: byTier(messages.rows), attachments: byTier(attachments.rows) },
    summaries: forReaders(summaryFor),
    counted: [...messages.failing, ...attachments.failing, ...redacted].reduce(
      (all, { rows }) => all + rows,
      shared.displaced,
    ),
    counted_ms: now,
  };
}

/** A number of rows of one tier. */
type RowGroup = { tier: Tier; rows: number };

/** Returns the rows, the rows that fail a check, and the failed checks of a table by tier. Redacted rows do not show their checks. */
async function tally(
  statements: Statements,
  kind: 'message' | 'attachment',
  stored: StoredSummary | undefined,
  state: SummaryState | undefined,
): Promise<Record<'rows' | 'failing' | 'failures', RowGroup[]>> {
  const table = `${kind}s` as const;
  const fresh = await statements.all<RowGroup>(
    `SELECT tier, COUNT(*) AS rows FROM ${table} WHERE n > $1 AND n <= $2 GROUP BY tier`,
    [stored?.[table] ?? 0, state?.[table] ?? 0],
  );
  const failing = await statements.all<RowGroup & { failed: number }>(
    `SELECT failed, tier, COUNT(*) AS rows FROM ${table}
      WHERE failed <> 0${kind === 'attachment' ? ' AND redacted = 0' : ''} GROUP BY failed, tier`,
  );
  const known = stored?.tiers[table] ?? {};
  return {
    rows: [...fresh, ...TIERS.map((tier) => ({ tier, rows: known[tier] ?? 0 }))],
    failing,
    failures: failing.map(({ failed, tier, rows }) => ({ tier, rows: rows * countFailures(kind, failed) })),
  };
}

function byTier(groups: readonly RowGroup[]): RowsByTier {
  const rows: RowsByTier = {};
  for (const group of groups) rows[group.tier] = (rows[group.tier] ?? 0) + group.rows;
  return rows;
}
