// What a walk needs of the list that it reads: pages by cursor and, where there is one, a second list to cross-check with.

/** A row: its id is the cursor of the list. */
export type Identified = { id: string };

/** Cursors are exclusive ids of rows of the list. With `before` alone the page ends before that row (interface 4.7). */
export type PageQuery = { after?: string; before?: string; limit: number };

/** Forward from a cursor or the start, backward from a cursor, or between two cursors. */
export type Direction = 'forward' | 'backward' | 'closed';

/** Rows in the order of the list, whatever the direction. `drift_ratio` is what the service says about itself. */
export type Page<Row> = { rows: Row[]; has_more?: boolean; drift_ratio?: number };

/** The list that is walked. */
export type Source<Row extends Identified> = {
  /** Directions that the service supports; absent: all. Forward is always one of them. */
  directions?: ReadonlySet<Direction>;
  /**
   * Returns one page. Throws Fault `conflict` when `after` is later than `before` (409), and `not_found` when a cursor is
   * not in the list (404).
   */
  page(query: PageQuery, signal: AbortSignal): Promise<Page<Row>>;
  /**
   * Returns the ids that the cross-check source lists directly after `after`, or from its start, at most `limit` of them;
   * undefined when it cannot tell (interface 4.7), (interface 4.8).
   */
  crossCheck?(query: { after?: Row; limit: number }, signal: AbortSignal): Promise<string[] | undefined>;
};
