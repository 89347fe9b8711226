// How the identity of a token is shown, without the token (interface 2.3).
import type { View } from './view.ts';
import { ID, integrityStyle } from './shared-columns.ts';

/** The token response without the token, with its origin and where it is stored. */
export type Identity = {
  origin?: string | undefined;
  profile?: string | undefined;
  client_id?: string | undefined;
  access_tier?: string | undefined;
  /** The tier that the service gave the token last, where that is another one. */
  given_tier?: string | undefined;
  requested_tier?: string | undefined;
  observer_tier?: string | undefined;
  scope?: readonly string[] | undefined;
  expires_at?: string | undefined;
  /** `expires_at`, corrected by the drift that the service reported. */
  effective_expires_at?: string | undefined;
  expired?: boolean | undefined;
  issued_by?: string | undefined;
  timeline_offset_ms?: number | undefined;
  session_drift_ms?: number | undefined;
  source_integrity?: number | undefined;
  stored_in?: string | null | undefined;
};

/** A token that `logout --all` deletes, or would delete. */
export const forgottenView: View<{ origin: string; profile: string; forgotten: boolean }> = {
  columns: [
    { name: 'archive', of: (row) => row.origin, style: 'id' },
    { name: 'profile', of: (row) => row.profile },
    { name: 'forgotten', of: (row) => row.forgotten },
  ],
};

/** A token that an archive issued, as its operator sees it. `id` is the begin of its SHA-256. */
export type ShownToken = {
  id: string;
  client_id: string;
  access_tier: string;
  scope: readonly string[];
  issued_at: string;
  expires_at: string;
  expired: boolean;
};

/** A token that `arx tokens ls` lists. */
export const issuedTokenView: View<ShownToken> = {
  columns: [
    { name: 'id', of: (row) => row.id, ...ID },
    { name: 'client', of: (row) => row.client_id, minColumns: 10, importance: 'essential' },
    { name: 'tier', of: (row) => row.access_tier, whole: true },
    { name: 'issued', of: (row) => row.issued_at, instant: (row) => row.issued_at },
    {
      name: 'expires',
      of: (row) => row.expires_at,
      instant: (row) => row.expires_at,
      style: (row) => (row.expired ? 'dim' : undefined),
      importance: 'essential',
    },
    { name: 'expired', of: (row) => row.expired, whole: true },
  ],
};

/** A token that `arx tokens revoke` ends, or would end. */
export const revokedTokenView: View<ShownToken & { revoked: boolean }> = {
  columns: [...issuedTokenView.columns, { name: 'revoked', of: (row) => row.revoked }],
};

/** The identity of a token. */
export const identityView: View<Identity> = {
  columns: [
    { name: 'archive', of: (row) => row.origin, style: 'id' },
    { name: 'profile', of: (row) => row.profile },
    { name: 'client', of: (row) => row.client_id },
    { name: 'tier', of: (row) => row.access_tier ?? 'unknown' },
    { name: 'requested_tier', of: (row) => row.requested_tier },
    { name: 'observer_tier', of: (row) => row.observer_tier },
    { name: 'scope', of: (row) => row.scope?.join(' ') },
    {
      name: 'expires',
      of: (row) => row.effective_expires_at ?? row.expires_at,
      instant: (row) => row.effective_expires_at ?? row.expires_at,
      style: (row) => (row.expired === true ? 'bad' : undefined),
    },
    { name: 'expired', of: (row) => row.expired },
    { name: 'issued_by', of: (row) => row.issued_by },
    { name: 'timeline_offset_ms', of: (row) => row.timeline_offset_ms, align: 'right' },
    { name: 'session_drift_ms', of: (row) => row.session_drift_ms, align: 'right' },
    {
      name: 'source_integrity',
      of: (row) => row.source_integrity,
      style: (row) => integrityStyle(row.source_integrity),
    },
    { name: 'stored_in', of: (row) => row.stored_in },
  ],
};

/** The identity of a token to which the service gives another tier. */
export const loweredIdentityView: View<Identity> = {
  columns: identityView.columns.flatMap((column) =>
    column.name === 'tier'
      ? [column, { name: 'given_tier', of: (row: Identity) => row.given_tier }]
      : [column],
  ),
};
