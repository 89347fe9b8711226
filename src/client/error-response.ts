// Turns responses that are no success into Faults: by status, error code and error body (interface 7).
import { ERROR_STATUS, NO_ROUTE, ONLY_FILES, type ErrorCode } from '../contract/error.ts';
import { Integrity } from '../contract/scalars.ts';
import { HEADERS, ROUTES, type Route } from '../contract/routes.ts';
import { Fault, hintText, type FaultDetail, type FaultKind, type Hint } from '../faults.ts';
import { isFromOurService } from './our-service.ts';
import { isWebPage, type ApiResponse } from './response.ts';
import { REDIRECTS, redirectFault } from './redirect.ts';
import { recordHint, type RecordNoun } from './record-hint.ts';
import { redactSecrets, safeText } from './safe-text.ts';
import { fieldNamed, isRecord } from './shapes/json-path.ts';
import { shownPath } from './shown-target.ts';
import { parseJson } from './strict-json.ts';
import { checkBaseUrl, httpsHint, wrongBaseUrlHint } from './wrong-base-url.ts';

/**
 * Codes that say that an argument of the user is wrong. They are `usage` although a request was sent: it had no effect,
 * and only another argument helps. Every other 4xx is a disagreement about the interface: `protocol`.
 */
const ARGUMENT_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'request_invalid',
  'limit_out_of_range',
  'cursor_invalid',
  'event_invalid',
  'event_type_unknown',
  'payload_too_large',
]);

const KINDS: Record<number, FaultKind> = {
  401: 'auth',
  403: 'forbidden',
  404: 'not_found',
  408: 'busy',
  409: 'conflict',
  410: 'not_found',
  425: 'busy',
  429: 'busy',
};

/** The service found out that its stored bytes are not those of import. No other request helps. */
const DAMAGED_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'asset_damaged',
  'message_damaged',
  'storage_damaged',
]);

/** What to do where a service gives no token that can be read. */
export const TOKEN_FROM_ELSEWHERE = '--token-file FILE or ARX_TOKEN gives a token that comes from elsewhere';

/** Here a signature is missing or wrong, and a token would not help. */
export const UNSIGNED: ErrorCode = 'signature_invalid';

/** There is no record with this id. */
const NO_RECORD: ErrorCode = 'not_found';
/** Statuses of a route that a server has not, or not for this method. */
const NOT_OFFERED: ReadonlySet<number> = new Set([405, 501]);
const CURSORS = ['starting_after', 'ending_before'];
/** A longer message of a service is cut. */
const MAX_MESSAGE_CHARACTERS = 500;
/** Of an error that is plain text so many bytes are read. */
const MAX_PLAIN_BYTES = 4096;

/** The fields of an error body that could be read, made safe to show. A malformed body has none. */
export type ErrorFields = { code?: string; message?: string; request_id?: string; integrity?: number };

/** Returns the Fault for one item of a batch that the service refused, with its error code and message. */
export function faultOfItem(code: string, message: string): Fault {
  const fields = { code: safeText(code, 80), message: safeText(message, MAX_MESSAGE_CHARACTERS) };
  const status = isKnown(code) ? ERROR_STATUS[code] : 400;
  const kind = kindOfRefusedEvent(kindOf(status, fields.code));
  return new Fault(kind, messageOf(kind, status, fields), {
    code: fields.code,
    retryable: kind === 'busy',
    ...(kind === 'conflict' && fields.code !== OTHER_BODY ? { hint: REFUSED_EVENT_HINT } : {}),
  });
}

/** Statuses by which a service refuses what an event says. Any other is about the request, the token or the service. */
export const REFUSED_EVENT_STATUS: ReadonlySet<number> = new Set([400, 413, 422]);

/** An event was sent, so that the service refuses it is no wrong command line: exit 2 says that nothing was sent. */
function kindOfRefusedEvent(kind: FaultKind): FaultKind {
  return kind === 'usage' || kind === 'protocol' ? 'conflict' : kind;
}

const REFUSED_EVENT_HINT: Hint =
  'mend the event and send it again under its id; arx events types names the fields';

/**
 * Returns the Fault for a response that is no success (status 300 and above). `url` is what was requested.
 * The details have the error code, `request_id` and `integrity` as far as the service sent them. No part of one of the
 * `secrets` is in what the service says; our own words stay.
 */
