// What reads say about one claim, for example that row B stands directly after row A: the input of every decision.
import type { FaultKind } from './fault-counts.ts';

/** Kinds of faults by which a page can show two rows as neighbours that are none. */
export const FORGING_KINDS = ['omission', 'stale', 'order'] as const satisfies readonly FaultKind[];
/** One of {@link FORGING_KINDS}. */
export type ForgingKind = (typeof FORGING_KINDS)[number];

/**
 * The evidence for one adjacency: row A directly before row B in the known order. A vote is one read that shows B right
 * after A. See "Evidence for an adjacency" in ../README.md.
 */
export type AdjacencyEvidence = {
  /** Votes of reads that hold both rows. */
  insideVotes: number;
  /** How many of these come from reads that show a fault of this kind at another place. */
  taintedVotes: Record<ForgingKind, number>;
  /** Votes of reads of which one of the two rows is the cursor, without reads that look stale. */
  cursorVotes: number;
  /** Votes of the cross-check source that hold both rows. */
  crossCheckVotes: number;
  /** Answers of the cross-check source that show the adjacency at all, its own cursor included. */
  confirmations: number;
  /** Reads behind the most frequent other neighbour of A or of B that is not disproved. */
  rivalVotes: number;
  /** Reads that show B before A. */
  reversedReads: number;
  /** Reads that show rows before and after B but not B. */
  omittingReads: number;
  /** Hardly more reads show B than leave it out, and the service was not asked yet whether B is in the list. */
  isInDoubt: boolean;
  /** The rows show positions n and n+1. */
  isConsecutive: boolean;
  /** They show other positions, in a list where nearly all neighbours are consecutive: a row may be missing between them. */
  isGap: boolean;
  /** Reads that number B, or a row after it, as the walk does; and reads that number one of them otherwise. */
  numberingVotes: number;
  numberingRivals: number;
};

/** Returns an adjacency that no read has shown yet. */
export const noEvidence = (): AdjacencyEvidence => ({
  insideVotes: 0,
  taintedVotes: { omission: 0, stale: 0, order: 0 },
  cursorVotes: 0,
  crossCheckVotes: 0,
  confirmations: 0,
  rivalVotes: 0,
  reversedReads: 0,
  omittingReads: 0,
  isInDoubt: false,
  isConsecutive: false,
  isGap: false,
  numberingVotes: 0,
  numberingRivals: 0,
});
