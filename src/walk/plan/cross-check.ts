// The state of the cross-check: whether its source answers, which cursors it knows, what it was asked and what it confirmed.
import { sha256 } from '../../contract/canonical-json.ts';
import { Fault } from '../../faults.ts';
import { confirmationsWanted, mustBeConfirmed, type CrossCheckMode } from '../decide/confirmation.ts';
import type { Criteria } from '../decide/criteria.ts';
import type { AdjacencyEvidence } from '../evidence/claims.ts';
import { LIST_START, type Entry } from '../order/order.ts';

/** Questions about one adjacency before the source is taken to disagree. */
const MAX_QUESTIONS = 5;
/** Questions in a row without an answer before the source is taken to be unable to answer. */
const MAX_UNANSWERED = 3;
/** Answers that name a row which the list does not have (404) before they count as a disagreement. */
const MAX_ANSWERS_WITH_MISSING_ROW = 2;

/** Keeps the answers of the cross-check source that are not votes. */
export class CrossCheck<Row> {
  /** Counts of frozen rows, as in the report of the walk. */
  readonly tally = { asked: 0, agreed: 0, unavailable: 0 };
  readonly mode: CrossCheckMode;
  #isAvailable: boolean;
  #unanswered = 0;
  readonly #unusableCursors = new WeakSet<Entry<Row>>();
  readonly #questions = new WeakMap<Entry<Row>, number>();
  readonly #missingRows = new Map<string, number>();
  #lastAnswer: string[] = [];

  constructor(mode: CrossCheckMode, hasSource: boolean) {
    this.mode = mode;
    this.#isAvailable = hasSource && mode !== 'off';
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  /** Returns whether the source must show an adjacency before its second row is frozen. */
  isRequired(adjacency: AdjacencyEvidence, left: Entry<Row>): boolean {
    return mustBeConfirmed(this.mode, adjacency, left.id === LIST_START);
  }

  /** Returns how many cross-checks of an adjacency are worth their requests. */
  wantedVotes(adjacency: AdjacencyEvidence, left: Entry<Row>, criteria: Criteria): number {
    if (!this.#isAvailable) return 0;
    return confirmationsWanted(this.isRequired(adjacency, left), criteria.model);
  }

  /** Returns whether the source may be asked with this row as its cursor. */
  canAskWith(entry: Entry<Row>): boolean {
    return (
      entry.id === LIST_START || (entry.row !== undefined && !entry.gone && !this.#unusableCursors.has(entry))
    );
  }

  /** Returns whether one more question about what follows a row is allowed, and counts it. */
  mayAskAgain(entry: Entry<Row>): boolean {
    const questions = this.#questions.get(entry) ?? 0;
    this.#questions.set(entry, questions + 1);
    return questions < MAX_QUESTIONS;
  }

  /** Records an answer; `ids` is undefined when the source cannot answer with this cursor. */
  record(cursor: Entry<Row> | undefined, ids: readonly string[] | undefined): void {
    if (ids !== undefined) {
      this.#unanswered = 0;
      this.#lastAnswer = [...ids];
      return;
    }
    if (cursor !== undefined) this.#unusableCursors.add(cursor);
    if (++this.#unanswered >= MAX_UNANSWERED || cursor === undefined) this.#isAvailable = false;
  }

  /** Records that an answer names a row which the list does not have. Throws Fault `unstable` when that is repeated. */
  recordMissingRow(id: string): void {
    const answers = (this.#missingRows.get(id) ?? 0) + 1;
    this.#missingRows.set(id, answers);
    if (answers >= MAX_ANSWERS_WITH_MISSING_ROW)
      throw new Fault('unstable', `/messages lists ${id}, which the list does not have`);
  }

  /** Counts a row that is frozen. */
  countRow(adjacency: AdjacencyEvidence, left: Entry<Row>): void {
    const isConfirmed = adjacency.confirmations > 0;
    if (!isConfirmed && !this.isRequired(adjacency, left)) return;
    this.tally[this.#isAvailable || isConfirmed ? 'asked' : 'unavailable']++;
    if (isConfirmed) this.tally.agreed++;
  }

  /**
   * Returns the fault of a walk whose source does not confirm what the reads agree on, with the SHA-256 of both lists of
   * ids (one a line, as many as the shorter list has).
   */
  disagreement(where: string, ids: readonly string[]): Fault {
    const rows =
      Math.min(ids.length, this.#lastAnswer.length) || Math.max(ids.length, this.#lastAnswer.length);
    const hashOf = (list: readonly string[]) =>
      sha256(
        list
          .slice(0, rows)
          .map((id) => `${id}\n`)
          .join(''),
      );
    return new Fault(
      'unstable',
      `/messages disagrees about the rows after ${where}: ids ${hashOf(ids)}, messages ${hashOf(this.#lastAnswer)}`,
    );
  }
}
