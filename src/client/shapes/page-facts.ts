// Reads what a page of a list says about itself: status, whether more rows follow, drift ratio and integrity.
import { ExactNumber } from '../../contract/exact-json.ts';
import { foldedName } from '../../contract/field-names.ts';
import { Integrity } from '../../contract/scalars.ts';
import { isRecord, ownField, type JsonRecord } from './json-path.ts';
import type { ListGuess } from './list-guess.ts';

/** What a page says about itself. */
export type PageFacts = {
  [STATED_TOTAL]?: number | undefined;
  [NEXT_CURSOR]?: string | undefined;
  [UNDESCRIBED]?: true | undefined;
  [UNNAMED_ROWS]?: number | undefined;
  status?: string;
  has_more?: boolean;
  drift_ratio?: number;
  integrity?: number;
};

/** Where the body says whether more rows follow. */
export type FactPlaces = Pick<ListGuess, 'hasMore' | 'next' | 'pagedBy'>;

/** The number of rows in the whole list, as the service states it. A symbol, since it is no field of the answer. */
export const STATED_TOTAL = Symbol('stated total');

/** The cursor of the next page, where the service names one. */
export const NEXT_CURSOR = Symbol('next cursor');

/** Set in a page whose answer is an empty array alone, or has no body: any server may answer that, so it does not prove that the list is empty. */
export const UNDESCRIBED = Symbol('undescribed');

/** How many withheld rows without an id of their own the list has so far. They are not among the rows of a page. */
export const UNNAMED_ROWS = Symbol('unnamed rows');

/** Names of that number, in one spelling (see foldedName). `count` may also mean the rows of the page. */
const TOTAL_NAMES = 'total totalcount totalelements totalitems totalresults totalrows totalrecords'.split(
  ' ',
);
/** Names of a flag that says whether more rows follow, in one spelling (see foldedName). */
const MORE_NAMES = ['hasmore', 'more'];
/** The same, of rows after the page: in a page that was read backward they say nothing of rows before it. */
const MORE_AFTER_NAMES = ['hasnext', 'hasnextpage'];
/** Names of the next page: its address, its cursor or its number. */
const NEXT_NAMES = ['next', 'nextcursor', 'nextpage', 'nextpagetoken', 'nexturl'];
/** Query parameters of other ways to page than by the ids of rows. */
const PAGING_PARAMETER =
  /^(page|p|offset|start|skip|from|cursor|after|before|(page|next|continuation)[_-]?(number|no|token|offset|cursor)?|page\[(number|offset|cursor|after|before)\])$/i;
/** Fields whose fields describe the page. */
const DESCRIBING = [
  'meta',
  '_meta',
  'paging',
  'pagination',
  'page',
  'page_info',
  'pageInfo',
  'links',
  '_links',
];

/**
 * Returns what a body says about the page, and its other fields. `path` is where the rows are; fields near the rows count
 * more than outer ones. `shown` is the number of rows. `counts` are further names of the number of rows, in one spelling (see foldedName). `isBackward`: the page ends before a cursor, so words about the next page do not tell `has_more`.
 */
