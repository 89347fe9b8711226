// What a search may ask for. All of it is our choice.

/** The length of a query, in UTF-16 units. */
export const MAX_QUERY_CHARACTERS = 2_000;
/** The order of messages that were found. */
export const SEARCH_SORTS = ['relevance', 'newest', 'oldest'] as const;
/** The fields by which messages are counted. */
export const SEARCH_FACETS = ['year', 'from', 'channel', 'source', 'type', 'city', 'conversation'] as const;
