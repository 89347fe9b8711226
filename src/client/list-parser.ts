// Parses the pages of one list of any service: where its rows are is found out once; rows that come again are reused.
import { foldedName } from '../contract/field-names.ts';
import { isWithheld } from '../contract/withheld.ts';
import { Fault } from '../faults.ts';
import { lazy } from '../lazy.ts';
import { isSame, RememberedRows, type RememberedRow, type RowChanges } from './remembered-rows.ts';
import { parseResponseWith, wrongShape, type ApiResponse, type Reply } from './response.ts';
import { safeText } from './safe-text.ts';
import { checkNoError } from './shapes/body-error.ts';
import { fieldsOfRow, findFields, findIdPath, idText } from './shapes/find-id.ts';
import { findRows, pageWithoutRows, rowsAt, type FoundRows } from './shapes/find-rows.ts';
import { ownField, valueAtPath, type JsonRecord } from './shapes/json-path.ts';
import { keysInOrder } from './shapes/key-order.ts';
import { describeGuess, type ListGuess } from './shapes/list-guess.ts';
import {
  pageFacts,
  UNDESCRIBED,
  UNNAMED_ON_PAGE,
  UNNAMED_ROWS,
  type PageFacts,
} from './shapes/page-facts.ts';
import type { ReadRecord } from './shapes/record-fields.ts';
import { isUnnamed, UnnamedRows } from './shapes/unnamed-rows.ts';
import { TransportFault } from './transport.ts';

/** A page of a list: its rows, what it says about itself, and the other fields of the body. */
export type ListPage<Row> = PageFacts & { data: Row[]; [other: string]: unknown };

/** What is read from one row. */
export type RowReader<Row> = {
  /** Returns the row. `id` is undefined only where rows need no ids. An issue has its path within the row. */
  read(fields: JsonRecord, id: string | undefined): ReadRecord<Row>;
  /** Returns our names of fields that a row spells in another way. */
  otherSpellings?(fields: JsonRecord): Record<string, string>;
};

/** What is known of a list beforehand. */
export type ListSpec<Row> = {
  /** What is listed, as in messages: `conversations`. */
  list: string;
  /** Names under which a body may hold the rows, beside the common ones. */
  names: readonly string[];
  /** Names under which a row may have its id. */
  ids: readonly string[];
  /** Rows may be texts, and may have no ids. */
  isLoose?: boolean;
  /** Places that are given and not found out. */
  given?: { rows?: string | undefined; id?: string | undefined };
  /** What helps where the rows or their ids are not found. */
  hints: { rows: string; id: string };
  reader: RowReader<Row>;
  /** Writes one diagnostic line (-v). */
  log?: ((line: string) => void) | undefined;
  /** With false no row is remembered. One that comes again is then read again, and never compared. */
  remembers?: boolean | undefined;
};

/** A parser of the pages of one list. */
export type ListParser<Row> = {
  /**
   * Returns a page. `isBackward`: it was asked for with an end and without a beginning. `after`: the cursor of its beginning. Throws
   * Fault 'protocol' for a body without a list, with an error, or with a row that lacks an id; Fault 'network' where the rows are not where an earlier
   * page had them.
   */
  parse(answer: ApiResponse, isBackward?: boolean, after?: string): Reply<ListPage<Row>>;
  /** Returns where the rows are, undefined before the first page with rows. */
  guess(): ListGuess | undefined;
  /** Returns the rows about which answers differed, see {@link RememberedRows.changes}. */
  changes(): RowChanges;
};

