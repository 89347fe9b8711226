// Token request and response, tiers and scopes (interface 2.3, 4.1, 5).
import * as z from 'zod';
import { Instant, Integrity } from './scalars.ts';

export const TokenRequest = z.object({
  client_id: z.string().min(1).max(200),
  observer_tier: z.string().min(1).max(64),
  requested_tier: z.string().min(1).max(64),
});
export type TokenRequest = z.infer<typeof TokenRequest>;

/** A token travels in a header: visible ASCII without spaces, so that it can inject nothing (RFC 6750 2.1). */
const AccessToken = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces');

export const Token = z.looseObject({
  access_token: AccessToken,
  expires_at: Instant,
  scope: z.array(z.string()),
  access_tier: z.string(),
  issued_by: z.string(),
  timeline_offset_ms: z.number().int(),
  session_drift_ms: z.number().int(),
  source_integrity: Integrity,
});
export type Token = z.infer<typeof Token>;

/** Our service's tiers, lowest first (the interface shows only `internal` and a mirror scope; the rest is our choice). */
export const TIERS = ['external', 'internal', 'mirror'] as const;
export type Tier = (typeof TIERS)[number];

export const SCOPES = ['read:messages', 'read:attachments', 'read:sequence', 'read:mirror'] as const;
export type Scope = (typeof SCOPES)[number];
