// Every refusal as a response: the error body of interface 7, and what is said of errors nobody planned.
import { HEADERS } from '../../contract/routes.ts';
import type { ServiceResponse } from '../../contract/exchange.ts';
import { Refusal } from '../refusal.ts';
import { DatabaseTrouble } from '../store/trouble.ts';

/** The error body with its headers. `requestId` has the form req_<id>, `integrity` is the archive's (0 to 1). */
export function errorResponse(refusal: Refusal, requestId: string, integrity: number): ServiceResponse {
  const body = JSON.stringify({
    error: { code: refusal.code, message: refusal.message, request_id: requestId, integrity },
  });
  return {
    status: refusal.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      [HEADERS.requestId]: requestId,
      [HEADERS.integrity]: String(integrity),
      ...refusal.headers,
    },
    body,
  };
}

/** A unique id for one request, from 12 random bytes. */
export function newRequestId(randomBytes: (count: number) => Uint8Array): string {
  return `req_${Buffer.from(randomBytes(12)).toString('hex')}`;
}

/** Any thrown value as a refusal; what is not one of ours keeps its cause to itself. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (isStoreTrouble(error)) {
    const text = isFull(error)
      ? 'the archive cannot be written: no space is left for it'
      : 'the archive cannot be reached now, try again';
    return new Refusal('store_unavailable', text, { 'retry-after': '1' });
  }
  return new Refusal('internal', 'the service failed; the request id names this failure');
}

/** Kind and code of a thrown value for a log: its message may hold data, so it is left out. */
export function failureName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return [error.constructor.name, code, errcode]
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join(' ');
}

/** Primary result codes of SQLite that pass or need the keeper, never the client: busy, locked, nomem, readonly, ioerr, full, cantopen. */
const STORE_TROUBLE = new Set([5, 6, 7, 8, 10, 13, 14]);
const DISK_TROUBLE = new Set(['ENOSPC', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EDQUOT']);

function isStoreTrouble(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof DatabaseTrouble) return true;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  // Extended codes carry the primary one in their low byte.
  if (typeof errcode === 'number') return STORE_TROUBLE.has(errcode & 0xff);
  return typeof code === 'string' && DISK_TROUBLE.has(code);
}

function isFull(error: unknown): boolean {
  if (error instanceof DatabaseTrouble) return error.kind === 'full';
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return errcode === 13 || code === 'ENOSPC' || code === 'EDQUOT';
}
