// Tiers and scopes: which tier a token gets, and which rows a tier sees (interface 5). The order of tiers is our choice.
import type { TokenRequest } from '../../contract/access-token.ts';
import { TIERS, type Scope, type Tier } from '../../contract/tier.ts';
import { ApiError } from './api-error.ts';

const SCOPES_OF: Record<Tier, readonly Scope[]> = {
  external: ['read:messages', 'read:attachments'],
  internal: ['read:messages', 'read:attachments', 'read:sequence', 'write:events'],
  mirror: ['read:messages', 'read:attachments', 'read:sequence', 'write:events', 'read:mirror'],
};

/** What a token gets: its tier, and the scopes of that tier. */
export type Grant = { tier: Tier; scope: readonly Scope[] };

/**
 * Returns the requested tier with its scopes (interface 4.1). `ceiling` is the highest tier of this service
 * for this caller. `caller`: the owner, another one where the owner may get more, or undefined where all get the same. Throws ApiError `request_invalid` for an
 * unknown tier, `observer_not_permitted` where the observer's tier or the ceiling is lower.
 */
export function grantTier(request: TokenRequest, ceiling: Tier, caller?: 'owner' | 'other'): Grant {
  const observer = tierNamed('observer_tier', request.observer_tier);
  const tier = tierNamed('requested_tier', request.requested_tier);
  if (!mayRead(observer, tier)) {
    throw new ApiError(
      'observer_not_permitted',
      `observer tier ${observer} does not allow the ${tier} scope`,
    );
  }
  if (!mayRead(ceiling, tier)) {
    const gives =
      caller === 'owner'
        ? `gives the user who runs it no scope above tier ${ceiling}; you`
        : `gives no scope above tier ${ceiling}${caller === 'other' ? ' to others than the user who runs it' : ''}; its operator`;
    throw new ApiError(
      'observer_not_permitted',
      `this service ${gives} can start it with --max-tier ${tier}`,
    );
  }
  return { tier, scope: SCOPES_OF[tier] };
}

/** Returns what is left of a grant at a lower tier. */
export function lowered({ scope }: Grant, tier: Tier): Grant {
  return { tier, scope: scope.filter((each) => SCOPES_OF[tier].includes(each)) };
}

/** Returns whether a reader of one tier sees rows of another. */
export function mayRead(reader: Tier, row: Tier): boolean {
  return TIERS.indexOf(row) <= TIERS.indexOf(reader);
}

/** Returns the higher one of two tiers. */
export function higherTier(a: Tier, b: Tier): Tier {
  return mayRead(a, b) ? a : b;
}

/** Returns the tiers whose rows this reader sees. */
export function tiersUpTo(reader: Tier): readonly Tier[] {
  return TIERS.slice(0, TIERS.indexOf(reader) + 1);
}

/** Returns the tiers whose rows are withheld from this reader. */
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
