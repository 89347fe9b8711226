// POST /api/auth/token: a bearer token for a tier the observer may have (interface 2.3, 4.1).
import { firstHeader } from '../../contract/exchange.ts';
import { TokenRequest, type Token } from '../../contract/token.ts';
import { ApiError } from '../rules/api-error.ts';
import { isSameOrigin } from '../rules/host-header.ts';
import { validationMessage } from '../rules/validation-message.ts';
import { grantTier } from '../rules/tiers.ts';
import { issueToken } from '../store/tokens.ts';
import { readJson } from './body.ts';
import { ok, type Call, type Reply } from './call.ts';

/**
 * Needs no credentials (our choice), so no page of another origin may ask, and a peer gets only so many a minute
 * (`rate_limited`); in-process there is nobody to hold back. Fields beyond the three of the interface are ignored.
 */
export async function token(call: Call): Promise<Reply> {
  const { archive, options, request, summary, tokenLimiter } = call;
  const origin = firstHeader(request.headers, 'origin');
  if (origin !== undefined && !isSameOrigin(origin, firstHeader(request.headers, 'host'))) {
    throw new ApiError('request_invalid', 'origin: pages of other sites are given no token');
  }
  const parsed = TokenRequest.safeParse(readJson(request, 'request_invalid'));
  if (!parsed.success) throw new ApiError('request_invalid', validationMessage(parsed.error));
  if (/\p{C}/u.test(parsed.data.client_id)) {
    throw new ApiError('request_invalid', 'client_id: must not hold control characters');
  }
  const granted = grantTier(parsed.data, options.maxTier ?? 'mirror');
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
    source_integrity: summary.integrity,
  };
  return ok(body);
}
