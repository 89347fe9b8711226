// Names of partial files: they say who writes a file, and under which ETag its bytes came.
import type { World } from '../world.ts';

/**
 * `.arx-KEY[-PID[-ETAG]].part`. PID is the process that writes it, ETAG the strong ETag in base64url. So the bytes and
 * what is known of them cannot be separated. KEY is the beginning of the file's hash if there is an ETag, else unique.
 */
export const PARTIAL_FILE = /^\.arx-([0-9a-f]{16})(?:-(\d{1,10})(?:-([\w-]{3,140}))?)?\.part$/;
const MAX_ETAG_LENGTH = 100;
/** A weak ETag does not promise the same bytes (RFC 9110 13.1.5). */
const STRONG_ETAG = /^"[\x21\x23-\x7e]*"$/;

/** The offset where a download continues, and the strong ETag under which the bytes before it came. */
export type ResumePoint = { from: number; ifRange: string };

/** Returns the name of a partial file. */
export function partialFileName(key: string, pid: number, etag?: string): string {
  const tag = etag === undefined ? '' : `-${Buffer.from(etag).toString('base64url')}`;
  return `.arx-${key}-${pid}${tag}.part`;
}

/** Returns a function that makes keys: no other run makes the same, and no two calls do. */
export function createUniqueKeys(randomBytes: World['randomBytes']): () => string {
  const run = Buffer.from(randomBytes(4)).toString('hex');
  let count = 0;
  return () => run + (count++).toString(16).padStart(8, '0');
}

/** Returns the key of a resumable partial file of the file with this hash. */
export const partialKeyOf = (sha256: string): string => sha256.slice(0, 16).toLowerCase();

/** Returns the ETag if a download can be resumed under it. */
export function strongEtag(etag: string | undefined): string | undefined {
  return etag !== undefined && etag.length <= MAX_ETAG_LENGTH && STRONG_ETAG.test(etag) ? etag : undefined;
}