export function faultOfResponse(response: ApiResponse, url: URL, secrets: readonly string[] = []): Fault {
  const { status } = response;
  if (REDIRECTS.has(status)) return redirectFault(response, url, secrets);
  if (status < 400) return unexpectedStatus(status);
  const fields = errorFieldsOf(response, secrets);
  const { message: _, ...known } = fields;
  const isPage = isWebPage(response) && (fields.code ?? fields.message) === undefined;
  const isOfLogins = WITHOUT_LOGINS.has(status) && url.pathname.endsWith(ROUTES.token.path);
  const isOurs = isFromOurService(response.headers);
  // Our service says itself that this is no path of it, and which are.
  const isSaid = isOurs || fields.message === ONLY_FILES || fields.message?.startsWith(NO_ROUTE) === true;
  if (isOfLogins && !isPage && !isSaid) return withoutLogins(status, fields, url, secrets);
  const isMissingPage = isPage && status === 404;
  const isOtherServer = (isMissingPage && isOfEveryService(url)) || fields.message === ONLY_FILES;
  const isRefusedEvent =
    !isPage && REFUSED_EVENT_STATUS.has(status) && url.pathname.endsWith(ROUTES.ingest.path);
  const statusKind = isOtherServer ? 'protocol' : kindOf(status, fields.code);
  const kind = isRefusedEvent ? kindOfRefusedEvent(statusKind) : statusKind;
  // nginx answers plain http on a port for TLS with a page of status 400.
  const hint =
    isPage && kind === 'protocol'
      ? ((status === 400 ? httpsHint(url) : undefined) ?? wrongBaseUrlHint(url, secrets) ?? checkBaseUrl())
      : hintFor(kind, fields, url, secrets);
  const detail: FaultDetail = {
    // From the status of an archive service callers tell what it lacks.
    ...(isOtherServer ? {} : { status }),
    retryable: kind === 'busy',
    ...known,
    ...(hint === undefined ? {} : { hint }),
    ...(isOurs ? { isFromOurService: true } : {}),
    ...(isMissingPage ? { isMissingPage } : {}),
    ...(status === 404 && lacksReason(fields.code, fields.message, url) ? { isPathMissing: true } : {}),
  };
  const message =
    isPage && kind === 'protocol'
      ? `the answer is a web page, not that of an archive service: status ${status}`
      : messageOf(kind, status, fields, url, secrets);
  return new Fault(kind, message, detail);
}

/** Statuses of a server that does not give tokens where the interface has its logins. */
const WITHOUT_LOGINS: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** Its status is left out: it says nothing of a record. */
function withoutLogins(
  status: number,
  { message, ...known }: ErrorFields,
  url: URL,
  secrets: readonly string[],
): Fault {
  const base = wrongBaseUrlHint(url, secrets) ?? checkBaseUrl();
  const path = safeText(shownPath(url, secrets), 80);
  const words = lowered(message ?? '');
  const reason = words === '' ? (known.code ?? `status ${status}`) : words;
  return new Fault('protocol', `the service has no logins at ${path}: ${reason}`, {
    ...known,
    retryable: false,
    hint: (names) => `${hintText(base, names)}; or ${TOKEN_FROM_ELSEWHERE}`,
  });
}

/** The code of a token that is valid and has not the right. */
const NO_SCOPE = 'scope_missing';

/** The code of a record above the tier of the token, and of a login that asks for too much. */
const ABOVE_TIER = 'observer_not_permitted';

/** The code for an event whose id another event has. */
const OTHER_BODY = 'event_conflict';

/** What only the tier mirror has: the relay, and the records that our service says are above the tier internal. */
const ONLY_MIRROR = /read:mirror| above the tier internal$/;

/** Returns the lowest tier that may give what a message says is missing. */
function tierOf(message = ''): string {
  return ONLY_MIRROR.test(message) ? 'mirror' : 'internal';
}

function hintFor(
  kind: FaultKind,
  { code, message }: ErrorFields,
  url: URL,
  secrets: readonly string[],
): Hint | undefined {
  if (kind === 'auth')
    return code === UNSIGNED ? ({ arx }) => `${arx} events send --sign-with FILE` : 'arx login';
  if (message === ONLY_FILES) return checkBaseUrl(': arx serve names that of the archive first');
  if (message === NO_ROUTE)
    return wrongBaseUrlHint(url, secrets) ?? (({ arx }) => `${arx} api /openapi.json describes all paths`);
  if (kind === 'not_found' && code === NO_RECORD) {
    const record = recordIn(url);
    return record === undefined ? undefined : recordHint(record.noun, record.id);
  }
  if (code === OTHER_BODY)
    return ({ arx }) => `give another event another id; ${arx} events ls shows those that were received`;
  if (kind === 'conflict' && url.pathname.endsWith(ROUTES.ingest.path)) return REFUSED_EVENT_HINT;
  // A login names its tiers itself.
  if (code === NO_SCOPE || (code === ABOVE_TIER && !url.pathname.endsWith(ROUTES.token.path)))
    return `arx login --observer-tier ${tierOf(message)} asks for more rights, where the service gives them`;
  const isMissing = kind === 'not_found' && lacksReason(code, message, url);
  return isMissing ? (wrongBaseUrlHint(url, secrets) ?? checkBaseUrl()) : undefined;
}

