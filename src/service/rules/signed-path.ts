// Signed paths of files and messages: whoever has the path may read (interface 2.1). The form is our choice.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { TIERS, type Tier } from '../../contract/tier.ts';
import { idOf } from './identifier.ts';

/**
 * What a path permits: to read this attachment or message, with exactly these bytes, as a reader of this tier, until the end
 * of the day `lastDay` (UTC, counted from 1970-01-01).
 */
export type SignedGrant = { id: string; sha256: string; tier: Tier; lastDay: number };

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns the last day of an address that is given out now: tomorrow. So it lives as long as a token, and all responses of
 * one day have the same addresses.
 */
export function lastDayOf(now: number): number {
  return Math.floor(now / DAY_MS) + 1;
}

/** Returns whether an address with this last day has expired. */
export function isExpired(lastDay: number, now: number): boolean {
  return now >= (lastDay + 1) * DAY_MS;
}

/** The path of an address of the asset origin, in parts. Nothing in it is checked. */
export type SignedPath = { id: string; tier: Tier | undefined; lastDay: number; signature: string };

/** Returns the parts of `/<root>/<id>/<tier>/<last day>/<signature>`, undefined for any other target. */
export function parseSignedPath(root: 'files' | 'messages', target: string): SignedPath | undefined {
  const [, found, id = '', tier, lastDay, signature = ''] =
    /^\/(files|messages)\/([^/?]+)\/([^/?]+)\/(\d{1,7})\/([^/?]+)$/.exec(target) ?? [];
  if (found !== root) return undefined;
  return { id, tier: TIERS.find((known) => known === tier), lastDay: Number(lastDay), signature };
}

/** Returns the path of a file on the asset origin: `/files/<id>/<tier>/<last day>/<signature>`. */
export function filePath(key: Uint8Array, grant: SignedGrant): string {
  return `/files/${grant.id}/${grant.tier}/${grant.lastDay}/${signGrant(key, grant)}`;
}

/** Returns the path of the stored bytes of a message: `/messages/<id>/<tier>/<last day>/<signature>`. */
export function messagePath(key: Uint8Array, grant: SignedGrant): string {
  return `/messages/${grant.id}/${grant.tier}/${grant.lastDay}/${signGrant(key, grant)}`;
}

/** Returns the HMAC-SHA256 over `id|sha256|tier|last day` in base64url (43 characters). */
export function signGrant(key: Uint8Array, { id, sha256, tier, lastDay }: SignedGrant): string {
  return createHmac('sha256', key).update(`${id}|${sha256}|${tier}|${lastDay}`).digest('base64url');
}

/** Returns whether the signature belongs to the grant. Compares in constant time. */
export function isSignatureValid(key: Uint8Array, grant: SignedGrant, signature: string): boolean {
  const given = Buffer.from(signature);
  const right = Buffer.from(signGrant(key, grant));
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Signatures that are cached for each tier: about 15 MB. */
const MAX_CACHED_PATHS = 50_000;

/** Returns the path of attachment `n` for a reader of this tier, as it is given out at the time `now`. */
export type FilePaths = (n: number, sha256: string, tier: Tier, now: number) => string;

/** Returns {@link filePath} with a cache: signing a page of attachments costs more than reading it. */
export function createFilePaths(key: Uint8Array, maxPaths = MAX_CACHED_PATHS): FilePaths {
  const cache = new Map(TIERS.map((tier) => [tier, new Map<number, { sha256: string; path: string }>()]));
  let cachedDay = Number.NaN;
  return (n, sha256, tier, now) => {
    const lastDay = lastDayOf(now);
    if (lastDay !== cachedDay) for (const paths of cache.values()) paths.clear();
    cachedDay = lastDay;
    const ofTier = cache.get(tier)!;
    const cached = ofTier.get(n);
    if (cached?.sha256 === sha256) return cached.path;
    // A copy, because a substring keeps the long text in memory that it comes from.
    const own = Buffer.from(sha256).toString();
    const path = Buffer.from(filePath(key, { id: idOf('att', n), sha256: own, tier, lastDay })).toString();
    if (ofTier.size >= maxPaths) ofTier.delete(ofTier.keys().next().value!);
    ofTier.set(n, { sha256: own, path });
    return path;
  };
}
