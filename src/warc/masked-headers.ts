// Masks the header fields that grant access, in a request or a response.
import type { TransportReply } from '../client/transport.ts';
import type { Header } from './http-head.ts';
import { asterisks, type SecretMasker } from './masking.ts';
import { maskFileUrl, maskUrl, maskUserInformation } from './masked-urls.ts';

/** Fields whose value is a credential, or is called one by its name. A challenge (`WWW-Authenticate`) is none. */
const CREDENTIAL_HEADER = /^(proxy-)?authorization$|cookie|token|secret|passw|credential|api-?key|jwt/;

/** Returns the header fields with credentials, file URLs and known secrets masked. Adds a note for each such field. */
export function maskHeaders(headers: readonly Header[], masker: SecretMasker, notes: string[]): Header[] {
  return headers.map(([name, value]) => {
    const key = name.toLowerCase();
    const maskedValue = CREDENTIAL_HEADER.test(key)
      ? maskCredentials(value)
      : masker.text(maskUrls(key, value));
    const maskedName = masker.text(name);
    if (maskedValue !== value || maskedName !== name) notes.push(`${maskedName.toLowerCase()} masked`);
    return [maskedName, maskedValue];
  });
}

/** Masks what grants access in the URLs of a field: those that it is known to have, and user information anywhere. */
function maskUrls(name: string, value: string): string {
  if (/^(content-)?location$/.test(name)) return maskFileUrl(value);
  if (name === 'refresh') return maskUrl(value);
  if (name === 'link') return value.replace(/<([^<>]*)>/g, (_, url: string) => `<${maskUrl(url)}>`);
  return maskUserInformation(value);
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
