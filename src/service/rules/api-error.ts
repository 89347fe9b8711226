// How the service says no: a code of the error table, from which the status follows (interface 7).
import { ERROR_STATUS, type ErrorCode } from '../../contract/error.ts';

/** `message` is shown to the client: no SQL, no path, no token. `headers` join the response (e.g. retry-after). */
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
