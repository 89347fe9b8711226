// The types of a list that the service pages through: its rows, its windows, and where cursors point.
import type { Span } from '../store/sql/keyset.ts';

/** The window of a list request (interface 4.7). Cursors are exclusive row ids; `limit` may exceed the public maximum. */
export type ListWindow = { starting_after?: string; ending_before?: string; limit: number };

/** Rows in ascending order; `has_more` says whether the list goes on in the direction of the window. */
export type ListPage<Row> = { rows: Row[]; has_more: boolean };

/** A row of a list, with the conversation that it belongs to and its position, where it names them. */
export type ListRow = {
  id: string;
  conversation_id?: string | null | undefined;
  sequence?: number | undefined;
};

/**
 * Returns the sort key of the row with this id, `malformed` where the text is no id of this list, undefined where the list
 * has no such row.
 */
export type KeyOf = (id: string) => Promise<readonly number[] | 'malformed' | undefined>;

/** A list in its stable order, read by spans between sort keys. */
export type ListSource<Row extends ListRow> = { keyOf: KeyOf; read(span: Span): Promise<ListPage<Row>> };
