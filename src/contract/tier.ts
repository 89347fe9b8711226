// The tiers of readers and the scopes of tokens (interface 5). `access-token.ts` has the token itself.

/** Tiers of our service, lowest first (interface 5). The interface shows only `internal` and a mirror scope. */
export const TIERS = ['external', 'internal', 'mirror'] as const;
/** What a token may see: `external` sees the least, `mirror` everything (interface 5). */
export type Tier = (typeof TIERS)[number];

/** Added to messages and notes such as `no city "nowhere"`, because rows above the reader's tier may have the value. */
export const IN_READABLE = ' in what you may read';

/** Scopes of our service (interface 5). */
export const SCOPES = [
  'read:messages',
  'read:attachments',
  'read:sequence',
  'write:events',
  'read:mirror',
] as const;
/** A right of a token (interface 5). */
export type Scope = (typeof SCOPES)[number];
