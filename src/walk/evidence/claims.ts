// What reads say about one adjacency, and how often claims of each kind were wrong: the input of every decision.

/**
 * The evidence for one adjacency: row A directly before row B in the known order. A vote is one read that shows B right
 * after A. See "Evidence for an adjacency" in ../README.md.
 */
export type AdjacencyEvidence = {
  /** The rows show positions n and n+1, so no row can stand between them. */
  isConsecutive: boolean;
  /** Votes of reads that hold both rows. */
  insideVotes: number;
  /** Votes of reads of which one of the two rows is the cursor. */
  cursorVotes: number;
  /** Votes of reads that look stale: they omit two rows or more elsewhere. */
  suspectVotes: number;
  /** Votes of the cross-check source that hold both rows. */
  crossCheckVotes: number;
  /** Answers of the cross-check source that show the adjacency at all, its own cursor included. */
  confirmations: number;
  /** Reads behind the most frequent other neighbour of A or of B. */
  rivalVotes: number;
  /** Reads that show B before A. */
  reversedReads: number;
  /** Reads that show rows before and after B but not B. */
  omittingReads: number;
};

/** Claims of one kind, and how many of them the known order contradicts. */
export type Claims = { claims: number; wrong: number };

/**
 * Claims by what makes them: a row beside a row (`inside`), beside the cursor (`cursor`), an end of the list (`edge`), a
 * row beside a row in a read that looks stale (`suspect`), and any claim of the cross-check source (`crossCheck`).
 */
export type ClaimCounts = {
  inside: Claims;
  cursor: Claims;
  edge: Claims;
  suspect: Claims;
  crossCheck: Claims;
};

/** Returns counts of no claims. */
export const noClaims = (): ClaimCounts => ({
  inside: { claims: 0, wrong: 0 },
  cursor: { claims: 0, wrong: 0 },
  edge: { claims: 0, wrong: 0 },
  suspect: { claims: 0, wrong: 0 },
  crossCheck: { claims: 0, wrong: 0 },
});

/** Returns an adjacency that no read has shown yet. */
export const noEvidence = (isConsecutive: boolean): AdjacencyEvidence => ({
  isConsecutive,
  insideVotes: 0,
  cursorVotes: 0,
  suspectVotes: 0,
  crossCheckVotes: 0,
  confirmations: 0,
  rivalVotes: 0,
  reversedReads: 0,
  omittingReads: 0,
});
