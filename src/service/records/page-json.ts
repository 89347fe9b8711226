// The JSON text of list pages: how the database writes rows, and how the service completes, splits and wraps them.
import type { List } from '../../contract/list.ts';
import { storageDamaged } from '../rules/api-error.ts';
import { integrityOf, share, type Kind } from '../rules/integrity.ts';
import { instantOf } from './instant.ts';

/**
 * The database writes the rows of a page as one text: `{"id":"att_1",…},{"id":"att_2",…}`. A placeholder stands where
 * only the service knows the value: this character, a letter, the values it is computed from, this character. JSON text
 * cannot contain the character itself, only an escape of it.
 */
const PLACEHOLDER = '\u0001';

/**
 * The letter of a placeholder. `u<n>|<sha256>`: the address of attachment `n`. `d<ms>`: a time. `i<failed>`: the
 * integrity of a row with these failed checks. `w`: replaced by nothing, tells that the row is withheld and shows no integrity.
 * `x`: the row lacks a value that every row has.
 */
type PlaceholderKind = 'u' | 'd' | 'i' | 'w' | 'x';

/** How every row begins. It cannot occur inside a row, because JSON strings escape their quotes. */
const ROW_START = '{"id":"';
const NEXT_ROW = `,${ROW_START}`;

/** The empty rows of an envelope, and what remains of them when rows are put in. */
const NO_ROWS = '"data":[]';
const ROWS_START = '"data":[';

/** The rows of one page as the database wrote them. */
export type PageRows = {
  /** Rows in ascending order with commas between them. Placeholders are not replaced yet. */
  text: string;
  count: number;
  has_more: boolean;
  /** Whether the row that the cursor names exists; true without a cursor. */
  cursorFound: boolean;
};

// SQL that writes JSON. All functions return an SQL expression; `column` is a column name, with its table if needed.

/** A template of JSON text with SQL expressions in its gaps. A `concat` in a gap becomes part of the outer one. */
export function json(texts: TemplateStringsArray, ...gaps: readonly string[]): string {
  const parts = texts.flatMap((literal, at) => [
    ...(literal === '' ? [] : [`'${literal}'`]),
    ...(at < gaps.length ? [gaps[at]!.replace(/^concat\((.*)\)$/s, '$1')] : []),
  ]);
  return `concat(${parts.join(', ')})`;
}

/** As {@link json}, for a whole row. Throws a TypeError when the template does not begin with the id. */
export function jsonRow(texts: TemplateStringsArray, ...gaps: readonly string[]): string {
  if (!texts[0]?.startsWith(ROW_START)) throw new TypeError('the first member of a row must be its id');
  return json(texts, ...gaps);
}

/** A JSON string of a value that no row lacks, as two expressions for two gaps. */
export function quoted(column: string): string {
  return `${jsonString(column)}, ${markIfNull(column)}`;
}

/** A JSON string. */
export function jsonString(column: string): string {
  return `json_quote(${column})`;
}

/**
 * A whole number, as two expressions for two gaps. In a damaged database any column may hold a text, which would end the JSON
 * of its row, or NULL, which would leave it out.
 */
export function whole(column: string): string {
  return `CAST(${column} AS BIGINT), ${markIfNull(column)}`;
}

function markIfNull(column: string): string {
  return `CASE WHEN ${column} IS NULL THEN ${placeholder('x')} END`;
}

/** A JSON string, or `null`. */
export function quotedOrNull(column: string): string {
  return `COALESCE(${jsonString(column)}, 'null')`;
}

/**
 * `,"<name>":"<value>"`, or nothing where the column is NULL. These are two expressions for two gaps: an inner
 * `concat` would copy the text once more.
 */
export function optionalMember(name: string, column: string): string {
  const unlessNull = (value: string) => `CASE WHEN ${column} IS NOT NULL THEN ${value} END`;
  return `${unlessNull(`',"${name}":'`)}, ${unlessNull(jsonString(column))}`;
}

/** `true` for 1, `false` for 0. */
export function flag(column: string): string {
  return `CASE ${column} WHEN 1 THEN 'true' ELSE 'false' END`;
}

/** An ISO 8601 time from milliseconds since the epoch, or `null`. */
export function instant(column: string): string {
  return `CASE WHEN ${column} IS NULL THEN 'null' ELSE ${placeholder('d', column)} END`;
}

/** The share of integrity checks that a row with this bit set of failed checks passes. */
export function integrity(failed: string): string {
  return `CASE ${failed} WHEN 0 THEN '1' ELSE ${placeholder('i', failed)} END`;
}

