// The account of one request: what is known of it while it goes on, told once when its answer is over.
import type { IncomingMessage } from 'node:http';
import type { ServiceResponse } from '../../contract/exchange.ts';
import { HEADERS } from '../../contract/routes.ts';
import type { Answered, PortWatch } from './port-observer.ts';
import { plainAddress } from './peer.ts';

export const UNWATCHED: PortWatch = {
  monotonic: () => 0,
  connected() {},
  disconnected() {},
  turnedAway() {},
  began() {},
  answered() {},
};

/** What is known of a request before anything is. */
const UNKNOWN: Answered = {
  requestId: '',
  method: '',
  route: undefined,
  status: 0,
  ms: 0,
  bytes: 0,
  address: '',
  tier: undefined,
  cut: false,
};

export type Account = {
  address: string;
  /** Notes what the answer says of itself. */
  tell(response: ServiceResponse): void;
  /** The same response, whose stream is counted as it leaves. */
  counted(response: ServiceResponse): ServiceResponse;
  /** Tells it; `isWhole` where all of the answer was handed to the system. */
  over(isWhole: boolean): void;
};

export function accountOf(incoming: IncomingMessage, watch: PortWatch): Account {
  const begun = watch.monotonic();
  watch.began();
  const answered: Answered = { ...UNKNOWN, method: incoming.method ?? '' };
  const account: Account = {
    address: plainAddress(incoming.socket.remoteAddress ?? 'unknown'),
    tell({ status, headers, body, logContext: about }) {
      answered.requestId = headers[HEADERS.requestId] ?? '';
      answered.status = status;
      answered.route = about?.route as Answered['route'];
      answered.tier = about?.tier as Answered['tier'];
      if (typeof body === 'string' || body instanceof Uint8Array) answered.bytes = Buffer.byteLength(body);
    },
    counted(response) {
      const { body } = response;
      if (watch === UNWATCHED || typeof body === 'string' || body instanceof Uint8Array) return response;
      const stream = async function* () {
        for await (const chunk of body) {
          answered.bytes += chunk.byteLength;
          yield chunk;
        }
      };
      return { ...response, body: stream() };
    },
    over(isWhole) {
      answered.ms = watch.monotonic() - begun;
      answered.address = account.address;
      answered.cut = !isWhole;
      watch.answered(answered);
    },
  };
  return account;
}

/** What was no request of HTTP, and was answered all the same. */
export function refusedByParser(
  watch: PortWatch,
  { requestId, status, address }: Pick<Answered, 'requestId' | 'status' | 'address'>,
): void {
  watch.began();
  watch.answered({ ...UNKNOWN, requestId, status, address: plainAddress(address) });
}
