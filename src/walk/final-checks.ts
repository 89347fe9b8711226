// What a walk asks when all rows are frozen: whether rows that turned up without a place are in the list.
import { Fault } from '../faults.ts';
import type { CursorQuestions } from './cursor-questions.ts';
import type { IdSet } from './order/id-set.ts';
import type { Identified } from './source.ts';

/** Rows without a place that are asked for as cursors; more of them end the walk. */
const MAX_ASKED_ROWS = 100;
/** Rows without a place that are remembered. */
const MAX_SEEN_AHEAD = 10_000;

/** Checks rows that got no place. */
export class FinalChecks<Row extends Identified> {
  readonly #questions: CursorQuestions<Row>;
  readonly #frozenIds: IdSet;
  readonly #isKnown: (id: string) => boolean;
  /** Rows that a page showed before the rows around them were frozen, and that got no place from it. */
  readonly #seenAhead = new Set<string>();

  /** `isKnown`: whether a row is frozen, gone, or an end of the walk. */
  constructor(questions: CursorQuestions<Row>, frozenIds: IdSet, isKnown: (id: string) => boolean) {
    this.#questions = questions;
    this.#frozenIds = frozenIds;
    this.#isKnown = isKnown;
  }

  /** Remembers ids that a page showed without giving them a place, and that do not stand between frozen rows. */
  rememberAhead(ids: readonly string[]): void {
    for (const id of ids)
      if (this.#seenAhead.size < MAX_SEEN_AHEAD && !this.#frozenIds.has(id)) this.#seenAhead.add(id);
  }

  /**
   * Takes ids out of `late` that are not in the list. Throws Fault `unstable` where a row was seen before the rows around it
   * were frozen and got no place: it was not written since, it was missed.
   */
  async checkLateRows(late: Set<string>): Promise<void> {
    const open = [...this.#seenAhead].filter((id) => !this.#isKnown(id));
    for (const id of late) if (this.#isKnown(id)) late.delete(id);
    const asked = new Set([...late, ...open]);
    if (asked.size > MAX_ASKED_ROWS)
      throw new Fault('unstable', `${asked.size} rows were seen and have no place in the list`);
    for (const id of asked) {
      if (!(await this.#questions.isInRange(id))) late.delete(id);
      else if (this.#seenAhead.has(id))
        throw new Fault(
          'unstable',
          `row ${id} was seen before the rows around it were frozen, and has no place`,
        );
    }
  }
}
