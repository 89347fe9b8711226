// One request and one response as plain values. The service is a function from one to the other, with or without a socket.

/** Headers in order, names in lower case. A header that was sent twice stands twice, so that a second Authorization is noticed. */
export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>;

/**
 * Reads a body that is still on its way, and returns all its bytes. Rejects with the error to answer: for more than
 * `maxBytes`, for a client that disconnects, and where too many bodies are in memory. May be called twice.
 */
export type ReadBody = (maxBytes: number) => Promise<Uint8Array>;

/** A request to the service. */
export type ServiceRequest = {
  method: string;
  /** Path and query as sent, e.g. `/v1/attachments?limit=20`. */
  target: string;
  headers: HeaderList;
  /** The whole body, how to read it, or null where there is none. */
  body: Uint8Array | ReadBody | null;
  /** What rate limits count as one client: an address or network; 'local' inside the process. */
  peer: string;
  /** Returns a signal that is aborted when nobody waits for the response any more. Absent where that is not known. */
  gone?: () => AbortSignal;
};

/** A response. A stream body is read once; the reader either reads it to its end or calls `return` on it. */
export type ServiceResponse = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** The chunks of a stream come from another service. Waiting for one takes no thread and no database connection. */
  isRemote?: boolean;
  /** For the access log only, never sent: the route, the reader's tier, and the archive where there are several. */
  logContext?: { route?: string; tier?: string; archive?: string };
};

/** The archive service. It never throws: every failure is a response. */
export type Service = (request: ServiceRequest) => Promise<ServiceResponse>;

/** Returns the first value of a header; `name` is in lower case. */
export function firstHeader(headers: HeaderList, name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1];
}

/** Returns the value of a header that was sent exactly once, else undefined. */
export function singleHeader(headers: HeaderList, name: string): string | undefined {
  let sole: string | undefined;
  for (const [key, value] of headers) {
    if (key !== name) continue;
    if (sole !== undefined) return undefined;
    sole = value;
  }
  return sole;
}