/** The address of an attachment for the reader, or `null`. */
export function fileUrl(n: string, sha256: string): string {
  return placeholder('u', n, `'|'`, sha256);
}

/** Empty text. It marks the row as withheld, see {@link CompletedRows.withheld}. */
export function withheldMark(): string {
  return placeholder('w');
}

function placeholder(kind: PlaceholderKind, ...values: readonly string[]): string {
  return values.length === 0
    ? `'${PLACEHOLDER}${kind}${PLACEHOLDER}'`
    : `concat('${PLACEHOLDER}${kind}', ${values.join(', ')}, '${PLACEHOLDER}')`;
}

// What the service does with the text.

/**
 * Returns the first `limit` rows of a text, in ascending order. `text` is in the order of `direction` and holds one row
 * more where `hasMore`.
 */
export function rowsInOrder(text: string, hasMore: boolean, direction: 'forward' | 'backward'): string {
  if (direction === 'forward') return hasMore ? text.slice(0, text.lastIndexOf(NEXT_ROW)) : text;
  const [, ...rows] = `,${text}`.split(NEXT_ROW);
  if (hasMore) rows.pop();
  return rows.reduceRight((all, row) => `${all}${NEXT_ROW}${row}`, '').slice(1);
}

/** Returns the address of a file for one reader, as JSON text. */
export type FileUrls = (n: number, sha256: string) => string;

const NO_FILE_URLS: FileUrls = () => 'null';

/** Rows whose placeholders are replaced. */
export type CompletedRows = {
  /** The text of the rows in pieces, to be joined without a separator. */
  pieces: string[];
  /** Whether the reader may not see all of some row. */
  withheld: boolean;
  /** Mean integrity of the rows that show theirs, 0 to 1; undefined where none does. */
  integrity: number | undefined;
};

/** Replaces all placeholders in rows of one kind. Throws ApiError `storage_damaged` where the rows hold what no archive writes. */
export function substitute(
  kind: Kind,
  { text, count }: Pick<PageRows, 'text' | 'count'>,
  fileUrls: FileUrls = NO_FILE_URLS,
): CompletedRows {
  // Odd pieces are what stood between the two characters of a placeholder. A value that contains the character shifts them.
  const pieces = text.split(PLACEHOLDER);
  if (pieces.length % 2 === 0) throw storageDamaged();
  let withheld = 0;
  let lost = 0;
  for (let at = 1; at < pieces.length; at += 2) {
    const found = pieces[at]!;
    const value = found.slice(1);
    pieces[at] = '';
    switch (found[0] as PlaceholderKind) {
      case 'u': {
        const bar = value.indexOf('|');
        pieces[at] = fileUrls(Number(value.slice(0, bar)), value.slice(bar + 1));
        break;
      }
      case 'd': {
        const time = instantOf(Number(value));
        pieces[at] = time === null ? 'null' : `"${time}"`;
        break;
      }
      case 'i': {
        if (!/^\d+$/.test(value)) throw storageDamaged();
        const own = integrityOf(kind, Number(value));
        lost += 1 - own;
        pieces[at] = String(own);
        break;
      }
      case 'w':
        withheld += 1;
        break;
      default:
        throw storageDamaged();
    }
  }
  const shown = count - withheld;
  const mean = shown === 0 ? undefined : share(shown - lost, shown);
  return { pieces, withheld: withheld > 0, integrity: mean };
}

/** Returns the text of one completed row, for a page of one row. */
export function rowText({ pieces }: Pick<CompletedRows, 'pieces'>): string {
  return pieces.join('');
}

/** Returns completed rows as objects. */
export function parseRows<Row extends { id: string }>({ pieces }: Pick<CompletedRows, 'pieces'>): Row[] {
  return JSON.parse(`[${pieces.join('')}]`) as Row[];
}

/** Returns the JSON text of a page: the envelope with the rows in the place of its empty `data`. */
export function pageText(envelope: List<never>, { pieces }: Pick<CompletedRows, 'pieces'>): string {
  const [head = '', tail = ''] = JSON.stringify(envelope).split(NO_ROWS);
  return [head, ROWS_START, ...pieces, ']', tail].join('');
}

/** Returns the text of a row with one more member at its end; `value` is JSON text. */
export function withMember(row: string, name: string, value: string): string {
  return `${row.slice(0, -1)},"${name}":${value}}`;
}
