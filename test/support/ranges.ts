// A file of a foreign archive that is served by byte range, correctly and in wrong ways.
import type { ForeignFile } from './catalogue-server.ts';
import { answer } from './misbehaving-server.ts';

export type Ranges = {
  etag?: string;
  content: string;
  cutAfter?: number;
  only?: string;
  headers?: Record<string, string>;
};

/** A server that knows ranges; `cutAfter`: the first answer ends there; `only`: what it sends for any range. */
export function ranged({
  etag = '"v1"',
  content,
  cutAfter,
  only,
  headers = {},
}: Ranges): NonNullable<ForeignFile['script']> {
  return (socket, count, head) => {
    const from = Number(/^range: bytes=(\d+)-\r?$/im.exec(head)?.[1] ?? NaN);
    const condition = /^if-range: (.+?)\r?$/im.exec(head)?.[1];
    const tag = etag === '' ? {} : { etag };
    if (only !== undefined && !Number.isNaN(from)) socket.write(only);
    else if (Number.isNaN(from) || condition !== etag) {
      const whole = answer(200, content, tag);
      if (cutAfter === undefined || count > 0) socket.write(whole);
      else socket.end(whole.subarray(0, whole.length - content.length + cutAfter));
    } else if (from >= content.length) {
      socket.write(answer(416, '', { 'content-range': `bytes */${content.length}` }));
    } else {
      const range = `bytes ${from}-${content.length - 1}/${content.length}`;
      socket.write(answer(206, content.slice(from), { ...tag, 'content-range': range, ...headers }));
    }
  };
}