/** Returns whether an error does not say what is missing. A service of this interface does: this may be another server, or another path of it. */
function lacksReason(code: string | undefined, message: string | undefined, url: URL): boolean {
  return (code ?? message) === undefined || (!isKnown(code) && isOfEveryService(url));
}

function kindOf(status: number, code: string | undefined): FaultKind {
  if (code !== undefined && DAMAGED_CODES.has(code)) return 'integrity';
  // A server that lacks the method (501), or the version of HTTP (505), lacks it later too.
  if (status >= 500) return status === 501 || status === 505 ? 'protocol' : 'busy';
  const known = KINDS[status];
  if (known !== undefined) return known;
  // A service may send another 4xx than ours for the same code.
  if (code !== undefined && ARGUMENT_CODES.has(code)) return 'usage';
  return (isKnown(code) ? KINDS[ERROR_STATUS[code]] : undefined) ?? 'protocol';
}

/** Says what is wrong in plain words. The code is not repeated: it is among the details. */
function messageOf(
  kind: FaultKind,
  status: number,
  { code, message = '' }: ErrorFields,
  url?: URL,
  secrets: readonly string[] = [],
): string {
  const words = lowered(message);
  if (code === 'token_expired') {
    const at = /\b\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/.exec(message)?.[0];
    return at === undefined ? 'token has expired' : `token expired at ${at}`;
  }
  const reason = words === '' ? (code ?? `status ${status}`) : words;
  if (NOT_OFFERED.has(status) && url !== undefined)
    return `the service does not offer ${recordAt(url, secrets) ?? safeText(shownPath(url, secrets), 80)}: ${reason}`;
  if (kind === 'busy') return `the service cannot answer now: ${reason}`;
  if (kind === 'not_found' && url !== undefined) {
    if (message === NO_ROUTE) return `${message}: ${safeText(shownPath(url, secrets), 80)}`;
    const record = message === ONLY_FILES ? undefined : recordAt(url, secrets);
    if (code === NO_RECORD && record !== undefined) return `no ${record} in this archive`;
    // Another service may lack the record, or the whole route. With a cursor it may lack only the row of the cursor.
    if (!isKnown(code) && !CURSORS.some((name) => url.searchParams.has(name)))
      return `the service has no ${record ?? safeText(shownPath(url, secrets), 80)}: ${reason}`;
  }
  // For an unknown code, and where there is one word only, it must be said whose words these are.
  return isKnown(code) && words.includes(' ') ? words : `the service refused the request: ${reason}`;
}

/**
 * Returns the record that a path asks for, as `message msg_99`; undefined for a list or another path. It replaces the text
 * of the service, ours too, so that every service gives the same message.
 */
function recordAt(url: URL, secrets: readonly string[]): string | undefined {
  const record = recordIn(url);
  if (record === undefined) return undefined;
  try {
    return `${record.noun} ${safeText(redactSecrets(decodeURIComponent(record.id), secrets), 80)}`;
  } catch {
    return undefined;
  }
}

/** Returns whether an address is one that no archive service lacks: its logins, and its lists from their beginning or end. */
function isOfEveryService({ pathname, searchParams }: URL): boolean {
  const isCursorAsked = CURSORS.some((name) => searchParams.has(name));
  return (
    !isCursorAsked &&
    [ROUTES.token, ROUTES.attachments, ROUTES.conversations].some(({ path }) => pathname.endsWith(path))
  );
}

/** Returns the kind of the record that a path asks for, and its id as it stands in the path. */
function recordIn({ pathname }: URL): { noun: RecordNoun; id: string } | undefined {
  for (const noun of Object.keys(RECORD_ROUTES) as RecordNoun[]) {
    const { path } = RECORD_ROUTES[noun];
    const at = pathname.lastIndexOf(path.slice(0, path.indexOf('{')));
    const id = at < 0 ? '' : pathname.slice(at + path.indexOf('{'));
    if (id !== '' && !id.includes('/')) return { noun, id };
  }
  return undefined;
}

/** The routes of one record. */
const RECORD_ROUTES: Record<RecordNoun, Route> = {
  attachment: ROUTES.attachment,
  message: ROUTES.content,
  sequence: ROUTES.sequence,
  conversation: ROUTES.conversation,
};

