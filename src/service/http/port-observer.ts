// What a port tells those who keep it: connections that come, go and are turned away, and each answer when it is over.
import type { RouteName } from '../../contract/routes.ts';
import type { Tier } from '../../contract/token.ts';

/** Routes of the interface, and those beside them. */
export type AnsweredRoute = RouteName | 'file' | 'stored_message' | 'metrics';

/**
 * One request, when its answer has left or its connection closed. Nothing of it that could be a secret: no query, no
 * header, no body, and a route in the place of the path, which can be a capability.
 */
export type Answered = {
  requestId: string;
  method: string;
  route: AnsweredRoute | undefined;
  /** 0 where no answer was given. */
  status: number;
  /** From the first byte of the request's head to the end of its answer. */
  ms: number;
  /** Of the body. */
  bytes: number;
  address: string;
  tier: Tier | undefined;
  /** The connection closed before the answer's end. */
  cut: boolean;
};

export type PortWatch = {
  /** A clock for durations, in milliseconds. */
  monotonic(): number;
  connected(): void;
  disconnected(): void;
  /** A connection or request over a limit, or accepting that failed. */
  turnedAway(reason: 'total' | 'address' | 'accept'): void;
  began(): void;
  answered(answer: Answered): void;
};

/** Tells both. */
export function bothOf(one: PortWatch, other: PortWatch): PortWatch {
  return {
    monotonic: one.monotonic,
    connected: () => (one.connected(), other.connected()),
    disconnected: () => (one.disconnected(), other.disconnected()),
    turnedAway: (reason) => (one.turnedAway(reason), other.turnedAway(reason)),
    began: () => (one.began(), other.began()),
    answered: (answer) => (one.answered(answer), other.answered(answer)),
  };
}
