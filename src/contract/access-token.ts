// Token request and response (interface 2.3, 4.1).
import * as z from 'zod';
import { Instant, Integer, Integrity, Text } from './scalars.ts';

/** Request body of POST /api/auth/token (interface 4.1). */
export const TokenRequest = z.object({
  client_id: z.string().min(1).max(200),
  observer_tier: z.string().min(1).max(64),
  requested_tier: z.string().min(1).max(64),
});
export type TokenRequest = z.infer<typeof TokenRequest>;

/** Visible ASCII without spaces (RFC 6750 2.1), so that a token cannot inject another header. */
const AccessToken = z
  .string()
  .min(1)
  .max(8192)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces');

/** Reply of POST /api/auth/token (interface 2.3). */
export const Token = z.looseObject({
  access_token: AccessToken,
  expires_at: Instant,
  scope: z.array(Text),
  access_tier: Text,
  issued_by: Text,
  timeline_offset_ms: Integer,
  session_drift_ms: Integer,
  source_integrity: Integrity,
});
export type Token = z.infer<typeof Token>;

/** A token as a client reads it: a plain OAuth service gives little more than the token (RFC 6749 5.1). */
export const ReceivedToken = z.looseObject({
  ...Token.partial().shape,
  access_token: Token.shape.access_token,
});
export type ReceivedToken = z.infer<typeof ReceivedToken>;