function isKnown(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERROR_STATUS, code);
}

function lowered(message: string): string {
  const text = message.replace(/\.$/, '');
  // The words of a status have capitals: Not Found.
  if (/^(\p{Lu}\p{Ll}+ )+\p{Lu}\p{Ll}+$/u.test(text)) return text.toLowerCase();
  // An acronym and the word I stay as they are.
  return /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Reads each field on its own, so that a wrong integrity does not hide the code. Headers fill in what the body lacks. */
export function errorFieldsOf(
  { status, bytes, headers }: ApiResponse,
  secrets: readonly string[] = [],
): ErrorFields {
  // The text of a success, such as "Accepted", is no error.
  const isText = status >= 300 && /^text\/plain\b/i.test(headers['content-type'] ?? '');
  const error = errorIn(bytes) ?? (isText ? { message: plainWords(bytes) } : {});
  const { code, message, integrity } = error;
  const request_id = error['request_id'] ?? headers[HEADERS.requestId];
  const checked = Integrity.safeParse(integrity ?? numberIn(headers[HEADERS.integrity]));
  const shown = (text: string, maxCharacters: number): string =>
    safeText(redactSecrets(text, secrets), maxCharacters);
  return {
    ...(typeof code === 'string' && code !== '' ? { code: shown(code, 80) } : {}),
    ...(typeof message === 'string' ? { message: shown(message, MAX_MESSAGE_CHARACTERS) } : {}),
    ...((request_id ?? null) === null ? {} : { request_id: shownRequestId(request_id, secrets) }),
    ...(checked.success ? { integrity: checked.data } : {}),
  };
}

/** Returns the id as a person may quote it to the operator, or that it is none: the id of a request has no spaces or control characters. */
function shownRequestId(id: unknown, secrets: readonly string[]): string {
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && /^[\x21-\x7e]{1,100}$/.test(text)
    ? redactSecrets(text, secrets)
    : 'malformed';
}

/** Returns the first line of an error that is plain text; undefined where it has no words, or is a page. */
function plainWords(bytes: Uint8Array): string | undefined {
  const [line = ''] = new TextDecoder()
    .decode(bytes.subarray(0, MAX_PLAIN_BYTES))
    .trim()
    .split(/[\r\n]/);
  return line.trim() === '' || line.startsWith('<') ? undefined : line.trim();
}

/**
 * Returns code and message of an error body, undefined where it is no JSON: of `error` (interface 7), of the first of `errors` (JSON:API) or
 * `detail`, or of the body itself, with names in any spelling, as in OAuth (`error`, `error_description`) and RFC 9457 (`title`, `detail`).
 */
function errorIn(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const { value } = parseJson(bytes);
    if (!isRecord(value)) return {};
    const error = fieldNamed(value, 'error');
    const list = ['errors', 'detail'].map((name) => fieldNamed(value, name)).find(Array.isArray);
    const first: unknown = list?.[0];
    const fields = [error, first].find(isRecord) ?? value;
    const text = ['message', 'msg', 'errmsg', 'errormessage', 'errordescription', 'detail', 'title', 'error']
      .map((name) => fieldNamed(fields, name))
      .concat(first, firstOfFields(fieldNamed(value, 'errors')))
      .find((each) => typeof each === 'string' && each !== '');
    return { ...fields, code: fieldNamed(fields, 'code'), message: text };
  } catch {
    return undefined;
  }
}

/** Returns the first text of errors by the names of fields, as Rails and .NET write them: `{layer: ['is unknown']}`. */
function firstOfFields(errors: unknown): unknown {
  const [found] = isRecord(errors) ? Object.entries(errors) : [];
  const words: unknown = found === undefined ? undefined : [found[1]].flat()[0];
  return typeof words === 'string' ? `${found![0]}: ${words}` : undefined;
}

function numberIn(header: string | undefined): number | undefined {
  return header === undefined || header.trim() === '' ? undefined : Number(header);
}

/** arx sends no conditional request and knows no other status of 3xx, so such a response holds nothing for it. */
function unexpectedStatus(status: number): Fault {
  const words = status === 304 ? 'status 304 (not modified)' : `status ${status}`;
  return new Fault('protocol', `the server answered ${words}, which arx did not ask for`, { status });
}

/** Returns whether the same request may get another response later. Damaged bytes (500) stay damaged, and a service that only reads (503) stays so. */
export function mayHelpToWait(response: ApiResponse): boolean {
  if (response.status < 500) return true;
  const { code = '' } = errorFieldsOf(response);
  return code !== ('read_only' satisfies ErrorCode) && !DAMAGED_CODES.has(code);
}
