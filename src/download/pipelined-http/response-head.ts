// The head of a plain HTTP/1.1 answer: status, headers, a length. Anything else is not plain, and not read here.

export type ResponseHead = {
  status: number;
  /** Names in lower case; values sent twice are joined with `, `. */
  headers: Record<string, string>;
  /** Bytes of the body. */
  length: number;
  keepAlive: boolean;
};

const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;

/**
 * `text` is latin1, without the empty line at its end. Undefined for 1xx and 204, for a body whose end is not given by
 * one length, for folded or broken lines and control characters (RFC 9112 sections 2.2, 5 and 6.3).
 */
export function parseResponseHead(text: string): ResponseHead | undefined {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(STATUS_LINE.exec(first)?.[1] ?? 204);
  if (status === 204 || status === 304) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, field = '', padded = ''] = FIELD.exec(line) ?? [];
    if (field === '') return undefined;
    const name = field.toLowerCase();
    if (name === '__proto__') continue;
    const value = padded.trimEnd();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  const length = headers['content-length'] ?? '';
  if (headers['transfer-encoding'] !== undefined || !/^\d{1,15}$/.test(length)) return undefined;
  const keepAlive = !/\bclose\b/i.test(headers['connection'] ?? '') && headers['upgrade'] === undefined;
  return { status, headers, length: Number(length), keepAlive };
}
