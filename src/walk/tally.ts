// What a walk counts while it reads: the figures of its report and the fault rate they show.

/** A list drifts once so large a share of its reads disagreed. */
const DRIFTING = 0.1;

export class Tally {
  requests = 0;
  rereads = 0;
  disagreements = 0;
  duplicates = 0;
  conversations = 0;
  rowsRead = 0;
  readonly drift: { first: number | null; last: number | null; max: number | null } = {
    first: null,
    last: null,
    max: null,
  };

  page(rows: number, drift: number | undefined, repeated: number): void {
    this.rowsRead += rows;
    this.duplicates += repeated;
    if (drift === undefined) return;
    this.drift.first ??= drift;
    this.drift.last = drift;
    this.drift.max = Math.max(this.drift.max ?? drift, drift);
  }

  /**
   * Votes that settle a pair of neighbours: 2, and 3 where the list drifts. That the service says so may be wrong, but
   * believing it only costs reads (interface 4.7, rule 3).
   */
  votesNeeded(): number {
    const shown = this.disagreements >= 2 && this.disagreements >= DRIFTING * this.requests;
    return shown || (this.drift.max ?? 0) > 0 ? 3 : 2;
  }
}
