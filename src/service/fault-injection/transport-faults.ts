// Applies transport faults: requests that fail, and response bodies that are cut or slow.
import type { ServiceResponse } from '../../contract/exchange.ts';
import type { TransportFault } from '../../contract/injected-faults.ts';
import { ConnectionReset } from '../handlers/fault-plan.ts';
import { ApiError } from '../rules/api-error.ts';
import { randomInteger, type Random } from './seeded-random.ts';
import type { DrawnTransportFault, TransportFaultOptions } from './transport-fault-sampling.ts';

/** How long a slow body takes, and in how many chunks it is sent. */
const SLOW_BODY_MS = 400;
const SLOW_BODY_CHUNKS = 4;

/** Throws ApiError `rate_limited` or `store_unavailable`, or {@link ConnectionReset}, where the fault asks for it. */
export function failBeforeResponse(fault: TransportFault | undefined): void {
  if (fault === '429') {
    throw new ApiError('rate_limited', 'too many requests, wait 1 s', { 'retry-after': '1' });
  }
  if (fault === '503') throw new ApiError('store_unavailable', 'the service cannot answer now, try again');
  if (fault === 'reset') throw new ConnectionReset();
}

/** Returns the response with a body that is sent slowly, or cut, where the fault asks for it. */
export function transformResponse(
  response: ServiceResponse & { body: string | Uint8Array },
  drawn: DrawnTransportFault | undefined,
  { sleep }: Pick<TransportFaultOptions, 'sleep'>,
): ServiceResponse {
  const bytes = typeof response.body === 'string' ? Buffer.from(response.body) : response.body;
  const fault = drawn?.fault;
  if (fault === 'cut-json') return withCutText(response, bytes, drawn!.random);
  if (fault === 'cut') return { ...response, body: firstHalf(bytes, sleep) };
  if (fault === 'slow') return { ...response, body: slowChunks(bytes, sleep) };
  return response;
}

/** Returns the response with the beginning of its body, in the framing of a whole one: a length or chunks. */
function withCutText(response: ServiceResponse, bytes: Uint8Array, random: Random): ServiceResponse {
  const start = bytes.subarray(0, randomInteger(random, 1, Math.max(bytes.length - 1, 1)));
  const { 'content-length': _, ...headers } = response.headers;
  if (random() < 0.5) return { ...response, body: chunks([start]), headers };
  return { ...response, body: start, headers: { ...headers, 'content-length': String(start.length) } };
}

async function* chunks(parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

async function* firstHalf(
  bytes: Uint8Array,
  sleep: TransportFaultOptions['sleep'],
): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, bytes.length / 2);
  // The written bytes should be sent before the connection is reset.
  await sleep(1);
  throw new ConnectionReset();
}

async function* slowChunks(
  bytes: Uint8Array,
  sleep: TransportFaultOptions['sleep'],
): AsyncGenerator<Uint8Array> {
  const size = Math.max(Math.ceil(bytes.length / SLOW_BODY_CHUNKS), 1);
  for (let at = 0; at < bytes.length; at += size) {
    await sleep(SLOW_BODY_MS / SLOW_BODY_CHUNKS);
    yield bytes.subarray(at, at + size);
  }
}
