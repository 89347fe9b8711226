// Reads what a page of a list says about itself: status, whether more rows follow, drift ratio and integrity.
import { ExactNumber } from '../../contract/exact-json.ts';
import { foldedName } from '../../contract/field-names.ts';
import { flagOf } from '../../contract/flag.ts';
import { Integrity } from '../../contract/scalars.ts';
import { isRecord, ownField, type JsonRecord } from './json-path.ts';
import { linksOf } from './link-header.ts';
import type { ListGuess } from './list-guess.ts';

/** What a page says about itself. */
export type PageFacts = {
  [STATED_TOTAL]?: number | undefined;
  [NEXT_CURSOR]?: string | undefined;
  [PAGED_BY]?: string | undefined;
  [UNDESCRIBED]?: true | undefined;
  [UNNAMED_ROWS]?: number | undefined;
  [UNNAMED_ON_PAGE]?: number | undefined;
  status?: string;
  has_more?: boolean;
  drift_ratio?: number;
  integrity?: number;
};

/** Where the answer says whether more rows follow. */
export type FactPlaces = Pick<ListGuess, 'hasMore' | 'next' | 'pagedBy'>;

/** The number of rows in the whole list, as the service states it. A symbol, since it is no field of the answer. */
export const STATED_TOTAL = Symbol('stated total');

/** The cursor of the next page, where the service names one. */
export const NEXT_CURSOR = Symbol('next cursor');

/** The query parameter by which the address of the next page asks for it, where that is none of the interface. */
export const PAGED_BY = Symbol('paged by');

/** Set in a page whose answer is an empty array alone, or has no body: any server may answer that, so it does not prove that the list is empty. */
export const UNDESCRIBED = Symbol('undescribed');

/** How many withheld rows without an id of their own the list has so far. They are not among the rows of a page. */
export const UNNAMED_ROWS = Symbol('unnamed rows');

/** How many of them this page has. */
export const UNNAMED_ON_PAGE = Symbol('unnamed rows on the page');

/** Names of that number, in one spelling (see foldedName). `count` may also mean the rows of the page. */
const TOTAL_NAMES =
  'total totalcount totalelements totalitems totalresults totalrows totalrecords @odata.count'.split(' ');
/** Names of a flag that says whether more rows follow, in one spelling (see foldedName). */
const MORE_NAMES = ['hasmore', 'more'];
/** Names of the next page: its address, its cursor or its number. */
const NEXT_NAMES =
  'next nextcursor nextpage nextpagetoken nexturl nextlink nextpageurl @odata.nextlink'.split(' ');
/**
 * Names that say whether rows follow in one direction alone, in one spelling (see foldedName): flags, flags that are true on the page at
 * that end, and the page that is next in that direction.
 */
const IN_DIRECTION = {
  forward: {
    more: ['hasnext', 'hasnextpage'],
    end: ['last', 'lastpage', 'islast', 'islastpage'],
    page: NEXT_NAMES,
  },
  backward: {
    more: ['hasprev', 'hasprevious', 'hasprevpage', 'haspreviouspage'],
    end: ['first', 'firstpage', 'isfirst', 'isfirstpage'],
    page: 'prev previous prevcursor previouscursor prevpage previouspage prevurl previousurl prevpageurl'.split(
      ' ',
    ),
  },
};
/** Headers with the number of rows in the whole list. */
const TOTAL_HEADERS = ['x-total-count', 'x-total', 'total-count'];
/** Fields that hold links to other pages. */
const LINK_FIELDS: ReadonlySet<string> = new Set(['links', '_links']);
/** Query parameters of other ways to page than by the ids of rows. */
const PAGING_PARAMETER =
  /^\$?(page|p|offset|start|skip|skiptoken|from|cursor|after|before|(page|next|continuation)[_-]?(number|no|token|offset|cursor)?|page\[(number|offset|cursor|after|before)\])$/i;
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
 * Returns what an answer says about the page, and the other fields of its body. `path` is where the rows are; fields near the rows count
 * more than outer ones, and these more than headers. `shown` is the number of rows. `counts` are further names of the number of rows, in one spelling (see foldedName). `isBackward`: the page ends before a cursor, so words about the next page do not tell `has_more`, and
 * those about the page before it do.
 */
