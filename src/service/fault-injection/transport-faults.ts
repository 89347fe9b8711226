// Answers on a line that fails: refused before they are made, cut, slowed down, or never sent.
import type { ServiceResponse } from '../../contract/exchange.ts';
import { ApiError } from '../rules/api-error.ts';
import { LineCut, type LineFault, type LineOptions } from './transport-fault-sampling.ts';

/** Milliseconds over which a slow body comes, and in how many pieces. */
const SLOW_MS = 400;
const PIECES = 4;

/** Throws `rate_limited` with a retry-after, `store_unavailable`, and LineCut for a connection to be reset. */
export function refuseBy(fault: LineFault | undefined): void {
  if (fault === '429')
    throw new ApiError('rate_limited', 'too many requests, wait 1 s', { 'retry-after': '1' });
  if (fault === '503') throw new ApiError('store_unavailable', 'the service cannot answer now, try again');
  if (fault === 'reset') throw new LineCut();
}

/** The response with a body that comes slowly or, cut, half. */
export function spoil(
  response: ServiceResponse & { body: string | Uint8Array },
  fault: LineFault | undefined,
  { sleep }: Pick<LineOptions, 'sleep'>,
): ServiceResponse {
  const bytes = typeof response.body === 'string' ? Buffer.from(response.body) : response.body;
  if (fault === 'cut') return { ...response, body: half(bytes, sleep) };
  if (fault === 'slow') return { ...response, body: slowly(bytes, sleep) };
  return response;
}

async function* half(bytes: Uint8Array, sleep: LineOptions['sleep']): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, bytes.length / 2);
  // What was written shall have left before the connection goes.
  await sleep(1);
  throw new LineCut();
}

async function* slowly(bytes: Uint8Array, sleep: LineOptions['sleep']): AsyncGenerator<Uint8Array> {
  const size = Math.max(Math.ceil(bytes.length / PIECES), 1);
  for (let at = 0; at < bytes.length; at += size) {
    await sleep(SLOW_MS / PIECES);
    yield bytes.subarray(at, at + size);
  }
}
