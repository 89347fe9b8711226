// Answers that are no success: status and error body (interface 7) → Fault.
import { ERROR_STATUS, type ErrorCode } from '../contract/error.ts';
import { Integrity } from '../contract/scalars.ts';
import { HEADERS } from '../contract/routes.ts';
import { Fault, type FaultDetail, type FaultKind } from '../faults.ts';
import type { ApiResponse } from './response.ts';
import { safeText } from './safe-text.ts';
import { parseJson } from './strict-json.ts';

/**
 * Codes that say the caller's own argument cannot be used. They are `usage` although something was sent: nothing came
 * of it, and only another argument helps. Every other 4xx is a disagreement about the interface: `protocol`.
 */
const ARGUMENT: ReadonlySet<string> = new Set<ErrorCode>([
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
  409: 'conflict',
  410: 'not_found',
  429: 'busy',
};

/** A token is of no help to a service that takes signatures. */
const UNSIGNED: ErrorCode = 'signature_invalid';

/** What an error body said, as far as it can be read; a malformed one says nothing. */
export type ErrorFields = { code?: string; message?: string; request_id?: string; integrity?: number };

/** One part of an answer that was refused on its own, as {@link faultOfResponse} would tell it. */
export function faultOfItem(code: string, message: string): Fault {
  const said = { code: safeText(code, 80), message: safeText(message, 300) };
  const known = Object.hasOwn(ERROR_STATUS, code) ? ERROR_STATUS[code as ErrorCode] : 400;
  const kind = kindOf(known, said.code);
  return new Fault(kind, messageOf(kind, known, said), { code: said.code, retryable: kind === 'busy' });
}

/** `url` is what was asked. Statuses 200 to 299 are not for this function. */
export function faultOfResponse(answer: ApiResponse, url: URL): Fault {
  const { status } = answer;
  if (status < 400) return redirected(answer, url);
  const said = errorFieldsOf(answer);
  const kind = kindOf(status, said.code);
  const detail: FaultDetail = {
    status,
    retryable: kind === 'busy',
    ...(said.code === undefined ? {} : { code: said.code }),
    ...(said.request_id === undefined ? {} : { request_id: said.request_id }),
    ...(said.integrity === undefined ? {} : { integrity: said.integrity }),
    ...(kind === 'auth'
      ? { hint: said.code === UNSIGNED ? 'arx events send --sign-with FILE' : 'arx login' }
      : {}),
  };
  return new Fault(kind, messageOf(kind, status, said), detail);
}

function kindOf(status: number, code: string | undefined): FaultKind {
  if (status >= 500) return 'busy';
  const known = KINDS[status];
  if (known !== undefined) return known;
  // A service may send another 4xx than ours for the same code.
  if (code !== undefined && ARGUMENT.has(code)) return 'usage';
  if (code !== undefined && Object.hasOwn(ERROR_STATUS, code)) {
    return KINDS[ERROR_STATUS[code as ErrorCode]] ?? 'protocol';
  }
  return 'protocol';
}

function messageOf(kind: FaultKind, status: number, { code, message }: ErrorFields): string {
  const words = message === undefined || message === '' ? '' : `: ${lowered(message)}`;
  const named = `${code ?? `status ${status}`}${words}`;
  if (code === 'token_expired') {
    const at = /\b\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)/.exec(message ?? '')?.[0];
    return at === undefined ? 'token has expired' : `token expired at ${at}`;
  }
  if (kind === 'busy') return `service cannot answer now (${code ?? status})${words}`;
  return `service refused: ${named}`;
}

function lowered(message: string): string {
  const text = message.replace(/\.$/, '');
  // An acronym stays as it is.
  return /^\p{Lu}\P{Lu}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** Every field on its own: a wrong integrity does not hide the code. */
export function errorFieldsOf({ bytes, headers }: ApiResponse): ErrorFields {
  const error = errorIn(bytes);
  const { code, message, integrity } = error;
  const request_id = error['request_id'] ?? headers[HEADERS.requestId];
  const checked = Integrity.safeParse(integrity ?? numberIn(headers[HEADERS.integrity]));
  return {
    ...(typeof code === 'string' && code !== '' ? { code: safeText(code, 80) } : {}),
    ...(typeof message === 'string' ? { message: safeText(message, 300) } : {}),
    ...(typeof request_id === 'string' ? { request_id: safeText(request_id, 100) } : {}),
    ...(checked.success ? { integrity: checked.data } : {}),
  };
}

function errorIn(bytes: Uint8Array): Record<string, unknown> {
  try {
    const { value } = parseJson(bytes);
    const error = (value as { error?: unknown } | null)?.error;
    return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function numberIn(header: string | undefined): number | undefined {
  return header === undefined || header.trim() === '' ? undefined : Number(header);
}

/** The API never redirects (faults.md E1), so following would carry the token where nobody decided to send it. */
function redirected({ status, headers }: ApiResponse, url: URL): Fault {
  const target = redirectTarget(headers['location'], url);
  const where = safeText(target?.host ?? '', 100) || 'elsewhere';
  return new Fault('protocol', `server tried to send us to ${where} (${status})`, {
    status,
    hint: 'check the base URL',
  });
}

/** Where a Location header points, undefined where it is missing or no URL. */
export function redirectTarget(location: string | undefined, from: URL): URL | undefined {
  if (location === undefined) return undefined;
  try {
    return new URL(location, from);
  } catch {
    return undefined;
  }
}
