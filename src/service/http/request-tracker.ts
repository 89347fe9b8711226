// Collects what is known of one request while it is handled, and reports it once when its response is over.
import type { IncomingMessage } from 'node:http';
import type { ServiceResponse } from '../../contract/exchange.ts';
import { HEADERS } from '../../contract/routes.ts';
import { normalizeAddress } from './peer.ts';
import type { CompletedRequest, PortObserver } from './port-observer.ts';

/** The observer of a port without access log and metrics. */
export const NO_OBSERVER: PortObserver = {
  monotonic: () => 0,
  connected() {},
  disconnected() {},
  rejected() {},
  requestStarted() {},
  requestCompleted() {},
};

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

/** Follows one request from its arrival to the end of its response. */
export type RequestTracker = {
  /** The address of the client. */
  address: string;
  /** Takes over what the response says: status, request id, route, tier, and the length of a whole body. */
  setResponse(response: ServiceResponse): void;
  /** Returns the same response; the bytes of a stream are counted as they are sent. */
  countBytes(response: ServiceResponse): ServiceResponse;
  /** Reports the request. `isWhole`: the whole response was handed to the system. */
  complete(isWhole: boolean): void;
};

/** Returns the tracker of a request that has just begun. */
export function trackRequest(incoming: IncomingMessage, observer: PortObserver): RequestTracker {
  const startMs = observer.monotonic();
  observer.requestStarted();
  const completed: CompletedRequest = { ...EMPTY_REQUEST, method: incoming.method ?? '' };
  const tracker: RequestTracker = {
    address: normalizeAddress(incoming.socket.remoteAddress ?? 'unknown'),
    setResponse({ status, headers, body, logContext }) {
      completed.requestId = headers[HEADERS.requestId] ?? '';
      completed.status = status;
      completed.route = logContext?.route as CompletedRequest['route'];
      completed.tier = logContext?.tier as CompletedRequest['tier'];
      completed.archive = logContext?.archive;
      if (typeof body === 'string' || body instanceof Uint8Array) completed.bytes = Buffer.byteLength(body);
    },
    countBytes(response) {
      const { body } = response;
      if (observer === NO_OBSERVER || typeof body === 'string' || body instanceof Uint8Array) return response;
      const stream = async function* () {
        for await (const chunk of body) {
          completed.bytes += chunk.byteLength;
          yield chunk;
        }
      };
      return { ...response, body: stream() };
    },
    complete(isWhole) {
      completed.ms = observer.monotonic() - startMs;
      completed.address = tracker.address;
      completed.aborted = !isWhole;
      observer.requestCompleted(completed);
    },
  };
  return tracker;
}

/** Reports an error response to bytes that were no HTTP request. */
export function reportParserError(
  observer: PortObserver,
  { requestId, status, address }: Pick<CompletedRequest, 'requestId' | 'status' | 'address'>,
): void {
  observer.requestStarted();
  observer.requestCompleted({ ...EMPTY_REQUEST, requestId, status, address: normalizeAddress(address) });
}
