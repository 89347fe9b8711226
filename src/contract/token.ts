// What a token may see and do: tiers and scopes (interface 5).

/** Tiers of our service, lowest first (interface 5). The interface shows only `internal` and a mirror scope. */
export const TIERS = ['external', 'internal', 'mirror'] as const;
/** What a token may see: `external` sees the least, `mirror` everything (interface 5). */
export type Tier = (typeof TIERS)[number];

/** Follows the words that there is no such value, in notes of a search and in messages: rows above the tier may have it. */
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
