// Signed paths of files and messages: whoever has the path may read (interface 2.1). The form is our choice.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { TIERS, type Tier } from '../../contract/token.ts';
import { idOf } from './identifier.ts';

/** What a path permits: to read this attachment or message, with exactly these bytes, as a reader of this tier. */
export type SignedGrant = { id: string; sha256: string; tier: Tier };

/** Returns the path of a file on the asset origin: `/files/<id>/<tier>/<signature>`. */
export function filePath(key: Uint8Array, grant: SignedGrant): string {
  return `/files/${grant.id}/${grant.tier}/${signGrant(key, grant)}`;
}

/** Returns the path of the stored bytes of a message: `/messages/<id>/<tier>/<signature>`. */
export function messagePath(key: Uint8Array, grant: SignedGrant): string {
  return `/messages/${grant.id}/${grant.tier}/${signGrant(key, grant)}`;
}

/** Returns the HMAC-SHA256 over `id|sha256|tier` in base64url (43 characters). */
export function signGrant(key: Uint8Array, { id, sha256, tier }: SignedGrant): string {
  return createHmac('sha256', key).update(`${id}|${sha256}|${tier}`).digest('base64url');
}

/** Returns whether the signature belongs to the grant. Compares in constant time. */
export function isSignatureValid(key: Uint8Array, grant: SignedGrant, signature: string): boolean {
  const given = Buffer.from(signature);
  const right = Buffer.from(signGrant(key, grant));
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Signatures that are cached for each tier: about 15 MB. */
const MAX_CACHED_PATHS = 50_000;

/** Returns the path of attachment `n` for a reader of this tier. */
export type FilePaths = (n: number, sha256: string, tier: Tier) => string;

/** Returns {@link filePath} with a cache: signing a page of attachments costs more than reading it. */
export function createFilePaths(key: Uint8Array, maxPaths = MAX_CACHED_PATHS): FilePaths {
  const cache = new Map(TIERS.map((tier) => [tier, new Map<number, { sha256: string; path: string }>()]));
  return (n, sha256, tier) => {
    const ofTier = cache.get(tier)!;
    const cached = ofTier.get(n);
    if (cached?.sha256 === sha256) return cached.path;
    // A copy, because a substring keeps the long text in memory that it comes from.
    const own = Buffer.from(sha256).toString();
    const path = Buffer.from(filePath(key, { id: idOf('att', n), sha256: own, tier })).toString();
    if (ofTier.size >= maxPaths) ofTier.delete(ofTier.keys().next().value!);
    ofTier.set(n, { sha256: own, path });
    return path;
  };
}
