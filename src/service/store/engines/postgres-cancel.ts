// Ends a statement of PostgreSQL in the middle, for one who does not wait for it any more.
import type { Socket } from 'node:net';
import pg from 'pg';

/** How long the server may take to receive it. */
const TIMEOUT_MS = 5_000;

/** What the types of the client leave out. */
type Session = {
  host: string;
  port: number;
  ssl: boolean | object;
  sslNegotiation: 'postgres' | 'direct';
  processID: number;
  secretKey: number;
};
type Wire = pg.Connection & {
  stream: Socket;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
};

/**
 * Asks the server to end the statement that a connection runs, over a connection of its own as the protocol wants it. The key of the
 * session is sent with it, so no other session is met, wherever a balancer sends it. Without an answer the statement goes on.
 */
export function cancelStatement(client: pg.ClientBase): void {
  const session = client as unknown as Session;
  const { host, port, ssl, sslNegotiation } = session;
  const wire = new pg.Connection({ ssl, sslNegotiation } as object) as Wire;
  const send = (): void => wire.cancel(session.processID, session.secretKey);
  wire.on('error', () => {});
  wire.on('connect', () => {
    if (ssl === false) send();
    else if (sslNegotiation !== 'direct') wire.requestSsl();
  });
  wire.on('sslconnect', send);
  AbortSignal.timeout(TIMEOUT_MS).addEventListener('abort', () => wire.stream.destroy(), { once: true });
  if (host.startsWith('/')) wire.connect(`${host}/.s.PGSQL.${port}`);
  else wire.connect(port, host);
}
