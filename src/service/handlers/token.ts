// POST /api/auth/token: issues a bearer token (interface 2.3, 4.1).
import { hash, timingSafeEqual } from 'node:crypto';
import { firstHeader, singleHeader, type ServiceRequest } from '../../contract/exchange.ts';
import { OWNER_SECRET_HEADER } from '../../contract/routes.ts';
import { MAX_TOKEN_REQUEST_BYTES } from '../../contract/scalars.ts';
import { TokenRequest, type Token } from '../../contract/access-token.ts';
import type { Tier } from '../../contract/tier.ts';
import { ApiError } from '../rules/api-error.ts';
import { isSameOrigin } from '../rules/host-header.ts';
import { validationMessage } from '../../contract/validation-message.ts';
import { grantTier } from '../rules/tiers.ts';
import { issueToken } from '../store/tokens.ts';
import { readJson } from './body.ts';
import { ok, type Call, type Reply, type ServiceOptions } from './call.ts';

/**
 * Returns a token for the requested tier. No credentials are needed (our choice), except for the tiers that only the owner
 * of the service gets. So a web page of another origin gets none, and a peer gets a limited number per minute
 * (`rate_limited`); an in-process caller is not limited. Fields other than the three of the interface are ignored. Throws
 * ApiError `request_invalid`, `observer_not_permitted`.
 */
export async function token(call: Call): Promise<Reply> {
  const { archive, options, request, summaries, tokenLimiter } = call;
  const origin = firstHeader(request.headers, 'origin');
  if (origin !== undefined && !isSameOrigin(origin, firstHeader(request.headers, 'host'))) {
    throw new ApiError('request_invalid', 'origin: web pages of other origins get no token');
  }
  const asked = await readJson(request, MAX_TOKEN_REQUEST_BYTES, 'request_invalid');
  const parsed = TokenRequest.safeParse(asked);
  if (!parsed.success) throw new ApiError('request_invalid', validationMessage(parsed.error, asked));
  if (/\p{C}/u.test(parsed.data.client_id)) {
    throw new ApiError('request_invalid', 'client_id: must not hold control characters');
  }
  const granted = grantTier(parsed.data, ...ceilingFor(request, options));
  const wait = request.peer === 'local' ? 0 : await tokenLimiter.take(request.peer, archive.now());
  if (wait > 0) {
    throw new ApiError('rate_limited', `too many tokens were issued to this address, wait ${wait} s`, {
      'retry-after': String(wait),
    });
  }
  const issued = await issueToken(archive, parsed.data.client_id, granted);
  const ratio = call.driftRatio();
  const body: Token = {
    access_token: issued.token,
    expires_at: new Date(issued.expires_ms).toISOString(),
    scope: [...granted.scope],
    access_tier: granted.tier,
    issued_by: 'mirror',
    timeline_offset_ms: ratio === 0 ? 0 : -Math.round(ratio * 1000),
    session_drift_ms: Math.round(ratio * 100),
    source_integrity: summaries[granted.tier].integrity,
  };
  return ok(body);
}

/** Returns the highest tier of a request, and whose request it is. A wrong secret counts as none: `arx serve` may have been restarted since. */
function ceilingFor(
  { headers }: ServiceRequest,
  { maxTier = 'mirror', owner }: ServiceOptions,
): [Tier, ('owner' | 'other')?] {
  const secret = singleHeader(headers, OWNER_SECRET_HEADER);
  if (owner === undefined) return [maxTier];
  if (secret === undefined || !timingSafeEqual(digest(secret), digest(owner.secret)))
    return [maxTier, 'other'];
  return [owner.maxTier, 'owner'];
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
