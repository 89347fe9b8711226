// Signing of webhooks by Standard Webhooks 1.0 (our choice, interface 6): secrets, and what is signed with them.
import { createHmac } from 'node:crypto';

export const SIGNATURE_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

/** The one version of signature that is known: HMAC-SHA256 in base64. */
export const SIGNATURE_VERSION = 'v1';

/** Seconds that a timestamp may differ from the receiver's clock, before and after. */
export const SIGNATURE_TOLERANCE_S = 300;

/** Most secrets of one file: each costs a hash of every body. */
export const MAX_SECRETS = 16;

/**
 * Secrets from the text of a file, one `whsec_<base64 of 24 to 64 bytes>` a line; empty lines and those that begin with
 * `#` are passed over. A string says what is wrong, with the line and nothing of the secret.
 */
export function parseSecrets(text: string): Uint8Array[] | string {
  const secrets: Uint8Array[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(line.trim())?.[1];
    const secret = Buffer.from(base64 ?? '', 'base64');
    if (base64 === undefined || secret.length < 24 || secret.length > 64) {
      return `line ${index + 1} is no secret: whsec_ and 24 to 64 bytes in base64`;
    }
    secrets.push(secret);
  }
  if (secrets.length === 0) return 'there is no secret in it';
  return secrets.length > MAX_SECRETS ? `it has more than ${MAX_SECRETS} secrets` : secrets;
}

/** The 32 bytes that sign this body under this id at this time, in seconds since the epoch. */
export function sign(secret: Uint8Array, id: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
}

/** The three headers of a request, signed with each of the secrets; `now` in milliseconds since the epoch. */
export function signatureHeaders(
  secrets: readonly Uint8Array[],
  id: string,
  body: Uint8Array,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map(
    (secret) => `${SIGNATURE_VERSION},${sign(secret, id, timestamp, body).toString('base64')}`,
  );
  return {
    [SIGNATURE_HEADERS.id]: id,
    [SIGNATURE_HEADERS.timestamp]: timestamp,
    [SIGNATURE_HEADERS.signature]: signatures.join(' '),
  };
}
