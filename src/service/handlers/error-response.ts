// Errors as responses: the error body (interface 7) of ApiErrors, and of errors that nobody expected.
import type { ServiceResponse } from '../../contract/exchange.ts';
import { HEADERS } from '../../contract/routes.ts';
import { ApiError, storageDamaged } from '../rules/api-error.ts';
import { NewerSchema } from '../store/schema/migrate.ts';
import {
  DatabaseAccessError,
  isForOperator,
  isNoSpace,
  isStoreDamaged,
  isStoreUnavailable,
} from '../store/sql/database-error.ts';

/** Returns the error response with its headers. `requestId` has the form req_<id>; `integrity` is the archive's, 0 to 1. */
export function errorResponse(error: ApiError, requestId: string, integrity: number): ServiceResponse {
  const body = JSON.stringify({
    error: { code: error.code, message: error.message, request_id: requestId, integrity },
  });
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      [HEADERS.requestId]: requestId,
      [HEADERS.integrity]: String(integrity),
      ...error.headers,
    },
    body,
  };
}

/** Returns a unique id for one request, from 12 random bytes. */
export function newRequestId(randomBytes: (count: number) => Uint8Array): string {
  const { buffer, byteOffset, byteLength } = randomBytes(12);
  return `req_${Buffer.from(buffer, byteOffset, byteLength).toString('hex')}`;
}

/**
 * Returns any thrown value as an ApiError: a database that cannot be reached or written as `store_unavailable`, a damaged one
 * as `storage_damaged`, everything else as `internal`, without its cause, which could hold data.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof NewerSchema) return needsOperator();
  if (error instanceof DatabaseAccessError && isForOperator(error)) return needsOperator();
  if (isStoreUnavailable(error)) {
    const text = isNoSpace(error)
      ? 'the archive cannot be written: no space is left for it'
      : 'the archive cannot be reached now, try again';
    return new ApiError('store_unavailable', text, { 'retry-after': '1' });
  }
  if (isStoreDamaged(error)) return storageDamaged();
  return new ApiError('internal', 'the service failed; the request id names this failure');
}

/** Returns the error for an archive that is not served before its operator repairs something. It does not say when to try again. */
export function needsOperator(): ApiError {
  return new ApiError('store_unavailable', 'the archive cannot be served; the log of the service says why');
}
