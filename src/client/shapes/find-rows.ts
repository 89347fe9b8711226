// Finds the rows of a list in a body: in a field with a usual name, in a map by id, or in the only array.
import { foldedName } from '../../contract/field-names.ts';
import { Fault } from '../../faults.ts';
import { idText } from './find-id.ts';
import { fieldNamed, isRecord, keysByName, ownField, valueAtPath, type JsonRecord } from './json-path.ts';
import type { ListGuess } from './list-guess.ts';
import { numberOf, pageFacts, STATED_TOTAL } from './page-facts.ts';

/** The rows of a body and where they are. `keys` are those of a map, in the order of `rows`. */
export type FoundRows = {
  place: Pick<ListGuess, 'rows' | 'container'>;
  rows: unknown[];
  keys?: string[];
};

/** How rows are looked for. */
export type RowSearch = {
  /** What is listed, in any spelling. A field with such a name is looked at first. */
  names: readonly string[];
  /** Whether rows may be texts instead of objects. */
  scalars?: boolean;
};

/** Names that services commonly use for the rows of a list, in one spelling (see foldedName) and in the order of the search. */
const COMMON_NAMES =
  'data items results entries records rows list values content edges nodes elements objects hits'.split(' ');
/** Where the rows are said to be of a body that has none. */
const DEFAULT_NAME = 'data';
/** Fields that describe a page or an error, in one spelling; rows are never in them. */
const NO_ROWS = new Set('meta links included error errors paging pagination pageinfo warnings'.split(' '));
/** Keys of an object that is an envelope or one record, and no map by id, in one spelling. */
const NO_KEYS = new Set([
  ...COMMON_NAMES,
  ...NO_ROWS,
  'attributes',
  'relationships',
  'page',
  'result',
  'node',
]);
/** Objects around the rows: `data.archive.conversations.edges` has three. */
const MAX_DEPTH = 3;
/** Objects that are looked into. A list has far fewer around its rows. */
const MAX_OBJECTS = 1000;

type Candidate = FoundRows & { isEmpty: boolean; rank: number };
type Place = { path: string; value: JsonRecord };

/** Returns the rows of a body. Throws Fault 'protocol' where there is no list, or more than one that could be meant. */
export function findRows(body: unknown, search: RowSearch): FoundRows {
  if (Array.isArray(body)) return { place: { rows: '', container: 'array' }, rows: body };
  if (!isRecord(body)) throw new Fault('protocol', 'answer is no list');
  const levels = levelsOf(body);
  search = { ...search, names: search.names.map(foldedName) };
  const names = [...search.names, ...COMMON_NAMES];
  for (const places of levels) {
    const found = places
      .flatMap((place) => {
        const keys = keysByName(place.value);
        return names.flatMap((name, rank) => candidateAt(place, keys.get(name), rank, search));
      })
      .toSorted(
        (a, b) =>
          // Beside the list there may be another one in an envelope of the same form.
          Number(isWithin(b, search)) - Number(isWithin(a, search)) ||
          Number(a.isEmpty) - Number(b.isEmpty) ||
          a.rank - b.rank,
      )[0];
    if (found !== undefined) return found;
    const [{ path, value }] = places as [Place];
    if (path === '' && isMapById(value, true)) return mapAt('', value);
  }
  return onlyArray(levels) ?? emptyMap(body, search.names) ?? noRows(body);
}

/**
 * Returns the rows at a place that an earlier page showed; undefined where they are not there. An empty array, an empty map
 * and null are no rows.
 */
export function rowsAt(body: unknown, place: FoundRows['place']): FoundRows | undefined {
  const found = valueAtPath(body, place.rows);
  if (place.container === 'array' && Array.isArray(found)) return { place, rows: found };
  if (found === null || (Array.isArray(found) && found.length === 0)) return { place, rows: [] };
  if (!isRecord(found)) return undefined;
  if (Object.keys(found).length === 0) return { place, rows: [] };
  const isMap = place.container === 'map' && Object.values(found).every(isRecord);
  return isMap ? mapAt(place.rows, found) : undefined;
}

/** Returns the objects around the rows, by depth. */
function levelsOf(body: JsonRecord): Place[][] {
  const levels: Place[][] = [[{ path: '', value: body }]];
  let count = 1;
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1) {
    const level: Place[] = [];
    for (const { path, value } of levels[depth - 1]!) {
      for (const name of Object.keys(value)) {
        const inner = value[name];
        if (count >= MAX_OBJECTS) break;
        if (!isRecord(inner) || NO_ROWS.has(foldedName(name)) || name.includes('.')) continue;
        count += 1;
        level.push({ path: path === '' ? name : `${path}.${name}`, value: inner });
      }
    }
    if (level.length === 0) break;
    levels.push(level);
  }
  return levels;
}

/** Returns whether rows are in an object with a name of the list. */
function isWithin({ place }: Candidate, { names }: RowSearch): boolean {
  const [, ...outer] = place.rows.split('.').toReversed();
  return outer.some((name) => names.includes(foldedName(name)));
}

