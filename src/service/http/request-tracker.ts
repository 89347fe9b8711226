// The account of one request: what is known of it while it goes on, told once when its answer is over.
import type { IncomingMessage } from 'node:http';
import type { ServiceResponse } from '../../contract/exchange.ts';
import { HEADERS } from '../../contract/routes.ts';
import type { CompletedRequest, PortObserver } from './port-observer.ts';
import { normalizeAddress } from './peer.ts';

export const NO_OBSERVER: PortObserver = {
  monotonic: () => 0,
  connected() {},
  disconnected() {},
  rejected() {},
  requestStarted() {},
  requestCompleted() {},
};

/** What is known of a request before anything is. */
const EMPTY_REQUEST: CompletedRequest = {
  requestId: '',
  method: '',
  route: undefined,
  status: 0,
  ms: 0,
  bytes: 0,
  address: '',
  tier: undefined,
  aborted: false,
};

export type RequestTracker = {
  address: string;
  /** Notes what the answer says of itself. */
  setResponse(response: ServiceResponse): void;
  /** The same response, whose stream is counted as it leaves. */
  countBytes(response: ServiceResponse): ServiceResponse;
  /** Tells it; `isWhole` where all of the answer was handed to the system. */
  complete(isWhole: boolean): void;
};

export function trackRequest(incoming: IncomingMessage, observer: PortObserver): RequestTracker {
  const begun = observer.monotonic();
  observer.requestStarted();
  const answered: CompletedRequest = { ...EMPTY_REQUEST, method: incoming.method ?? '' };
  const account: RequestTracker = {
    address: normalizeAddress(incoming.socket.remoteAddress ?? 'unknown'),
    setResponse({ status, headers, body, logContext: about }) {
      answered.requestId = headers[HEADERS.requestId] ?? '';
      answered.status = status;
      answered.route = about?.route as CompletedRequest['route'];
      answered.tier = about?.tier as CompletedRequest['tier'];
      if (typeof body === 'string' || body instanceof Uint8Array) answered.bytes = Buffer.byteLength(body);
    },
    countBytes(response) {
      const { body } = response;
      if (observer === NO_OBSERVER || typeof body === 'string' || body instanceof Uint8Array) return response;
      const stream = async function* () {
        for await (const chunk of body) {
          answered.bytes += chunk.byteLength;
          yield chunk;
        }
      };
      return { ...response, body: stream() };
    },
    complete(isWhole) {
      answered.ms = observer.monotonic() - begun;
      answered.address = account.address;
      answered.aborted = !isWhole;
      observer.requestCompleted(answered);
    },
  };
  return account;
}

/** What was no request of HTTP, and was answered all the same. */
export function reportParserError(
  observer: PortObserver,
  { requestId, status, address }: Pick<CompletedRequest, 'requestId' | 'status' | 'address'>,
): void {
  observer.requestStarted();
  observer.requestCompleted({ ...EMPTY_REQUEST, requestId, status, address: normalizeAddress(address) });
}
