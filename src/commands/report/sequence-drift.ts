// Adds up how far the entries of a sequence are from where they are reported.
import type { SequenceDrift as Report } from '../../contract/reports/whole-archive.ts';

/** Groups of a report. When there are more, each two neighbours become one, so that a sequence of any length fits. */
const MAX_GROUPS = 200;

type Group = Report['groups'][number];

/** The drift of a sequence, entry by entry. */
export class SequenceDrift {
  readonly #groups: Group[] = [];
  #groupSize = 1;
  #entries = 0;
  #compared = 0;

  /** Takes the next entry. `offset`: reported minus checked position; undefined where one of them is not known. */
  add(offset: number | undefined): void {
    const number = (this.#entries += 1);
    const last = this.#groups.at(-1);
    const isInLast = last !== undefined && number - last.first < this.#groupSize;
    const group = isInLast ? last : { first: number, last: number, displaced: 0, ahead: 0, behind: 0 };
    if (!isInLast) this.#groups.push(group);
    group.last = number;
    if (offset !== undefined) {
      this.#compared += 1;
      if (offset !== 0) group.displaced += 1;
      group.ahead = Math.max(group.ahead, offset);
      group.behind = Math.max(group.behind, -offset);
    }
    if (this.#groups.length > MAX_GROUPS) this.#halve();
  }

  report(name: string): Report {
    const groups = this.#groups;
    return {
      name,
      entries: this.#entries,
      compared: this.#compared,
      displaced: groups.reduce((sum, { displaced }) => sum + displaced, 0),
      ahead: groups.reduce((most, { ahead }) => Math.max(most, ahead), 0),
      behind: groups.reduce((most, { behind }) => Math.max(most, behind), 0),
      groups,
    };
  }

  #halve(): void {
    const before = this.#groups.splice(0);
    this.#groupSize *= 2;
    for (let at = 0; at < before.length; at += 2) {
      const [a, b] = [before[at], before[at + 1]];
      if (a === undefined) continue;
      this.#groups.push(b === undefined ? a : joined(a, b));
    }
  }
}

function joined(a: Group, b: Group): Group {
  return {
    first: a.first,
    last: b.last,
    displaced: a.displaced + b.displaced,
    ahead: Math.max(a.ahead, b.ahead),
    behind: Math.max(a.behind, b.behind),
  };
}
