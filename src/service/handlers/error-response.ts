// Every refusal as a response: the error body of interface 7, and what is said of errors nobody planned.
import { HEADERS } from '../../contract/routes.ts';
import type { ServiceResponse } from '../../contract/exchange.ts';
import { ApiError } from '../rules/api-error.ts';
import { isFull, isStoreTrouble } from '../store/sql/database-error.ts';

/** The error body with its headers. `requestId` has the form req_<id>, `integrity` is the archive's (0 to 1). */
export function errorResponse(refusal: ApiError, requestId: string, integrity: number): ServiceResponse {
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
  const { buffer, byteOffset, byteLength } = randomBytes(12);
  return `req_${Buffer.from(buffer, byteOffset, byteLength).toString('hex')}`;
}

/** Any thrown value as a refusal; what is not one of ours keeps its cause to itself. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (isStoreTrouble(error)) {
    const text = isFull(error)
      ? 'the archive cannot be written: no space is left for it'
      : 'the archive cannot be reached now, try again';
    return new ApiError('store_unavailable', text, { 'retry-after': '1' });
  }
  return new ApiError('internal', 'the service failed; the request id names this failure');
}
