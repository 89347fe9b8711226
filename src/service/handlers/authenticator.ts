// Who is asking: exactly one bearer token, known, not expired, with the scope of the route (interface 5).
import { singleHeader, type ServiceRequest } from '../../contract/exchange.ts';
import type { Scope } from '../../contract/token.ts';
import type { Archive } from '../store/archive.ts';
import { ApiError } from '../rules/api-error.ts';
import type { Limiter } from '../rules/limiter.ts';
import { signatureFault } from '../rules/signature.ts';
import type { Bearer, Bearers } from '../store/tokens.ts';

/** Without a token a request reads as the lowest tier and holds no scope. */
export const ANONYMOUS: Bearer = { tier: 'external', scope: [], expires_ms: Infinity };

/** `guesses` counts the requests of a peer without a valid token. */
export type Authenticator = { archive: Archive; bearers: Bearers; guesses: Limiter };

/**
 * The bearer of a request for a route that needs this scope (null: none needed). Throws `token_invalid` in the same
 * words whatever is wrong, `rate_limited` where a peer keeps guessing, `token_expired`, `scope_missing`.
 */
export async function authenticate(
  { archive, bearers, guesses }: Authenticator,
  request: ServiceRequest,
  scope: Scope | null,
): Promise<Bearer> {
  if (scope === null) return ANONYMOUS;
  const token = tokenOf(request);
  const bearer = token === undefined ? undefined : await bearers(token);
  if (bearer === undefined) throw await refused(request, guesses, archive.now());
  if (bearer.expires_ms <= archive.now()) {
    throw new ApiError('token_expired', `the token expired at ${new Date(bearer.expires_ms).toISOString()}`, {
      'www-authenticate': 'Bearer error="invalid_token"',
    });
  }
  if (!bearer.scope.includes(scope)) throw scopeMissing(scope);
  return bearer;
}

/** What a signed request may do: take in events, and nothing else. */
const SIGNER: Bearer = { tier: 'external', scope: ['read:sequence'], expires_ms: Infinity };

/**
 * The bearer of a request that must be signed with one of these secrets; a token is neither needed nor looked at.
 * Throws `signature_invalid`, `rate_limited` where a peer keeps guessing.
 */
export async function authenticateSigned(
  archive: Archive,
  request: ServiceRequest,
  secrets: readonly Uint8Array[],
  guesses: Limiter,
): Promise<Bearer> {
  const fault = signatureFault(request, secrets, archive.now());
  if (fault === undefined) return SIGNER;
  throw await refused(request, guesses, archive.now(), new ApiError('signature_invalid', fault));
}

export function scopeMissing(scope: Scope): ApiError {
  return new ApiError('scope_missing', `the token lacks the scope ${scope}`, {
    'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
  });
}

/** The token of the one Authorization header; a second header makes both void. The scheme may be of any case (RFC 9110 11.1). */
function tokenOf({ headers }: ServiceRequest): string | undefined {
  const given = singleHeader(headers, 'authorization');
  return given === undefined ? undefined : /^bearer +([\x21-\x7e]{1,8192})$/i.exec(given)?.[1];
}

async function refused(
  { peer }: ServiceRequest,
  guesses: Limiter,
  now: number,
  refusal = new ApiError('token_invalid', 'this needs a valid bearer token', {
    'www-authenticate': 'Bearer',
  }),
): Promise<ApiError> {
  // In-process there is nobody to guess against but oneself.
  const wait = peer === 'local' ? 0 : await guesses.take(peer, now);
  if (wait > 0) {
    return new ApiError(
      'rate_limited',
      `too many requests without a valid token or signature, wait ${wait} s`,
      {
        'retry-after': String(wait),
      },
    );
  }
  return refusal;
}