/** Returns the parser of a list. Equal rows are the same object, so callers must not change rows. */
export function createListParser<Row>(spec: ListSpec<Row>): ListParser<Row> {
  let guess: ListGuess | undefined;
  const counts = countNames(spec.list);
  const remembered = new RememberedRows<Row>();
  const unnamed = new UnnamedRows();

  /** `before`: the id before the first row, see {@link UnnamedRows.add}. */
  function rowsOf(
    found: FoundRows,
    place: ListGuess,
    answer: ApiResponse,
    before: string | undefined,
  ): Row[] {
    const bytes = answer.bytes.length / Math.max(1, found.rows.length);
    const fresh = new Map<string, RememberedRow<Row>>();
    const { id: idPath = '' } = place;
    const ids: (string | undefined)[] = [];
    const countsOf = lazy(() => idCounts(found, place));
    const rowAt = (raw: unknown, index: number): Row | undefined => {
      // A walk reads most rows again: one that is received as before is not read again.
      const receivedId = ownField(raw, idPath) as string;
      const again = remembered.get(receivedId);
      if (again !== undefined && isSame(again.raw, raw)) {
        ids.push(receivedId);
        return again.row;
      }
      const fields = fieldsOf(raw, place.fields, spec);
      const id = fields && idOf(raw, fields, found.keys?.[index], place);
      const isWithoutId = fields !== undefined && place.id !== undefined && isUnnamed(fields, id, countsOf);
      ids.push(isWithoutId ? undefined : id);
      if (isWithoutId) return undefined;
      if (fields === undefined || (id === undefined && place.id !== undefined))
        throw withoutId(index, place, spec);
      const earlier = id === undefined ? undefined : (fresh.get(id) ?? remembered.get(id));
      if (earlier !== undefined && isSame(earlier.raw, raw)) return earlier.row;
      // The key of a map is a field of the row like any other.
      const whole = place.id === '' && id !== undefined ? { id, ...fields } : fields;
      const outcome = spec.reader.read(whole, id);
      if ('issue' in outcome)
        throw wrongShape([...keysOf(place.rows), found.keys?.[index] ?? index], outcome.issue, answer);
      if (earlier !== undefined) remembered.noteChange(id!, earlier, raw, outcome.row);
      // A row that was not repaired has the fields that were received, so it is compared itself.
      const received = outcome.isRepaired || whole !== raw ? raw : outcome.row;
      if (id !== undefined && spec.remembers !== false)
        fresh.set(id, { raw: received, row: outcome.row, bytes });
      return outcome.row;
    };
    const rows = found.rows.map(rowAt).filter((row) => row !== undefined);
    if (place.id !== undefined) unnamed.add(ids, before);
    // A page with a wrong row is not remembered.
    for (const [id, entry] of fresh) remembered.add(id, entry);
    return rows;
  }

  return {
    guess: () => guess,
    changes: () => remembered.changes,
    parse(answer, isBackward = false, after) {
      const parsePage = (body: unknown, text: string): ListPage<Row> => {
        checkNoError(body, answer.status);
        const found = withKeyOrder(foundRows(body, guess, spec), text);
        const shown = found.rows.length;
        const { headers } = answer;
        const options = { isBackward, shown, counts, headers };
        const { facts, rest, places } = pageFacts(body, found.place.rows, options);
        const place = guess ?? { ...guessOf(found, spec), ...places };
        const data = rowsOf(found, place, answer, isBackward ? undefined : (after ?? ''));
        if (guess === undefined && found.rows.length > 0) {
          guess = place;
          spec.log?.(safeText(describeGuess(place), 400));
        }
        const onPage = found.rows.length - data.length;
        const withoutIds =
          unnamed.total + onPage === 0 ? {} : { [UNNAMED_ROWS]: unnamed.total, [UNNAMED_ON_PAGE]: onPage };
        return { ...rest, ...facts, ...withoutIds, data };
      };
      // A response without a body says as little as an empty array.
      const whenNoContent = (): ListPage<Row> => ({ data: [], [UNDESCRIBED]: true });
      return parseResponseWith(answer, parsePage, { whenNoContent });
    },
  };
}

/** Returns names of the number of rows, as `message_count` and `messages_count` of messages. */
function countNames(list: string): string[] {
  return [list, list.replace(/ies$/, 'y').replace(/s$/, '')].map((name) => foldedName(`${name}_count`));
}

