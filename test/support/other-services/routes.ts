// The routes of another archive service: who may read, which record or list is asked for, and how it is written.
import { json, type Answer, type Route } from './answer.ts';
import type { OtherArchive } from './archive.ts';
import { jsonApi, jsonApiResource, type Page } from './envelopes.ts';
import type { Problem } from './errors.ts';
import { wrongPage } from './faults.ts';
import type { Random } from '../random.ts';
import type { WireRow } from './record-shapes.ts';
import { accepted, contentOf, healthOf, issued, scopeOf, scopesOf } from './other-routes.ts';
import type { ListName, Variant } from './variant.ts';
import { cutPage, isPage } from './windows.ts';

type Parts = { variant: Variant; archive: OtherArchive; events: WireRow[]; fileUrl: string };

const NOT_FOUND: Problem = { status: 404, code: 'no_such_record', message: 'there is nothing here' };

const NO_CURSORS = { after: 'ignores', before: 'ignores', both: 'follows' } as const;

/** Parameters that the interface names; messages have none there, so they take those of the conversations. */
const WINDOW = ['starting_after', 'ending_before', 'limit'];
const KNOWN: Record<ListName, readonly string[]> = {
  conversations: WINDOW,
  messages: WINDOW,
  attachments: [...WINDOW, 'origin_city'],
  sequence: WINDOW,
};

/** Returns the routes of a service. */
export function createRoutes(parts: Parts): Route {
  const { variant, archive, events, fileUrl } = parts;
  return (request, random) => {
    const { method, url, token } = request;
    const path = url.pathname;
    if (path === '/api/auth/token' && method === 'POST') return issued(request.body);
    if (path === '/api/health' && method === 'GET') return healthOf(variant);
    const file = /^\/files\/(.+)$/.exec(path)?.[1];
    if (file !== undefined) return bytesOf(archive, decodeURIComponent(file));
    const scope = scopeOf(path);
    const scopes = scopesOf(token);
    if (scopes === undefined) return { status: 401, code: 'no_token', message: 'send a bearer token' };
    if (scope !== undefined && !scopes.includes(scope))
      return { status: 403, code: 'scope_missing', message: `this needs ${scope}` };
    if (path === '/api/webhooks/ingest' && method === 'POST') return accepted(variant, events, request.body);
    if (method !== 'GET') return { status: 405, code: 'method_not_allowed', message: 'only GET' };

    const content = /^\/api\/content\/([^/]+)$/.exec(path)?.[1];
    if (content !== undefined)
      return contentOf(variant, archive, decodeURIComponent(content), url) ?? NOT_FOUND;
    const sequence = /^\/api\/sequence\/([^/]+)$/.exec(path)?.[1];
    if (sequence !== undefined) {
      const entries = archive.sequences.get(decodeURIComponent(sequence));
      if (entries === undefined) return NOT_FOUND;
      const rows = entries.map((entry) => variant.records.entry(entry));
      const field = 'entry' in rows[0]! ? 'entry' : variant.records.idField;
      const head = { name: sequence, integrity: 0.93, drift_ratio: 0.11 };
      return listOf(
        parts,
        { list: 'sequence', resource: 'entries', rows, idField: field, head },
        url,
        random,
      );
    }
    const single = /^\/v1\/(conversations|attachments)\/([^/]+)$/.exec(path);
    if (single !== null)
      return singleOf(parts, single[1] as 'conversations', decodeURIComponent(single[2]!)) ?? NOT_FOUND;
    if (path === '/v1/conversations') {
      const rows = inOrder(variant, archive.threads.map(variant.records.thread));
      return listOf(parts, { list: 'conversations', rows }, url, random);
    }
    if (path === '/messages' || path === '/v1/messages') {
      if (variant.messages === 'missing' || (path === '/v1/messages' && !variant.singles)) return NOT_FOUND;
      if (variant.messages === 'never answers') return 'none';
      if (variant.messages === 'refuses all')
        return { status: 400, code: 'cannot_list', message: 'messages cannot be listed' };
      const rows = inOrder(variant, archive.letters.map(variant.records.letter));
      return listOf(parts, { list: 'messages', rows }, url, random);
    }
    if (path === '/v1/attachments') {
      const rows = archive.files.map((one) => fileRow(variant, one, fileUrl));
      return listOf(parts, { list: 'attachments', rows }, url, random);
    }
    return NOT_FOUND;
  };
}

const inOrder = ({ order }: Variant, rows: WireRow[]): WireRow[] =>
  order === 'oldest first' ? rows : rows.toReversed();

