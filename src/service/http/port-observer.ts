// What a port reports to its access log and its metrics: connections, rejections, and each request when it is complete.
import type { RouteName } from '../../contract/routes.ts';
import type { Tier } from '../../contract/tier.ts';

/** The routes of the interface, and the routes of the asset and metrics ports. */
export type RouteLabel = RouteName | 'file' | 'stored_message' | 'metrics';

/**
 * One request whose response was sent or whose connection closed. It holds nothing that could be a secret: no query, no
 * header, no body, and the route instead of the path, which can be a signed address.
 */
export type CompletedRequest = {
  requestId: string;
  method: string;
  route: RouteLabel | undefined;
  /** 0 where no response was sent. */
  status: number;
  /** Milliseconds from the first byte of the request head to the end of the response. */
  ms: number;
  /** Bytes of the response body. */
  bytes: number;
  address: string;
  tier: Tier | undefined;
  /** The archive, where a port serves several. Never one that does not exist. */
  archive?: string | undefined;
  /** Whether the connection closed before the end of the response. */
  aborted: boolean;
};

/** Gets what happens on one port. Its functions must not throw. */
export type PortObserver = {
  /** Returns a clock for durations, in milliseconds. */
  monotonic(): number;
  connected(): void;
  disconnected(): void;
  /** A connection or request over a limit (`ahead`: requests sent ahead), or a connection that could not be accepted. */
  rejected(reason: 'total' | 'address' | 'ahead' | 'accept'): void;
  requestStarted(): void;
  requestCompleted(request: CompletedRequest): void;
};

/** Returns an observer that passes everything on to two others. */
export function combineObservers(one: PortObserver, other: PortObserver): PortObserver {
  return {
    monotonic: one.monotonic,
    connected: () => (one.connected(), other.connected()),
    disconnected: () => (one.disconnected(), other.disconnected()),
    rejected: (reason) => (one.rejected(reason), other.rejected(reason)),
    requestStarted: () => (one.requestStarted(), other.requestStarted()),
    requestCompleted: (request) => (one.requestCompleted(request), other.requestCompleted(request)),
  };
}
