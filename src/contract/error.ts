// The error body, and the HTTP status of every error code (interface 7).
import * as z from 'zod';
import { OptionalIntegrity, OptionalText, Text } from './scalars.ts';

/** The body of every error response (interface 7). */
export const ErrorBody = z.looseObject({
  error: z.looseObject({
    code: Text,
    message: Text,
    request_id: OptionalText,
    integrity: OptionalIntegrity,
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

/** The message of our service for every unknown path, so that nobody learns which archives there are. */
export const NO_ROUTE = 'nothing is served under this path';

/** The message of the address of files for a path that is none of a file. */
export const ONLY_FILES = 'this is the address of the files, not that of the archive';

/**
 * HTTP status of every error code that our service sends. The interface shows only observer_not_permitted, without a status, and
 * sequence_conflict with 409; the rest is our choice (interface 7).
 */
export const ERROR_STATUS = {
  request_invalid: 400,
  limit_out_of_range: 400,
  cursor_invalid: 400,
  event_invalid: 400,
  event_type_unknown: 400,
  token_invalid: 401,
  token_expired: 401,
  signature_invalid: 401,
  observer_not_permitted: 403,
  scope_missing: 403,
  asset_redacted: 403,
  asset_forbidden: 403,
  not_found: 404,
  cursor_not_found: 404,
  method_not_allowed: 405,
  sequence_conflict: 409,
  event_conflict: 409,
  payload_too_large: 413,
  media_type_unsupported: 415,
  range_not_satisfiable: 416,
  expectation_failed: 417,
  rate_limited: 429,
  header_too_large: 431,
  internal: 500,
  asset_damaged: 500,
  message_damaged: 500,
  storage_damaged: 500,
  store_unavailable: 503,
  read_only: 503,
} as const;
/** A code of the error body (interface 7). */
export type ErrorCode = keyof typeof ERROR_STATUS;