function fileRow({ records }: Variant, file: OtherArchive['files'][number], fileUrl: string): WireRow {
  return records.file(file, file.isWithheld ? null : `${fileUrl}/files/${encodeURIComponent(file.id)}`);
}

function bytesOf({ files }: OtherArchive, id: string): Answer | Problem {
  const file = files.find((one) => one.id === id && !one.isWithheld);
  return file === undefined ? NOT_FOUND : { status: 200, type: file.contentType, body: file.bytes };
}

function singleOf(parts: Parts, list: 'conversations' | 'attachments', id: string): Answer | undefined {
  const { variant, archive, fileUrl } = parts;
  const { records } = variant;
  if (!variant.singles) return undefined;
  if (list === 'conversations') {
    const at = archive.threads.findIndex((thread) => records.idOf(thread) === id);
    return at < 0 ? undefined : json(records.thread(archive.threads[at]!, at));
  }
  const file = archive.files.find((one) => records.idOf(one) === id);
  if (file === undefined) return undefined;
  const row = fileRow(variant, file, fileUrl);
  return variant.envelope === jsonApi ? json({ data: jsonApiResource(row, 'attachment') }) : json(row);
}

type ListOptions = { list: ListName; resource?: string; rows: WireRow[]; idField?: string; head?: WireRow };

/** Answers with one page of a list. */
function listOf(
  { variant }: Parts,
  { list, resource = list, rows, idField = variant.records.idField, head = {} }: ListOptions,
  url: URL,
  random: Random,
): Answer | Problem {
  const query = url.searchParams;
  const unknown = [...query.keys()].find((name) => !KNOWN[list].includes(name));
  if (unknown !== undefined && variant.unknownParameters === 'refused')
    return { status: 400, code: 'unrecognised_argument', message: `I do not know the parameter ${unknown}` };
  const keyOf = (row: WireRow): string => String(row[idField]);
  const selected = variant.filters === 'ignored' ? rows : filtered(list, rows, query, variant);
  const asked = {
    after: query.get('starting_after') ?? undefined,
    before: query.get('ending_before') ?? undefined,
    limit: query.get('limit') ?? undefined,
  };
  const cursors = { ...variant.cursors, ...(variant.cursorless.includes(list) ? NO_CURSORS : {}) };
  const cut = cutPage(selected, keyOf, asked, { ...variant, cursors });
  if (!isPage(cut)) return cut;
  const isFaulty = list !== 'sequence' && random() < variant.faults.drift;
  const shown = isFaulty ? wrongPage(cut.rows, selected, random) : cut.rows;
  const isPartial = list === 'attachments' && shown.some(({ redacted }) => redacted === true);
  const page: Page = {
    resource,
    rows: shown,
    idField,
    more: cut.more,
    next: cut.next === undefined ? undefined : { cursor: cut.next, url: nextUrl(url, cut.next) },
    total: selected.length,
    ...(list === 'attachments' ? { status: isPartial ? 'partial' : 'stable' } : {}),
    head,
  };
  const envelope = variant.envelopes[list] ?? variant.envelope;
  return json(envelope(page), isPartial ? 206 : 200);
}

function filtered(list: ListName, rows: WireRow[], query: URLSearchParams, { filters }: Variant): WireRow[] {
  if (filters === 'partly' || filters === 'wrongly') return partlyFiltered(rows, query, filters);
  const city = query.get('origin_city');
  if (list !== 'attachments' || city === null) return rows;
  return rows.filter((row) => (row['origin_city'] ?? row['originCity'] ?? row['OriginCity']) === city);
}

/** One of so many rows that do not match comes too. */
const STRAY_ROWS = 25;
/** One of so many rows that match is missing, where some are. */
const MISSING_ROWS = 4;

function partlyFiltered(rows: WireRow[], query: URLSearchParams, filters: 'partly' | 'wrongly'): WireRow[] {
  let selected = rows;
  for (const [name, value] of query) {
    const field = name === 'conversation' ? 'conversation_id' : name;
    if (!rows.some((row) => String(row[field]) === value)) {
      if (WINDOW.includes(name) || !rows.some((row) => field in row)) continue;
      return [];
    }
    let strays = 0;
    let matching = 0;
    selected = selected.filter((row) =>
      String(row[field]) === value
        ? filters === 'partly' || (matching += 1) % MISSING_ROWS !== 2
        : (strays += 1) % STRAY_ROWS === 1,
    );
  }
  return selected;
}

function nextUrl(url: URL, cursor: string): string {
  const next = new URL(url);
  const direction = next.searchParams.has('ending_before') ? 'ending_before' : 'starting_after';
  next.searchParams.set(direction, cursor);
  return `${next.pathname}${next.search}`;
}
