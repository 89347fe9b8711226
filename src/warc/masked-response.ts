// Masks the secrets in an API response. Without a secret the bytes are recorded as received.
import { decodeBody } from '../client/content-encoding.ts';
import { MAX_RESPONSE_BYTES } from '../contract/scalars.ts';
import { headerValue, type Header } from './http-head.ts';
import type { SecretMasker } from './masking.ts';
import { maskFileUrlsInJson, maskTokenFields } from './masked-urls.ts';

/** `isCut`: the body ended too early. */
export type ReceivedResponse = { headers: Header[]; body: Buffer; isCut: boolean };
/** `notes` say what differs from the response as received. */
export type MaskedResponse = { headers: Header[]; body: Buffer; notes: string[] };

/**
 * Returns the response to record. A compressed body is decompressed only when it holds a secret; one that cannot be
 * decompressed is left out. `isToken`: it answers a token request (interface 4.1). Its token is a secret from now on.
 */
export async function maskResponse(
  response: ReceivedResponse,
  masker: SecretMasker,
  isToken: boolean,
): Promise<MaskedResponse> {
  const encoding = headerValue(response.headers, 'content-encoding');
  if (encoding === undefined) return maskBody(response, masker, isToken);
  const headers = response.headers.filter(([name]) => !/^content-(encoding|length)$/i.test(name));
  const decoded = response.isCut
    ? undefined
    : await decodeBody(response.body, encoding, MAX_RESPONSE_BYTES).catch(() => undefined);
  if (decoded === undefined) {
    const note = `body left out: its content-encoding ${encoding} cannot be read to the end, so nothing could be removed from it`;
    return { headers, body: Buffer.alloc(0), notes: [note] };
  }
  const masked = maskBody({ ...response, headers, body: Buffer.from(decoded) }, masker, isToken);
  if (masked.notes.length === 0) return maskBody(response, masker, isToken);
  return { ...masked, notes: [...masked.notes, `content-encoding ${encoding} removed`] };
}

function maskBody(
  { headers, body }: ReceivedResponse,
  masker: SecretMasker,
  isToken: boolean,
): MaskedResponse {
  const text = body.toString('latin1');
  if (isToken) for (const token of tokensIn(body)) masker.add(token);
  const withoutUrls = maskFileUrlsInJson(text);
  const withoutTokens = isToken ? maskTokenFields(withoutUrls) : withoutUrls;
  const bodyMasker = masker.body();
  const bytes = Buffer.concat([bodyMasker.push(Buffer.from(withoutTokens, 'latin1')), bodyMasker.end()]);
  const notes = [
    ...(withoutUrls === text ? [] : ['addresses of files in the body masked']),
    ...(withoutTokens === withoutUrls && !bodyMasker.isMasked() ? [] : ['token in the body masked']),
  ];
  return { headers, body: bytes, notes };
}

function tokensIn(body: Buffer): string[] {
  try {
    const { access_token: token } = JSON.parse(body.toString()) as { access_token?: unknown };
    return typeof token === 'string' ? [token] : [];
  } catch {
    return [];
  }
}
