// Content-Type and Content-Disposition of a file of unknown origin, so that no browser runs it (RFC 6266, RFC 8187).
import { mediaTypeOf } from '../../contract/media-type.ts';

/** Types that a browser may run, or render as a page of this origin. */
const ACTIVE = /^multipart|\b(x?html|xml|xslt?|svg|css|shockwave|(java|ecma|live|j|vb)script)\b/;

/** Returns the declared type where it is well-formed and no browser runs it, else application/octet-stream. */
export function servedType(declared: string): string {
  const type = mediaTypeOf(declared);
  return type !== undefined && !ACTIVE.test(type) ? type : 'application/octet-stream';
}

/** Longest file name in the header, in code points. The catalogue has the whole name. */
const MAX_NAME_CHARS = 200;

/**
 * Returns `attachment` with the name twice: in ASCII for old clients, and percent-encoded UTF-8. The name has no control
 * character and no path separator.
 */
export function attachmentDisposition(filename: string): string {
  const points = Array.from(filename).slice(0, MAX_NAME_CHARS).join('');
  const name = points.replace(/[\p{Cc}\p{Cs}/\\]/gu, '_') || 'file';
  const ascii = name.replace(/[^\x20-\x7e]|["%;]/gu, '_');
  const encoded = Array.from(Buffer.from(name), (byte) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9!#$&+.^_`|~-]/.test(char)
      ? char
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
