// Webhook signatures by Standard Webhooks 1.0 (interface 6, our choice): reading secrets and signing.
import { createHmac } from 'node:crypto';

/** The three request headers of Standard Webhooks. */
export const SIGNATURE_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

/** The only signature version that is supported: HMAC-SHA256 in base64. */
export const SIGNATURE_VERSION = 'v1';

/** Largest difference in seconds between a timestamp and the receiver's clock, in either direction. */
export const SIGNATURE_TOLERANCE_S = 300;

/** Largest number of secrets in one file. Each secret costs one hash of every body. */
export const MAX_SECRETS = 16;

/**
 * Returns the secrets in a file's text: one `whsec_<base64 of 24 to 64 bytes>` a line. Skips blank lines and lines that begin with
 * `#`. Returns a string where something is wrong: it names the line and shows nothing of the secret.
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

/** Returns the 32-byte signature of a body with this event id. `timestamp` is in seconds since the epoch. */
export function sign(secret: Uint8Array, id: string, timestamp: string, body: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest();
}

/** Returns the three signature headers of a request, signed with each of the secrets. `now` is in milliseconds since the epoch. */
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
