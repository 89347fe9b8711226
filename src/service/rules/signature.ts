// Whether a request is signed as Standard Webhooks 1.0 asks: on its raw bytes, in constant time, within five minutes.
import { timingSafeEqual } from 'node:crypto';
import { singleHeader, type ServiceRequest } from '../../contract/exchange.ts';
import {
  SIGNATURE_HEADERS,
  SIGNATURE_VERSION,
  sign,
  SIGNATURE_TOLERANCE_S,
} from '../../contract/signature.ts';

/** Signatures looked at in one request: senders that rotate their keys send two. */
const MAX_SIGNATURES = 16;

/**
 * What keeps the request from being taken as signed with one of the secrets, in words for its sender; undefined where
 * nothing does. Signatures of other versions are passed over. `now` is in milliseconds since the epoch. A request that
 * comes again within its time passes again: events are taken in once by their ids.
 */
export function signatureProblem(
  { headers, body }: Pick<ServiceRequest, 'headers' | 'body'>,
  secrets: readonly Uint8Array[],
  now: number,
): string | undefined {
  const id = singleHeader(headers, SIGNATURE_HEADERS.id);
  const timestamp = singleHeader(headers, SIGNATURE_HEADERS.timestamp);
  const signature = singleHeader(headers, SIGNATURE_HEADERS.signature);
  if (id === undefined || timestamp === undefined || signature === undefined) {
    return `this needs one ${Object.values(SIGNATURE_HEADERS).join(', one ')}`;
  }
  if (!/^[\x21-\x7e]{1,256}$/.test(id)) return `${SIGNATURE_HEADERS.id}: must be 1 to 256 visible characters`;
  if (
    !/^\d{1,12}$/.test(timestamp) ||
    Math.abs(Math.floor(now / 1000) - Number(timestamp)) > SIGNATURE_TOLERANCE_S
  ) {
    return `${SIGNATURE_HEADERS.timestamp}: must be within ${SIGNATURE_TOLERANCE_S} s of the clock of this service`;
  }
  const given = signature
    .split(' ', MAX_SIGNATURES)
    .map((part) => part.split(','))
    .filter(([version, , ...more]) => version === SIGNATURE_VERSION && more.length === 0)
    .map(([, base64 = '']) => Buffer.from(base64, 'base64'));
  const expected = secrets.map((secret) => sign(secret, id, timestamp, body ?? new Uint8Array()));
  let isSigned = false;
  // All are compared, so that the time says nothing of which one fits.
  for (const right of expected) {
    for (const one of given) {
      if (one.length === right.length && timingSafeEqual(one, right)) isSigned = true;
    }
  }
  return isSigned ? undefined : `${SIGNATURE_HEADERS.signature}: no signature of this body is right`;
}
