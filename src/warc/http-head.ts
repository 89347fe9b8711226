// Formats the head of an HTTP message as bytes. No value can end a line or the head.
import { STATUS_CODES } from 'node:http';

/** A header field. `value` is Latin-1: one character per byte. */
export type Header = readonly [name: string, value: string];

/** Returns the head of a request. `methodAndTarget` is `GET /path`. */
export function requestHead(methodAndTarget: string, headers: readonly Header[]): Buffer {
  return formatHead(`${methodAndTarget} HTTP/1.1`, headers);
}

/** Returns the head of a response. Without a `reason` the standard phrase of the status is used. */
export function responseHead(status: number, reason: string | undefined, headers: readonly Header[]): Buffer {
  return formatHead(`HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status] ?? ''}`, headers);
}

/** Returns the value of the first header with a lower-case name. */
export function headerValue(headers: readonly Header[], name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

function formatHead(firstLine: string, headers: readonly Header[]): Buffer {
  const lines = headers.map(
    ([name, value]) => `${name.replaceAll(/[^\w!#$%&'*+.^`|~-]/g, '_')}: ${onOneLine(value)}\r\n`,
  );
  return Buffer.from(`${onOneLine(firstLine)}\r\n${lines.join('')}\r\n`, 'latin1');
}

/** Latin-1 keeps only the low byte of a character: U+010D would become a carriage return. */
function onOneLine(text: string): string {
  return text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, ' ');
}
