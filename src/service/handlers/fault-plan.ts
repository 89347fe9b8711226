// What the handlers know of fault injection: one interface that a test service implements and a normal service lacks.
import type { ServiceRequest, ServiceResponse } from '../../contract/exchange.ts';
import type { RouteName } from '../../contract/routes.ts';
import type { ListPage, ListRow, ListSource, ListWindow } from './list-source.ts';
import type { Query } from './query.ts';

/** Faults that a service injects on purpose, so that clients can be tested against it. */
export type FaultPlan = {
  /** Returns the drift ratio that responses report now, 0 to 1. */
  driftRatio(): number;
  /**
   * Counts one request and decides which faults it meets. Throws ApiError `rate_limited`, `store_unavailable` or
   * `not_found` where the request fails before its handler, and {@link ConnectionReset} where it gets no response.
   */
  planRequest(
    route: RouteName,
    parsed: { query: Query; parameters: Record<string, string> },
    request: ServiceRequest,
  ): Promise<RequestFaults>;
  /** Resolves when the response may be sent: a simulated latency. */
  delay(): Promise<void>;
};

/** The faults of one request. */
export type RequestFaults = {
  /** Whether its lists can differ from the archive. Such responses are never cached. */
  changesLists: boolean;
  /** Returns the drift ratio that this response reports, 0 to 1. */
  driftRatio(): number;
  /** Returns whether the record with this id is hidden from this request. */
  isHidden(id: string): boolean;
  /** Returns one page of a list, in place of the true one. */
  readPage<Row extends ListRow>(source: ListSource<Row>, window: ListWindow): Promise<ListPage<Row>>;
  /** Returns the response as it is to be sent: unchanged, slowed down, or cut in the middle. */
  transformResponse(response: ServiceResponse & { body: string | Uint8Array }): ServiceResponse;
};

/** Thrown where a response, or the rest of it, must not be sent. The port resets the connection. */
export class ConnectionReset extends Error {}
