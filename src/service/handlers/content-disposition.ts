// How a file of unknown origin is labelled, so that no browser runs it: its content type and its name (RFC 6266, RFC 8187).

/** Types a browser may run or render as a page of this origin. */
const ACTIVE = /^multipart|\b(x?html|xml|xslt?|svg|css|shockwave|(java|ecma|live|j|vb)script)\b/;
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** The declared type where it is well-formed and inert, else application/octet-stream. */
export function servedType(declared: string): string {
  const type = declared.toLowerCase();
  return MEDIA_TYPE.test(type) && !ACTIVE.test(type) ? type : 'application/octet-stream';
}

/** Longest name in a header, in code points; the catalogue has the whole one. */
const MAX_NAME_CHARS = 200;

/** `attachment` with the name twice: ASCII for old readers, UTF-8 percent-encoded for the rest. Never a control or path mark. */
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
