// Questions to the service about single rows: whether it takes them as cursors (200), denies them (404), or reverses two of them (409).
import { Fault } from '../faults.ts';
import type { WalkOptions } from './options.ts';
import type { Identified, PageQuery, Source } from './source.ts';

/** Requests for one question, where the service refuses them for another reason. */
const MAX_TRIES = 3;

/** What the questions need of the walk. */
export type QuestionedWalk<Row extends Identified> = {
  source: Source<Row>;
  options: Pick<WalkOptions<Row>, 'after' | 'before' | 'signal'>;
  /** Counts one more request; throws Fault `unstable` where the budget is spent. */
  spendRequest: () => void;
  /** Returns a request with these cursors that was not made before. */
  cursorQuery: (after: string, before: string | undefined) => PageQuery;
};

type Refusal = 'not_found' | 'conflict' | undefined;

/** Asks, and remembers which rows are in the list. */
export class CursorQuestions<Row extends Identified> {
  readonly #walk: QuestionedWalk<Row>;
  readonly #hasClosedReads: boolean;
  readonly #refusals = new Map<string, Promise<Refusal>>();

  constructor(walk: QuestionedWalk<Row>) {
    this.#walk = walk;
    this.#hasClosedReads = walk.source.directions?.has('closed') !== false;
  }

  /** Returns whether the service denies that this row is in the list (404). */
  async isGone(id: string): Promise<boolean> {
    return (await this.#refusalOf(id)) === 'not_found';
  }

  /** Returns whether a row is in the list, and between the ends of the walk. */
  async isInRange(id: string): Promise<boolean> {
    const { after, before } = this.#walk.options;
    if ((await this.#refusalOf(id)) !== undefined) return false;
    if (!this.#hasClosedReads) return true;
    if (after !== undefined && (await this.#refusalOf(after, id)) !== undefined) return false;
    return before === undefined || (await this.#refusalOf(id, before)) === undefined;
  }

  /** Returns whether the service says that `second` stands before `first` (409); false where it cannot be asked. */
  async isReversed(first: string, second: string): Promise<boolean> {
    return first !== second && this.#hasClosedReads && (await this.#refusalOf(first, second)) === 'conflict';
  }

  /** Returns how the service refuses these cursors, undefined where it takes them. Throws every other fault. */
  #refusalOf(after: string, before?: string): Promise<Refusal> {
    const key = JSON.stringify([after, before]);
    const refusal = this.#refusals.get(key) ?? this.#ask(after, before);
    this.#refusals.set(key, refusal);
    return refusal;
  }

  async #ask(after: string, before: string | undefined): Promise<Refusal> {
    const { source, options, spendRequest, cursorQuery } = this.#walk;
    for (let tries = 1; ; tries++) {
      spendRequest();
      try {
        await source.page(cursorQuery(after, before), options.signal);
        return undefined;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (error.kind === 'not_found' || error.kind === 'conflict') return error.kind;
        const status = error.detail.status ?? 0;
        if (status < 400 || status >= 500 || tries === MAX_TRIES) throw error;
      }
    }
  }
}
