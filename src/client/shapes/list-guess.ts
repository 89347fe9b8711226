// Where a service keeps the rows of a list, as found out from its first page with rows.

/** Where the rows of a list are. It is found out once for each list of a run, and holds for all further pages. */
export type ListGuess = {
  /** What is listed: `conversations`, `messages`, …; `rows` for a list outside the interface. */
  list: string;
  /** Dot path of the rows in the body. Empty: the body itself holds them. */
  rows: string;
  /** `map`: an object, and the keys of the object name the rows. */
  container: 'array' | 'map';
  /** Field of each row that holds its fields. Empty: the row itself has them. */
  fields: '' | 'node' | 'attributes';
  /** Dot path of the id in a row. Empty: the row's key in the map. Undefined: rows have no ids, as some sequences. */
  id: string | undefined;
  /** Fields of the interface that the first page spells in another way: our name → their name. */
  names: Readonly<Record<string, string>>;
  /** Dot path of the field that says whether more rows follow; undefined where the first page has none. */
  hasMore: string | undefined;
  /** Dot path of the field that names the next page; undefined where the first page has none. */
  next: string | undefined;
  /** Query parameter by which the next page is asked for, where that is another one than the interface has: `page[number]`. */
  pagedBy: string | undefined;
};

/** Returns the guess in one line: `conversations: rows at data.items, ids at _id, first_message_id at firstMessageId`. */
export function describeGuess(guess: ListGuess): string {
  const { list, rows, container, fields, id, names, hasMore, next, pagedBy } = guess;
  const place = rows === '' ? 'in the body itself' : `at ${rows}`;
  const idPlace = id === '' ? 'ids are the keys' : id === undefined ? 'no ids' : `ids at ${id}`;
  return [
    `${list}: rows ${place}${container === 'map' ? ' (a map)' : ''}`,
    ...(fields === '' ? [] : [`fields in ${fields}`]),
    idPlace,
    ...Object.entries(names).map(([ours, theirs]) => `${ours} at ${theirs}`),
    ...(hasMore === undefined || hasMore === 'has_more' ? [] : [`has_more at ${hasMore}`]),
    ...(hasMore !== undefined || next === undefined ? [] : [`more rows by ${next}`]),
    ...(pagedBy === undefined ? [] : [`next page asked for by ${pagedBy}`]),
  ].join(', ');
}