export function pageFacts(
  body: unknown,
  path: string,
  {
    isBackward,
    shown,
    counts = [],
    headers = {},
  }: {
    isBackward: boolean;
    shown: number;
    counts?: readonly string[];
    headers?: Readonly<Record<string, string>>;
  },
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
  const allLinks: JsonRecord[] = [];
  const said: { name: string; place: string; field: unknown }[] = [];
  const listen = (fields: JsonRecord, prefix: string): void => {
    for (const name of Object.keys(fields))
      said.push({ name: foldedName(name), place: prefix + name, field: fields[name] });
  };
  for (const { path: prefix, value: each } of around) {
    listen(each, prefix);
    for (const name of DESCRIBING) {
      const fields = ownField(each, name);
      if (!isRecord(fields)) continue;
      listen(fields, `${prefix}${name}.`);
      if (LINK_FIELDS.has(name)) allLinks.push(fields);
    }
  }
  const links = linksOf(headers['link']);
  listen(links, 'Link header: ');
  allLinks.push(links);
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
  /** Spring counts pages from 0 and others from 1, so the last page is known only where it is the only one. */
  const byPages = (): boolean | undefined => {
    const pages = first(['totalpages'], countOf).found;
    const number = first(['number'], countOf).found;
    if (pages === undefined) return undefined;
    return pages <= 1 ? false : number !== undefined && number + 1 < pages ? true : undefined;
  };
  const more = first(MORE_NAMES, flagOf);
  const names = isBackward ? IN_DIRECTION.backward : IN_DIRECTION.forward;
  const after = first(names.more, flagOf);
  const end = first(names.end, (field) => (typeof field === 'boolean' ? !field : undefined));
  const next = first(names.page, leadsOn);
  const pagedBy = first(NEXT_NAMES, pagingParameter).found;
  const flag = [more, after, end].find(({ found }) => found !== undefined);
  const has_more = flag?.found ?? next.found ?? (isBackward ? undefined : (byPages() ?? byLinks(allLinks)));
  const status = first(['status'], (field) => (typeof field === 'string' ? field : undefined)).found;
  const drift_ratio = first(['driftratio'], numberOf).found;
  const integrity = Integrity.safeParse(first(['integrity'], numberOf).found);
  for (const name of ['status', 'has_more', 'drift_ratio', 'integrity']) rest.delete(name);
  if (status !== undefined) facts.status = status;
  if (has_more !== undefined) facts.has_more = has_more;
  if (drift_ratio !== undefined) facts.drift_ratio = drift_ratio;
  if (integrity.success) facts.integrity = integrity.data;
  const count = first(['count', ...counts], countOf).found;
  const total =
    first(TOTAL_NAMES, countOf).found ??
    (count !== undefined && count > shown ? count : undefined) ??
    TOTAL_HEADERS.map((name) => countOf(headers[name])).find((each) => each !== undefined);
  if (total !== undefined) facts[STATED_TOTAL] = total;
  const isDescribed = !Array.isArray(body) || has_more !== undefined || total !== undefined;
  if (shown === 0 && !isDescribed) facts[UNDESCRIBED] = true;
  const cursor = isBackward ? undefined : first([...NEXT_NAMES, 'endcursor'], cursorIn).found;
  if (cursor !== undefined) facts[NEXT_CURSOR] = cursor;
  if (pagedBy !== undefined) facts[PAGED_BY] = pagedBy;
  const places = { hasMore: flag?.place, next: isBackward ? undefined : next.place, pagedBy };
  return { facts, rest: Object.fromEntries(rest), places };
}

/** Returns a finite number, also one that is written as text. An exact number is rounded. */
export function numberOf(value: unknown): number | undefined {
  if (value instanceof ExactNumber) return numberOf(Number(value.text));
  const isNumeric = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
  const number = isNumeric ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function countOf(field: unknown): number | undefined {
  const number = numberOf(field);
  return Number.isSafeInteger(number) && number! >= 0 ? number : undefined;
}

/** Returns false where links name other pages and no next one: that is how the last page is told. */
function byLinks(links: readonly JsonRecord[]): false | undefined {
  const namesOthers = links.some((each) => Boolean(each['prev'] ?? each['previous'] ?? each['last']));
  return namesOthers ? false : undefined;
}

/** Returns whether the name of a next page leads on: null, false, 0 and an empty text do not, nor an empty link. */
function leadsOn(value: unknown): boolean | undefined {
  if (value === undefined) return undefined;
  if (!isRecord(value)) return Boolean(value);
  const link = ownField(value, 'href') ?? ownField(value, 'url') ?? ownField(value, 'cursor');
  return link === undefined ? Object.values(value).some(Boolean) : Boolean(link);
}

/**
 * Returns the cursor that the name of a next page holds: a text that is no address, or `starting_after` of an address. Nothing else of an
 * address is used, so one of another server is never asked.
 */
function cursorIn(value: unknown): string | undefined {
  if (isRecord(value)) {
    const cursor = ownField(value, 'starting_after') ?? ownField(value, 'cursor');
    return cursor === undefined ? cursorOfAddress(ownField(value, 'href')) : cursorIn(cursor);
  }
  if (typeof value !== 'string' || value === '') return undefined;
  return /[?/]/.test(value) ? cursorOfAddress(value) : value;
}

function cursorOfAddress(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
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
