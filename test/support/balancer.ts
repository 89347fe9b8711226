// A load balancer: each request goes to the next server, and to another one if that fails.
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Balancer = { url: string; close(): Promise<void> };

/**
 * `servers` are asked for at each request, so that they may come and go. Every request is tried again, as nginx does with
 * `proxy_next_upstream error non_idempotent`: the interface has none that does more when it comes twice.
 */
export async function balance(servers: () => readonly string[]): Promise<Balancer> {
  let turn = 0;
  const agent = new Agent({ keepAlive: false });
  const pass = (incoming: IncomingMessage, body: Buffer, outgoing: ServerResponse, tries: number): void => {
    turn += 1;
    const all = servers();
    const { hostname, port } = new URL(all[turn % all.length]!);
    const { method, url: path, headers } = incoming;
    const asked = request({ agent, hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    asked.on('error', () => {
      if (outgoing.headersSent || tries === 0) outgoing.destroy();
      else pass(incoming, body, outgoing, tries - 1);
    });
    asked.end(body);
  };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => pass(incoming, Buffer.concat(chunks), outgoing, 3));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
