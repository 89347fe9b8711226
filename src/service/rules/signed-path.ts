// File addresses that are themselves the permission: what is signed, and how a signature is checked (our choice, interface 2.1).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { TIERS, type Tier } from '../../contract/token.ts';
import { idOf } from './identifier.ts';

/** What one address opens: this attachment or message with exactly these bytes, as a reader of this tier. */
export type SignedGrant = { id: string; sha256: string; tier: Tier };

/** The path on the asset origin, `/files/<id>/<tier>/<signature>`; no token travels with it. */
export function filePath(key: Uint8Array, grant: SignedGrant): string {
  return `/files/${grant.id}/${grant.tier}/${signGrant(key, grant)}`;
}

/** The path of a message's stored bytes, `/messages/<id>/<tier>/<signature>`; `id` is then that of the message. */
export function messagePath(key: Uint8Array, grant: SignedGrant): string {
  return `/messages/${grant.id}/${grant.tier}/${signGrant(key, grant)}`;
}

/** HMAC-SHA256 over `id|sha256|tier` in base64url (43 characters). */
export function signGrant(key: Uint8Array, { id, sha256, tier }: SignedGrant): string {
  return createHmac('sha256', key).update(`${id}|${sha256}|${tier}`).digest('base64url');
}

/** Whether the signature opens the file, in constant time. */
export function isSignatureValid(key: Uint8Array, grant: SignedGrant, signature: string): boolean {
  const given = Buffer.from(signature);
  const right = Buffer.from(signGrant(key, grant));
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Most signatures kept in mind for each tier: some 15 MB. */
const MAX_CACHED_PATHS = 50_000;

export type FilePaths = (n: number, sha256: string, tier: Tier) => string;

/** {@link filePath} of attachments by number; to sign a page of them would cost more than to read it. */
export function createFilePaths(key: Uint8Array, most = MAX_CACHED_PATHS): FilePaths {
  const known = new Map(TIERS.map((tier) => [tier, new Map<number, { sha256: string; path: string }>()]));
  return (n, sha256, tier) => {
    const ofTier = known.get(tier)!;
    const before = ofTier.get(n);
    if (before?.sha256 === sha256) return before.path;
    // A copy: the text it may be a part of is long.
    const own = Buffer.from(sha256).toString();
    const path = Buffer.from(filePath(key, { id: idOf('att', n), sha256: own, tier })).toString();
    if (ofTier.size >= most) ofTier.delete(ofTier.keys().next().value!);
    ofTier.set(n, { sha256: own, path });
    return path;
  };
}