function foundRows<Row>(body: unknown, guess: ListGuess | undefined, spec: ListSpec<Row>): FoundRows {
  const given = spec.given?.rows;
  const place = guess ?? (given === undefined ? undefined : ({ rows: given, container: 'array' } as const));
  if (place === undefined) {
    try {
      return findRows(body, { names: spec.names, scalars: spec.isLoose === true });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      throw new Fault(error.kind, `${spec.list}: ${error.message}`, {
        ...error.detail,
        hint: spec.hints.rows,
      });
    }
  }
  const found = rowsAt(body, place) ?? (guess === undefined ? undefined : pageWithoutRows(body, guess));
  if (found !== undefined) return found;
  const where = place.rows === '' ? 'is no list' : `has no list at ${safeText(place.rows, 60)}`;
  if (guess !== undefined)
    throw new TransportFault('network', `${spec.list}: this answer ${where}, as earlier ones have`, true, {
      retryable: true,
    });
  throw new Fault('protocol', `${spec.list}: answer ${where}`, { hint: spec.hints.rows });
}

/** Returns where the rows of a first page keep what is needed. */
function guessOf<Row>(
  { place, rows, keys }: FoundRows,
  spec: ListSpec<Row>,
): Omit<ListGuess, 'hasMore' | 'next' | 'pagedBy'> {
  const fields = findFields(rows);
  const records = rows.map((row) => fieldsOf(row, fields, spec)).filter((row) => row !== undefined);
  const given = spec.given?.id;
  // Withheld rows may have no ids of their own.
  const named = records.filter((record) => !isWithheld(record));
  const found =
    given ??
    findIdPath(named.length === 0 ? records : named, spec.ids) ??
    (keys === undefined ? undefined : '');
  const id = found ?? (spec.isLoose === true ? undefined : 'id');
  const [first] = records;
  const names = (first && spec.reader.otherSpellings?.(first)) ?? {};
  return { list: spec.list, ...place, fields, id, names };
}

function fieldsOf<Row>(
  raw: unknown,
  place: ListGuess['fields'],
  { isLoose }: ListSpec<Row>,
): JsonRecord | undefined {
  if (isLoose === true && typeof raw === 'string') return { entry: raw };
  return fieldsOfRow(raw, place);
}

/** Returns how many rows of a page have each id. */
function idCounts({ rows, keys }: FoundRows, place: ListGuess): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [index, raw] of rows.entries()) {
    const fields = fieldsOfRow(raw, place.fields);
    const id = fields && idOf(raw, fields, keys?.[index], place);
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

function idOf(
  raw: unknown,
  fields: JsonRecord,
  key: string | undefined,
  { id }: ListGuess,
): string | undefined {
  if (id === undefined) return undefined;
  return idText(id === '' ? key : (valueAtPath(fields, id) ?? valueAtPath(raw, id)));
}

/** Returns the Fault of a row that cannot be a cursor. */
function withoutId<Row>(index: number, { id }: ListGuess, { list, hints }: ListSpec<Row>): Fault {
  const message = `${list}: row ${index + 1} of a page has no id${placeWords(id)}`;
  return new Fault('protocol', message, { hint: hints.id });
}

function placeWords(id: string | undefined): string {
  return id === undefined || id === '' ? '' : ` at ${safeText(id, 60)}`;
}

/** Keys that are whole numbers have lost their place in the text, so it is read again for maps that have some. */
function withKeyOrder(found: FoundRows, text: string): FoundRows {
  const { place, keys } = found;
  if (keys === undefined || !keys.some((key) => /^\d{1,10}$/.test(key))) return found;
  const rows = new Map(keys.map((key, index) => [key, found.rows[index]]));
  const order = keysInOrder(text, keysOf(place.rows)).filter((key) => rows.has(key));
  return { place, keys: order, rows: order.map((key) => rows.get(key)) };
}

function keysOf(path: string): string[] {
  return path === '' ? [] : path.split('.');
}
