// A server on a loopback port that answers with exactly the bytes that a test gives.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export type Seen = { head: string; body: string };

/** Called once for every whole request with the socket it came on and how many came before it. */
export type Script = (socket: Socket, request: Seen, count: number) => void;

export type Misbehaving = {
  url: string;
  port: number;
  requests: Seen[];
  close(): Promise<void>;
};

export async function misbehave(script: Script, tls?: { key: string; cert: string }): Promise<Misbehaving> {
  const sockets = new Set<Socket>();
  const requests: Seen[] = [];
  const onSocket = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (;;) {
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/^content-length: *(\d+)/im.exec(received.slice(0, end))?.[1] ?? 0);
        if (received.length < end + 4 + length) return;
        const request = { head: received.slice(0, end), body: received.slice(end + 4, end + 4 + length) };
        received = received.slice(end + 4 + length);
        requests.push(request);
        script(socket, request, requests.length - 1);
      }
    });
  };
  const server: Server = tls === undefined ? createServer(onSocket) : createTlsServer(tls, onSocket);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A whole answer with a right content-length; `headers` may override what is put first. */
export function answer(
  status: number,
  body: string | Uint8Array = '',
  headers: Record<string, string> = {},
): Buffer {
  const bytes = Buffer.from(body as Uint8Array);
  const all = { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
}

/** A script that answers every request with the same bytes and may close after them. */
export function always(bytes: string | Buffer, { end = false }: { end?: boolean } = {}): Script {
  return (socket) => {
    socket.write(bytes);
    if (end) socket.end();
  };
}

/** Sends a piece again and again until the other side is gone. */
export function flood(first: string, piece: string, everyMs: number): Script {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => {
      if (socket.destroyed) clearInterval(timer);
      else socket.write(piece);
    }, everyMs);
    socket.on('close', () => clearInterval(timer));
  };
}
