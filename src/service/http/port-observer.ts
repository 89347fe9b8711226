// What a port tells those who keep it: connections that come, go and are turned away, and each answer when it is over.
import type { RouteName } from '../../contract/routes.ts';
import type { Tier } from '../../contract/token.ts';

/** Routes of the interface, and those beside them. */
export type RouteLabel = RouteName | 'file' | 'stored_message' | 'metrics';

/**
 * One request, when its answer has left or its connection closed. Nothing of it that could be a secret: no query, no
 * header, no body, and a route in the place of the path, which can be a capability.
 */
export type CompletedRequest = {
  requestId: string;
  method: string;
  route: RouteLabel | undefined;
  /** 0 where no answer was given. */
  status: number;
  /** From the first byte of the request's head to the end of its answer. */
  ms: number;
  /** Of the body. */
  bytes: number;
  address: string;
  tier: Tier | undefined;
  /** The connection closed before the answer's end. */
  aborted: boolean;
};

export type PortObserver = {
  /** A clock for durations, in milliseconds. */
  monotonic(): number;
  connected(): void;
  disconnected(): void;
  /** A connection or request over a limit, or accepting that failed. */
  rejected(reason: 'total' | 'address' | 'accept'): void;
  requestStarted(): void;
  requestCompleted(answer: CompletedRequest): void;
};

/** Tells both. */
export function combineObservers(one: PortObserver, other: PortObserver): PortObserver {
  return {
    monotonic: one.monotonic,
    connected: () => (one.connected(), other.connected()),
    disconnected: () => (one.disconnected(), other.disconnected()),
    rejected: (reason) => (one.rejected(reason), other.rejected(reason)),
    requestStarted: () => (one.requestStarted(), other.requestStarted()),
    requestCompleted: (answer) => (one.requestCompleted(answer), other.requestCompleted(answer)),
  };
}
