// What a walk counts while it reads: the figures of its report.

export class Tally {
  requests = 0;
  rereads = 0;
  disagreements = 0;
  duplicates = 0;
  conversations = 0;
  readonly drift: { first: number | null; last: number | null; max: number | null } = {
    first: null,
    last: null,
    max: null,
  };

  page(drift: number | undefined, repeated: number): void {
    this.duplicates += repeated;
    if (drift === undefined) return;
    this.drift.first ??= drift;
    this.drift.last = drift;
    this.drift.max = Math.max(this.drift.max ?? drift, drift);
  }
}
