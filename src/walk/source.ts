// What a walk needs of the list it reads: pages by cursor and, where there is one, a second witness of their order.

export type Identified = { id: string };

/** Cursors are exclusive ids of rows of the list; a lone `before` reads backward from it (interface 4.7, rule 1). */
export type PageQuery = { after?: string; before?: string; limit: number };

/** Forward from a cursor or the start, backward from one, or between two. */
export type Direction = 'forward' | 'backward' | 'closed';

/** Rows in the order of the list, whatever the direction. `drift_ratio` is what the service says of itself. */
export type Page<Row> = { rows: Row[]; has_more?: boolean; drift_ratio?: number };

/**
 * `page` throws Fault `conflict` where `after` is later than `before` (409), `not_found` where a cursor is no row (404).
 * `witness` answers the ids of the rows that a second surface lists directly after `after`, or from its start, at most
 * `limit` of them; undefined where it cannot tell (interface 4.7, rule 3 and 4.8).
 */
export type Source<Row extends Identified> = {
  /** How it can be read where not in every direction: forward always. */
  directions?: ReadonlySet<Direction>;
  page(query: PageQuery, signal: AbortSignal): Promise<Page<Row>>;
  witness?(query: { after?: Row; limit: number }, signal: AbortSignal): Promise<string[] | undefined>;
};
