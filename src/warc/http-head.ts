// The head of an HTTP message as bytes: no value can end a line or the head.
import { STATUS_CODES } from 'node:http';

export type Header = readonly [name: string, value: string];

/** `asked` is the method and what stands behind it. */
export function requestHead(asked: string, headers: readonly Header[]): Buffer {
  return head(`${asked} HTTP/1.1`, headers);
}

/** `reason` as received; without one, the usual words. */
export function responseHead(status: number, reason: string | undefined, headers: readonly Header[]): Buffer {
  return head(`HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status] ?? ''}`, headers);
}

function head(first: string, headers: readonly Header[]): Buffer {
  const lines = headers.map(
    ([name, value]) => `${name.replaceAll(/[^\w!#$%&'*+.^`|~-]/g, '_')}: ${onOneLine(value)}\r\n`,
  );
  return Buffer.from(`${onOneLine(first)}\r\n${lines.join('')}\r\n`, 'latin1');
}

/** Beyond a byte, a character would become another one: U+010D a carriage return. */
function onOneLine(text: string): string {
  return text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, ' ');
}
