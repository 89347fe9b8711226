// Load on the ingest endpoint: each connection sends the next request when the last one is answered.
import { connect, type Socket } from 'node:net';

export type Load = {
  url: string;
  token: string;
  connections: number;
  /** The next body to send; undefined ends the connection. */
  next(): { body: string; ids: readonly string[] } | undefined;
  /** Called for each answer. */
  answered(status: number, ids: readonly string[], body: string): void;
  contentType?: string;
};

/** Resolves when every connection has ended: nothing more to send, or the service gone in the middle of a request. */
export async function load(options: Load): Promise<void> {
  await Promise.all(Array.from({ length: options.connections }, () => one(options)));
}

function one({ url, token, next, answered, contentType = 'application/json' }: Load): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const head = `POST /api/webhooks/ingest HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: ${contentType}\r\ncontent-length: `;
    let ids: readonly string[] = [];
    let buffer = '';
    const send = (): void => {
      const request = next();
      if (request === undefined) {
        socket.end();
        return;
      }
      ids = request.ids;
      socket.write(`${head}${Buffer.byteLength(request.body)}\r\n\r\n${request.body}`);
    };
    socket.setEncoding('latin1');
    socket.on('connect', send);
    socket.on('data', (chunk: string) => {
      buffer += chunk;
      const at = buffer.indexOf('\r\n\r\n');
      if (at < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(buffer.slice(0, at))?.[1] ?? 0);
      if (buffer.length < at + 4 + length) return;
      const body = buffer.slice(at + 4, at + 4 + length);
      const status = Number(buffer.slice(9, 12));
      const isLast = /\r\nconnection: close/i.test(buffer.slice(0, at));
      buffer = '';
      answered(status, ids, body);
      if (isLast) socket.end();
      else send();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}
