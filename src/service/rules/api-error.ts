// The error that the service sends to a client: a code of the error table, which gives the HTTP status (interface 7).
import { ERROR_STATUS, type ErrorCode } from '../../contract/error.ts';

/** What a client and a command say of a database whose content cannot be that of an archive. */
export const DATABASE_DAMAGED = 'the database of this archive is damaged: arx fsck shows where';

/** `message` is sent to the client, so it holds no SQL, path or token. `headers` are added to the response (Retry-After). */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

/** Returns the error for a database whose content cannot be that of an archive. */
export function storageDamaged(): ApiError {
  return new ApiError('storage_damaged', DATABASE_DAMAGED);
}
