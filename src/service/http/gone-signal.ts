// Whether the client of a connection still waits for its responses.
import type { Socket } from 'node:net';
import { ApiError } from '../rules/api-error.ts';

/**
 * How long a client is waited for that closed its side of the connection. Almost always it has gone, and the system sends nothing that
 * tells it from one that waits for a response.
 */
const HALF_CLOSED_MS = 1_000;

const SIGNALS = new WeakMap<Socket, AbortSignal>();

/** Returns the signal of a connection: it is aborted, with the error to answer, when its client has gone. */
export function goneSignal(socket: Socket): AbortSignal {
  const known = SIGNALS.get(socket);
  if (known !== undefined) return known;
  const gone = new AbortController();
  SIGNALS.set(socket, gone.signal);
  const end = (): void =>
    gone.abort(new ApiError('store_unavailable', 'the connection was closed before this was answered'));
  const endSoon = (): void =>
    AbortSignal.timeout(HALF_CLOSED_MS).addEventListener('abort', end, { once: true });
  if (socket.destroyed) end();
  else if (socket.readableEnded) endSoon();
  socket.once('end', endSoon);
  socket.once('close', end);
  return gone.signal;
}
