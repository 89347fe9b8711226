// Signs events for a service that checks signatures.
import { createHash } from 'node:crypto';
import { signatureHeaders } from '../contract/signature.ts';
import type { ApiCall } from './api-call.ts';

/** Returns how a call with an event proves who sends it. A service that checks signatures needs no token with them. */
export function signing(
  id: string,
  secrets: readonly Uint8Array[] | undefined,
  now: () => number,
): Pick<ApiCall, 'withToken' | 'sign'> {
  if (secrets === undefined) return { withToken: true };
  return {
    withToken: 'if any',
    sign: (body) => signatureHeaders(secrets, webhookIdOf(id), body, now()),
  };
}

/** The id as a header may hold it: itself, else its hash. */
function webhookIdOf(id: string): string {
  return /^[\x21-\x7e]{1,256}$/.test(id) ? id : `sha256-${createHash('sha256').update(id).digest('hex')}`;
}
