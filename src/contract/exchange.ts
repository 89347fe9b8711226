// One request and one response as plain values: what the service is a function of, with or without a socket.

/** Header names in lower case, in order, repeated where they were sent twice (a doubled Authorization must be seen). */
export type HeaderList = ReadonlyArray<readonly [name: string, value: string]>;

export type ServiceRequest = {
  method: string;
  /** Path and query as sent, e.g. `/v1/attachments?limit=20`. */
  target: string;
  headers: HeaderList;
  body: Uint8Array | null;
  /** Where it came from, for rate limits; 'local' in-process. */
  peer: string;
};

/** A string or bytes body is whole; a stream is read once, to its end or until it is returned. */
export type ServiceResponse = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** For the log of who keeps the service, never sent: the route, and the tier of who asked. */
  logContext?: { route?: string; tier?: string };
};

export type Service = (request: ServiceRequest) => Promise<ServiceResponse>;

export function firstHeader(headers: HeaderList, name: string): string | undefined {
  return headers.find(([key]) => key === name)?.[1];
}

/** As {@link firstHeader}, but undefined where it was sent twice, too. */
export function singleHeader(headers: HeaderList, name: string): string | undefined {
  let sole: string | undefined;
  for (const [key, value] of headers) {
    if (key !== name) continue;
    if (sole !== undefined) return undefined;
    sole = value;
  }
  return sole;
}
