// Authenticates a request: exactly one bearer token, known, not expired, with the scope of the route (interface 5).
import { singleHeader, type ServiceRequest } from '../../contract/exchange.ts';
import { MAX_REQUEST_BYTES } from '../../contract/scalars.ts';
import type { Scope, Tier } from '../../contract/tier.ts';
import { ApiError } from '../rules/api-error.ts';
import type { RateLimiter } from '../rules/rate-limiter.ts';
import { signatureProblem } from '../rules/signature.ts';
import { lowered, mayRead } from '../rules/tiers.ts';
import type { Archive } from '../store/archive.ts';
import type { Bearer, TokenLookup } from '../store/tokens.ts';
import { wholeBody } from './body.ts';

/** The bearer of a request without a token: the lowest tier and no scope. */
export const ANONYMOUS: Bearer = { tier: 'external', scope: [], expires_ms: Infinity };

/**
 * What authentication needs. `failureLimiter` counts the requests of a peer without a valid token or signature. `ceiling` is the
 * highest tier that a token of this service can have.
 */
export type Authenticator = {
  archive: Archive;
  bearers: TokenLookup;
  failureLimiter: RateLimiter;
  ceiling: Tier;
};

/**
 * Returns the bearer of a request for a route that needs this scope (null: no token needed). Throws ApiError
 * `token_invalid` with the same text whatever is wrong, `rate_limited` after too many failures of a peer, `token_expired`,
 * `scope_missing`. `revoked` is the number of revocations of the archive. A token that is older than a lower ceiling, or was issued by another process with a higher one, gives what one
 * of the ceiling does.
 */
export async function authenticate(
  { archive, bearers, failureLimiter, ceiling }: Authenticator,
  request: ServiceRequest,
  scope: Scope | null,
  revoked: string | null,
): Promise<Bearer> {
  if (scope === null) return ANONYMOUS;
  const token = tokenOf(request);
  const issued = token === undefined ? undefined : await bearers(token, revoked);
  if (issued === undefined) throw await failed(request, failureLimiter, archive.now());
  const bearer = mayRead(ceiling, issued.tier) ? issued : { ...issued, ...lowered(issued, ceiling) };
  if (bearer.expires_ms <= archive.now()) {
    throw new ApiError('token_expired', `the token expired at ${new Date(bearer.expires_ms).toISOString()}`, {
      'www-authenticate': 'Bearer error="invalid_token"',
    });
  }
  if (!bearer.scope.includes(scope)) throw scopeMissing(scope);
  return bearer;
}

/** The bearer of a signed request: it can send events and nothing else. */
const SIGNER: Bearer = { tier: 'external', scope: ['write:events'], expires_ms: Infinity };

/**
 * Returns the bearer of a request that must be signed with one of these secrets. A token is not read. Throws ApiError
 * `signature_invalid`, and `rate_limited` after too many failures of a peer.
 */
export async function authenticateSigned(
  { archive, failureLimiter }: Pick<Authenticator, 'archive' | 'failureLimiter'>,
  request: ServiceRequest,
  secrets: readonly Uint8Array[],
): Promise<Bearer> {
  const readBody = () => wholeBody(request, MAX_REQUEST_BYTES);
  const fault = await signatureProblem(request.headers, readBody, secrets, archive.now());
  if (fault === undefined) return SIGNER;
  throw await failed(request, failureLimiter, archive.now(), new ApiError('signature_invalid', fault));
}

/** Returns the error for a token without this scope. */
export function scopeMissing(scope: Scope): ApiError {
  return new ApiError('scope_missing', `the token lacks the scope ${scope}`, {
    'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"`,
  });
}

/** Returns the token of the Authorization header. Two headers count as none. The scheme has any case (RFC 9110 11.1). */
function tokenOf({ headers }: ServiceRequest): string | undefined {
  const value = singleHeader(headers, 'authorization');
  return value === undefined ? undefined : /^bearer +([\x21-\x7e]{1,8192})$/i.exec(value)?.[1];
}

/** Counts a failed authentication and returns its error, or `rate_limited` where the peer has to wait. */
async function failed(
  { peer }: ServiceRequest,
  failureLimiter: RateLimiter,
  now: number,
  error = new ApiError('token_invalid', 'this needs a valid bearer token', { 'www-authenticate': 'Bearer' }),
): Promise<ApiError> {
  // An in-process caller has the archive already, so it has nothing to guess.
  const waitSeconds = peer === 'local' ? 0 : await failureLimiter.take(peer, now);
  if (waitSeconds === 0) return error;
  return new ApiError(
    'rate_limited',
    `too many requests without a valid token or signature, wait ${waitSeconds} s`,
    { 'retry-after': String(waitSeconds) },
  );
}
