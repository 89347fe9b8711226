// What rows with the same bytes say of each other. A row says nothing of rows above its own tier.
import { TIERS, type Tier } from '../../../contract/tier.ts';
import { tiersUpTo } from '../../rules/tiers.ts';
import { selectIn } from '../sql/bulk-statements.ts';
import type { Statements } from '../sql/database.ts';

/** The first row with some bytes, and the first and the last message with them, of one tier. */
type Occurrence = { first: number; firstMessage: number; lastMessage: number };

/** Occurrences of bytes by hash and tier. */
export type Occurrences = {
  /** Returns what a row of this tier may know of bytes; undefined where there are none. */
  upTo(sha256: string, tier: Tier): Occurrence | undefined;
  /** Adds a row. */
  add(sha256: string, tier: Tier, row: { n: number; message: number }): void;
};

/** Returns where the archive has these bytes. */
export async function occurrencesOf(statements: Statements, hashes: Iterable<string>): Promise<Occurrences> {
  const rows = await selectIn<Occurrence & { sha256: string; tier: Tier }>(
    statements,
    `SELECT sha256, tier, MIN(n) AS first, MIN(message) AS "firstMessage", MAX(message) AS "lastMessage"
      FROM attachments WHERE sha256 IN ? GROUP BY sha256, tier`,
    new Set(hashes),
  );
  const known = new Map<string, Occurrence>();
  const key = (sha256: string, tier: Tier) => `${sha256} ${tier}`;
  for (const { sha256, tier, ...occurrence } of rows) known.set(key(sha256, tier), occurrence);
  return {
    upTo(sha256, tier) {
      return tiersUpTo(tier)
        .flatMap((lower) => known.get(key(sha256, lower)) ?? [])
        .reduce<Occurrence | undefined>(
          (all, one) => (all === undefined ? one : together(all, one)),
          undefined,
        );
    },
    add(sha256, tier, { n, message }) {
      const one = { first: n, firstMessage: message, lastMessage: message };
      const before = known.get(key(sha256, tier));
      known.set(key(sha256, tier), before === undefined ? one : together(before, one));
    },
  };
}

function together(a: Occurrence, b: Occurrence): Occurrence {
  return {
    first: Math.min(a.first, b.first),
    firstMessage: Math.min(a.firstMessage, b.firstMessage),
    lastMessage: Math.max(a.lastMessage, b.lastMessage),
  };
}

/** Puts rows whose bytes several messages repeat into the decorative layer, unless an event decided about them. */
export async function markRepeated(
  statements: Statements,
  hashes: Iterable<string>,
  occurrences: Occurrences,
): Promise<void> {
  for (const sha256 of new Set(hashes)) {
    for (const tier of TIERS) {
      const found = occurrences.upTo(sha256, tier);
      if (found === undefined || found.firstMessage === found.lastMessage) continue;
      await statements.run(
        `UPDATE attachments SET decorative_layer = 1
          WHERE sha256 = $1 AND tier = $2 AND decorative_layer = 0 AND decorative_by IS NULL`,
        [sha256, tier],
      );
    }
  }
}

/** Decides again which rows are the first with their bytes, and which bytes are repeated, after rows were changed. */
export async function updateSameBytes(statements: Statements, hashes: Iterable<string>): Promise<void> {
  const all = new Set(hashes);
  const occurrences = await occurrencesOf(statements, all);
  for (const sha256 of all) {
    for (const tier of TIERS) {
      await statements.run(
        `UPDATE attachments SET first_visible = CASE WHEN n = $3 THEN 1 ELSE 0 END WHERE sha256 = $1 AND tier = $2`,
        [sha256, tier, occurrences.upTo(sha256, tier)?.first ?? 0],
      );
    }
  }
  await markRepeated(statements, all, occurrences);
}
