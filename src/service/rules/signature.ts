// Verifies signed requests by Standard Webhooks 1.0: over the raw bytes, in constant time, within five minutes.
import { timingSafeEqual } from 'node:crypto';
import { singleHeader, type HeaderList } from '../../contract/exchange.ts';
import {
  SIGNATURE_HEADERS,
  SIGNATURE_VERSION,
  sign,
  SIGNATURE_TOLERANCE_S,
} from '../../contract/signature.ts';

/** Signatures that are compared per request. Senders that rotate their keys send two. */
const MAX_SIGNATURES = 16;

/**
 * Returns why a request is not correctly signed with one of the secrets, as a text for its sender; undefined where it is.
 * Signatures of other versions are ignored. `now` is in milliseconds since the epoch. A repeated request is accepted
 * again within its time: events are stored once per id. The body is read only if the headers are in order.
 */
export async function signatureProblem(
  headers: HeaderList,
  readBody: () => Promise<Uint8Array>,
  secrets: readonly Uint8Array[],
  now: number,
): Promise<string | undefined> {
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
  const body = await readBody();
  const expected = secrets.map((secret) => sign(secret, id, timestamp, body));
  let isSigned = false;
  // All are compared, so that the duration does not tell which one matches.
  for (const right of expected) {
    for (const one of given) {
      if (one.length === right.length && timingSafeEqual(one, right)) isSigned = true;
    }
  }
  return isSigned ? undefined : `${SIGNATURE_HEADERS.signature}: no signature of this body is right`;
}
