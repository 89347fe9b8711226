// A time limit for requests to the database and the disk whose caller must answer soon.
import { ApiError } from '../rules/api-error.ts';

const STORE_TIMEOUT_MS = 2_000;

/** Returns the result of `work`. Throws ApiError `store_unavailable` after {@link STORE_TIMEOUT_MS}. */
export function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(
        new ApiError('store_unavailable', 'the archive does not answer in time', { 'retry-after': '1' }),
      );
    AbortSignal.timeout(STORE_TIMEOUT_MS).addEventListener('abort', fail, { once: true });
    work.then(resolve, reject);
  });
}
