// The shapes in which other services wrap the rows of a list.
import { pascal, type WireRow } from './record-shapes.ts';

/** What an envelope may tell of one page. */
export type Page = {
  /** Name of the list, e.g. `conversations`; of a sequence, `entries`. */
  resource: string;
  rows: WireRow[];
  idField: string;
  /** Whether more rows follow in the direction of reading. */
  more: boolean;
  /** Cursor and address of the next page; undefined where nothing follows. */
  next?: { cursor: string; url: string } | undefined;
  total: number;
  /** Of attachments: `partial` where a row is withheld. */
  status?: string;
  /** What the service says of the whole list, e.g. the name of a sequence. */
  head: WireRow;
};

/** Returns the body of a page. */
export type Envelope = (page: Page) => unknown;

const said = ({ status, head }: Page): WireRow => ({ ...head, ...(status === undefined ? {} : { status }) });

/** `{status, data}`, as the interface has it for attachments: nothing says whether more follows. */
export const dataOnly: Envelope = (page) => ({ ...said(page), data: page.rows });

/** `{data, has_more}`. */
export const dataAndMore: Envelope = (page) => ({ ...said(page), data: page.rows, has_more: page.more });

/** The rows under a name, with `next` as an address. */
export const underName =
  (name: string): Envelope =>
  (page) => ({
    ...said(page),
    count: page.total,
    next: page.next?.url ?? null,
    previous: null,
    [name]: page.rows,
  });

/** The rows under the name of the list. */
export const underResource: Envelope = (page) => ({
  ...said(page),
  [page.resource]: page.rows,
  has_more: page.more,
});

/** The rows and nothing else. */
export const bareArray: Envelope = ({ rows }) => rows;

/** `{data: {items}}`, `has_more` as text. */
export const dataItems: Envelope = (page) => ({
  ...said(page),
  data: { items: page.rows },
  has_more: String(page.more),
});

/** `{result: {data}}`, `has_more` as 0 or 1. */
export const resultData: Envelope = (page) => ({
  ok: true,
  result: { ...said(page), data: page.rows, has_more: page.more ? 1 : 0 },
});

/** `{result: {items}, page: {next: {…}}}`, `has_more` null. */
export const resultItems: Envelope = (page) => ({
  result: { ...said(page), items: page.rows },
  has_more: null,
  page: { size: page.rows.length, next: page.next === undefined ? null : { cursor: page.next.cursor } },
});

/** `{Result: {Items, HasMore, TotalCount}}`, the flag and the number as text. */
export const pascalItems: Envelope = (page) => ({
  Result: pascal({ ...said(page), items: page.rows, has_more: page.more, total_count: page.total }),
});

/** HAL, without `_embedded` on a page without rows. */
export const sparseHal: Envelope = (page) => {
  const { _embedded, ...rest } = hal(page) as { _embedded: WireRow };
  return page.rows.length === 0 ? rest : { ...rest, _embedded };
};

/** HAL: `{_embedded: {conversations}, _links: {next: {href}}}`. */
export const hal: Envelope = (page) => ({
  ...said(page),
  _embedded: { [page.resource]: page.rows },
  _links: { self: { href: '/' }, ...(page.next === undefined ? {} : { next: { href: page.next.url } }) },
  page: { size: page.rows.length, totalElements: page.total },
});

/** `{items, next}` with `next` as a number, or false at the end. */
export const nextNumber: Envelope = (page) => ({
  ...said(page),
  items: page.rows,
  next: page.next === undefined ? false : page.rows.length,
});

/** `{items, next}` with `next` as an object. */
export const nextObject: Envelope = (page) => ({
  ...said(page),
  items: page.rows,
  next: page.next === undefined ? null : { starting_after: page.next.cursor, href: page.next.url },
});

/** Relay: `{edges: [{node, cursor}], pageInfo}`. */
export const edges: Envelope = (page) => ({
  ...said(page),
  edges: page.rows.map((node) => ({ cursor: String(node[page.idField]), node })),
  pageInfo: { hasNextPage: page.more, endCursor: page.next?.cursor ?? null },
});

/** Relay as a GraphQL answer: `{data: {conversations: {edges}}}`. */
export const graphEdges: Envelope = (page) => ({ data: { [page.resource]: edges(page) } });

/** A map by id; the rows do not repeat their id. */
export const mapById: Envelope = (page) => ({
  ...said(page),
  data: Object.fromEntries(page.rows.map(({ [page.idField]: id, ...rest }) => [String(id), rest as unknown])),
  has_more: page.more,
});

const TYPES: Record<string, string> = {
  conversations: 'conversation',
  messages: 'message',
  attachments: 'attachment',
  entries: 'entry',
};

/** JSON:API: `{data: [{type, id, attributes, relationships}], links: {next}}`. */
export const jsonApi: Envelope = (page) => ({
  jsonapi: { version: '1.1' },
  data: page.rows.map((row) => jsonApiResource(row, TYPES[page.resource] ?? page.resource)),
  links: { self: '/', next: page.next?.url ?? null },
  meta: { ...said(page), total: page.total },
});

/** Returns a row as a JSON:API resource. A `conversation_id` becomes a relationship. */
export function jsonApiResource(
  { id, conversation_id: parent, ...attributes }: WireRow,
  type: string,
): WireRow {
  return {
    type,
    id: String(id),
    attributes,
    ...(parent === undefined
      ? {}
      : { relationships: { conversation: { data: { type: 'conversation', id: parent } } } }),
  };
}