export function pageFacts(
  body: unknown,
  path: string,
  { isBackward, shown, counts = [] }: { isBackward: boolean; shown: number; counts?: readonly string[] },
): { facts: PageFacts; rest: JsonRecord; places: FactPlaces } {
  const keys = path === '' ? [] : path.split('.');
  const around: { path: string; value: JsonRecord }[] = [];
  const rest = new Map<string, unknown>();
  let value = body;
  for (const [depth, key] of keys.entries()) {
    if (!isRecord(value)) break;
    around.unshift({
      path: keys
        .slice(0, depth)
        .map((each) => `${each}.`)
        .join(''),
      value,
    });
    for (const [name, field] of Object.entries(value)) if (name !== key) rest.set(name, field);
    value = value[key];
  }
  const said: { name: string; place: string; field: unknown }[] = [];
  const listen = (fields: JsonRecord, prefix: string): void => {
    for (const name of Object.keys(fields))
      said.push({ name: foldedName(name), place: prefix + name, field: fields[name] });
  };
  for (const { path: prefix, value: each } of around) {
    listen(each, prefix);
    for (const name of DESCRIBING) {
      const fields = ownField(each, name);
      if (isRecord(fields)) listen(fields, `${prefix}${name}.`);
    }
  }
  const facts: PageFacts = {};
  const first = <T>(
    names: readonly string[],
    read: (value: unknown) => T | undefined,
  ): { found?: T; place?: string } => {
    for (const { name, place, field } of said) {
      const found = names.includes(name) ? read(field) : undefined;
      if (found !== undefined) return { found, place };
    }
    return {};
  };
  const more = first(MORE_NAMES, flagOf);
  const after = isBackward ? {} : first(MORE_AFTER_NAMES, flagOf);
  const next = isBackward ? {} : first(NEXT_NAMES, leadsOn);
  const pagedBy = first(NEXT_NAMES, pagingParameter).found;
  const has_more = more.found ?? after.found ?? next.found;
  const status = first(['status'], (field) => (typeof field === 'string' ? field : undefined)).found;
  const drift_ratio = first(['driftratio'], numberOf).found;
  const integrity = Integrity.safeParse(first(['integrity'], numberOf).found);
  for (const name of ['status', 'has_more', 'drift_ratio', 'integrity']) rest.delete(name);
  if (status !== undefined) facts.status = status;
  if (has_more !== undefined) facts.has_more = has_more;
  if (drift_ratio !== undefined) facts.drift_ratio = drift_ratio;
  if (integrity.success) facts.integrity = integrity.data;
  const isCount = (field: unknown): number | undefined =>
    Number.isSafeInteger(field) && (field as number) >= 0 ? (field as number) : undefined;
  const count = first(['count', ...counts], isCount).found;
  const total =
    first(TOTAL_NAMES, isCount).found ?? (count !== undefined && count > shown ? count : undefined);
  if (total !== undefined) facts[STATED_TOTAL] = total;
  if (Array.isArray(body) && shown === 0) facts[UNDESCRIBED] = true;
  const cursor = isBackward ? undefined : first([...NEXT_NAMES, 'endcursor'], cursorIn).found;
  if (cursor !== undefined) facts[NEXT_CURSOR] = cursor;
  const places = { hasMore: more.place ?? after.place, next: next.place, pagedBy };
  return { facts, rest: Object.fromEntries(rest), places };
}

/** Returns a flag that may be written as text or as 0 and 1; undefined for anything else. */
export function flagOf(value: unknown): boolean | undefined {
  if (value === true || value === 1 || value === '1' || value === 'true') return true;
  return value === false || value === 0 || value === '0' || value === 'false' ? false : undefined;
}

/** Returns a finite number, also one that is written as text. An exact number is rounded. */
export function numberOf(value: unknown): number | undefined {
  if (value instanceof ExactNumber) return numberOf(Number(value.text));
  const isNumeric = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
  const number = isNumeric ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Returns whether the name of a next page leads on: null, false, 0 and an empty text do not, nor an empty link. */
function leadsOn(value: unknown): boolean | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return Boolean(value);
  const link = ownField(value, 'href') ?? ownField(value, 'url') ?? ownField(value, 'cursor');
  return link === undefined ? Object.values(value).some(Boolean) : Boolean(link);
}

/** Returns the cursor that the name of a next page holds: a text that is no address, or `starting_after` of an address. */
function cursorIn(value: unknown): string | undefined {
  if (isRecord(value))
    return cursorIn(
      ownField(value, 'starting_after') ?? ownField(value, 'cursor') ?? ownField(value, 'href'),
    );
  if (typeof value !== 'string' || value === '') return undefined;
  if (!/[?/]/.test(value)) return value;
  return new URLSearchParams(value.split('?')[1]?.split('#')[0]).get('starting_after') ?? undefined;
}

/** Returns the query parameter with which the address of a next page asks for it; undefined for the cursors of the interface. */
function pagingParameter(value: unknown): string | undefined {
  const link = isRecord(value) ? (ownField(value, 'href') ?? ownField(value, 'url')) : value;
  const query = typeof link === 'string' ? link.split('?')[1]?.split('#')[0] : undefined;
  const names = [...new URLSearchParams(query ?? '').keys()];
  if (names.includes('starting_after') || names.includes('ending_before')) return undefined;
  return names.find((name) => PAGING_PARAMETER.test(name));
}
