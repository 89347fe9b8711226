// Tiers and scopes: who may ask for what, and which rows a tier sees (interface 5; the order of tiers is our choice).
import { TIERS, type Scope, type Tier, type TokenRequest } from '../../contract/token.ts';
import { ApiError } from './api-error.ts';

const SCOPES_OF: Record<Tier, readonly Scope[]> = {
  external: ['read:messages', 'read:attachments'],
  internal: ['read:messages', 'read:attachments', 'read:sequence'],
  mirror: ['read:messages', 'read:attachments', 'read:sequence', 'read:mirror'],
};

/** A token lives one hour (our choice, interface 8). */
export const TOKEN_LIFETIME_MS = 60 * 60 * 1000;

export type Grant = { tier: Tier; scope: readonly Scope[] };

/**
 * What a token request obtains: the requested tier with its scopes. Throws `request_invalid` for a tier that does not
 * exist and `observer_not_permitted` where the observer's tier, or the ceiling of this service, is lower (interface 4.1).
 */
export function grantTier(request: TokenRequest, ceiling: Tier): Grant {
  const observer = tierNamed('observer_tier', request.observer_tier);
  const tier = tierNamed('requested_tier', request.requested_tier);
  if (!mayRead(observer, tier)) {
    throw new ApiError(
      'observer_not_permitted',
      `observer tier ${observer} does not allow the ${tier} scope`,
    );
  }
  if (!mayRead(ceiling, tier)) {
    throw new ApiError('observer_not_permitted', `this service gives no scope above tier ${ceiling}`);
  }
  return { tier, scope: SCOPES_OF[tier] };
}

/** Whether a reader of this tier sees rows of that one. */
export function mayRead(reader: Tier, row: Tier): boolean {
  return TIERS.indexOf(row) <= TIERS.indexOf(reader);
}

/** The tiers whose rows this reader sees. */
export function tiersUpTo(reader: Tier): readonly Tier[] {
  return TIERS.slice(0, TIERS.indexOf(reader) + 1);
}

/** The tiers whose rows are withheld from this reader. */
export function tiersAbove(reader: Tier): readonly Tier[] {
  return TIERS.slice(TIERS.indexOf(reader) + 1);
}

function tierNamed(field: string, name: string): Tier {
  const tier = TIERS.find((known) => known === name);
  if (tier === undefined) {
    throw new ApiError('request_invalid', `${field}: must be one of ${TIERS.join(', ')}`);
  }
  return tier;
}