function candidateAt(
  { path, value }: Place,
  name: string | undefined,
  rank: number,
  search: RowSearch,
): Candidate[] {
  if (name === undefined) return [];
  const inner = value[name];
  const rows = path === '' ? name : `${path}.${name}`;
  if (Array.isArray(inner)) {
    const isFilled = inner.some(isRecord) || (search.scalars === true && inner.some(isText));
    // A list of texts, such as tags, is no list of rows. One that is all null is a faulty list.
    if (!isFilled && inner.some((row) => row !== null)) return [];
    return [{ place: { rows, container: 'array' }, rows: inner, isEmpty: inner.length === 0, rank }];
  }
  // An object with the list in it is an envelope, although its parts may look alike.
  if (!isRecord(inner) || Object.keys(inner).some((key) => search.names.includes(foldedName(key)))) return [];
  if (!isMapById(inner, false, search.names.includes(foldedName(name)))) return [];
  return [{ ...mapAt(rows, inner), isEmpty: false, rank }];
}

function mapAt(path: string, map: JsonRecord): FoundRows {
  return { place: { rows: path, container: 'map' }, rows: Object.values(map), keys: Object.keys(map) };
}

/**
 * Returns whether an object is a map by id. Its values are objects, and their ids, where they have some, are the keys; or
 * the keys are numbers; or the values are alike. Below the name of the resource every key will do.
 */
function isMapById(map: JsonRecord, isBody: boolean, isNamed = false): boolean {
  const keys = Object.keys(map);
  if (keys.length === 0 || keys.some((key) => NO_KEYS.has(foldedName(key)) || !isRecord(map[key])))
    return false;
  if (isNamed) return true;
  const ids = keys.map((key) => ownField(map[key], 'id'));
  if (keys.every((key, at) => idText(ids[at]) === key)) return true;
  if (isBody) return false;
  if (keys.every((key) => /^\d+$/.test(key))) return true;
  if (ids.some((id) => id !== undefined)) return false;
  return keys.length === 1 ? /\d/.test(keys[0]!) : areAlike(Object.values(map));
}

/** Returns whether objects have a field with a plain value that all of them have, as rows of one list do. */
function areAlike(rows: readonly unknown[]): boolean {
  const isPlain = (value: unknown): boolean =>
    value !== undefined && !isRecord(value) && !Array.isArray(value);
  return Object.keys(rows[0] as JsonRecord).some((name) => rows.every((row) => isPlain(ownField(row, name))));
}

/** Returns the only array of objects of the uppermost level that has one, else the only array of the body. */
function onlyArray(levels: readonly Place[][]): FoundRows | undefined {
  for (const places of levels) {
    const arrays = places.flatMap(({ path, value }) =>
      Object.keys(value)
        .filter((name) => Array.isArray(value[name]) && !NO_ROWS.has(foldedName(name)) && !name.includes('.'))
        .map((name) => ({ path: path === '' ? name : `${path}.${name}`, rows: value[name] as unknown[] })),
    );
    const filled = arrays.filter(({ rows }) => rows.some(isRecord));
    const [only, ...others] = filled.length === 0 && places === levels[0] ? arrays : filled;
    if (others.length > 0) throw new Fault('protocol', 'answer has several lists in it');
    if (only !== undefined) return { place: { rows: only.path, container: 'array' }, rows: only.rows };
  }
  return undefined;
}

/** Returns an empty object below the name of the resource: a map without rows. */
function emptyMap(body: JsonRecord, names: readonly string[]): FoundRows | undefined {
  const keys = keysByName(body);
  for (const key of names.map((name) => keys.get(name))) {
    const map = key === undefined ? undefined : body[key];
    if (isRecord(map) && Object.keys(map).length === 0) return mapAt(key!, map);
  }
  return undefined;
}

/**
 * Some services send null, a map without rows, or nothing for an empty list. It is believed where the body also says that no rows follow,
 * and without any such field only where it counts none.
 */
function noRows(body: JsonRecord): FoundRows {
  const name = [...keysByName(body)].find(([each, key]) => {
    const rows = body[key];
    return (
      COMMON_NAMES.includes(each) && (rows === null || (isRecord(rows) && Object.keys(rows).length === 0))
    );
  })?.[1];
  const { has_more, [STATED_TOTAL]: total } = factsOf(body, name ?? DEFAULT_NAME);
  const isNone = total === 0 || numberOf(fieldNamed(body, 'count')) === 0;
  if (!isNone && (name === undefined || has_more !== false))
    throw new Fault('protocol', 'answer has no list in it');
  return { place: { rows: name ?? DEFAULT_NAME, container: 'array' }, rows: [] };
}

/**
 * Returns a page without rows for a body that has no list at the place of earlier pages, and none elsewhere, where it says that no
 * rows follow. HAL says so by links without a next one: it leaves out lists without rows.
 */
export function pageWithoutRows(body: unknown, place: FoundRows['place']): FoundRows | undefined {
  if (!isRecord(body) || valueAtPath(body, place.rows) !== undefined) return undefined;
  const hasArray = levelsOf(body)
    .flat()
    .some(({ value }) => Object.values(value).some(Array.isArray));
  const { has_more, [STATED_TOTAL]: total } = factsOf(body, place.rows);
  const isHal = isRecord(body['_links']) && has_more === undefined && !Object.hasOwn(body, '_embedded');
  if (hasArray || !(has_more === false || total === 0 || isHal)) return undefined;
  return { place, rows: [] };
}

function factsOf(body: JsonRecord, path: string): ReturnType<typeof pageFacts>['facts'] {
  return pageFacts(body, path, { isBackward: false, shown: 0 }).facts;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
