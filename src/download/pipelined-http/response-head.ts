// Parses the head of a plain HTTP/1.1 response: a status, header fields, and a body whose length is given.

/** The head of a response: status, headers, and how long the body is. */
export type ResponseHead = {
  status: number;
  /** Names in lower case; values that came several times are joined with `, `. */
  headers: Record<string, string>;
  /** Bytes of the body. */
  length: number;
  keepAlive: boolean;
};

const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;

/**
 * Returns the head; `text` is latin1, without the empty line at its end. Returns undefined for everything that is left to
 * a full HTTP client: 1xx, 204 and 304, a body without one content-length, folded or broken lines, control characters
 * (RFC 9112 sections 2.2, 5 and 6.3).
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
    const value = padded.trim();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  const length = headers['content-length'] ?? '';
  if (headers['transfer-encoding'] !== undefined || !/^\d{1,15}$/.test(length)) return undefined;
  const keepAlive = !/\bclose\b/i.test(headers['connection'] ?? '') && headers['upgrade'] === undefined;
  return { status, headers, length: Number(length), keepAlive };
}
