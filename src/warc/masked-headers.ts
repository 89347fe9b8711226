// Masks the header fields that grant access, in a request or a response.
import type { TransportReply } from '../client/transport.ts';
import type { Header } from './http-head.ts';
import { OWNER_SECRET_HEADER } from '../contract/routes.ts';
import { asterisks, type SecretMasker } from './masking.ts';
import { maskFileUrl } from './masked-urls.ts';

const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  OWNER_SECRET_HEADER,
]);

/** Returns the header fields with credentials, file URLs and known secrets masked. Adds a note for each such field. */
export function maskHeaders(headers: readonly Header[], masker: SecretMasker, notes: string[]): Header[] {
  return headers.map(([name, value]) => {
    const key = name.toLowerCase();
    const maskedValue = CREDENTIAL_HEADERS.has(key)
      ? maskCredentials(value)
      : masker.text(/^(content-)?location$/.test(key) ? maskFileUrl(value) : value);
    const maskedName = masker.text(name);
    if (maskedValue !== value || maskedName !== name) notes.push(`${maskedName.toLowerCase()} masked`);
    return [maskedName, maskedValue];
  });
}

/** Keeps the name of the scheme. */
function maskCredentials(value: string): string {
  return value.replace(
    /^(bearer |basic )?(.*)$/is,
    (_, scheme: string | undefined, credentials: string) => (scheme ?? '') + asterisks(credentials),
  );
}

/**
 * Returns the header fields of a response to record, masked, and adds notes. Leaves out the transfer encoding, because
 * the body is recorded without it. `isUrlMasked`: whether the URL of the record differs from the requested one.
 */
export function maskResponseHeaders(
  reply: TransportReply,
  isUrlMasked: boolean,
  masker: SecretMasker,
  notes: string[],
): Header[] {
  const received: Header[] = reply.wire?.headers ?? Object.entries(reply.headers);
  const kept = received.filter(([name]) => name.toLowerCase() !== 'transfer-encoding');
  if (kept.length < received.length) notes.push('transfer-encoding removed');
  if (reply.wire === undefined) notes.push('answered in this process, without a socket');
  if (isUrlMasked) notes.push('address masked');
  if (reply.wire !== undefined && masker.text(reply.wire.reason) !== reply.wire.reason)
    notes.push('reason masked');
  return maskHeaders(kept, masker, notes);
}
