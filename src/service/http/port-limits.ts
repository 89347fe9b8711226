// Limits of a port: timeouts, connections, headers, and clients that read slowly.

/** Limits for clients that read slowly. Responses that are not fully read are checked at intervals. */
export type SlowReaderLimits = {
  checkIntervalMs: number;
  /** A whole body that is still unread after so many checks closes its connection. */
  maxChecks: number;
  /** A stream of which fewer bytes were sent since the last check closes its connection. */
  minBytesPerCheck: number;
  /** Bytes of whole bodies that may wait to be read. While there are more, new requests get 503. */
  maxPendingBytes: number;
};

/** Limits of one port. */
export type PortLimits = {
  /** For the headers of a request. */
  headersTimeoutMs: number;
  /** For a whole request with its body. */
  requestTimeoutMs: number;
  /** For the next request on a connection. */
  keepAliveTimeoutMs: number;
  /** A connection on which no byte moves for so long is closed, also while a response is sent. */
  idleTimeoutMs: number;
  /** How often Node compares connections with the first two timeouts. */
  timeoutCheckMs: number;
  maxConnections: number;
  /** Loopback addresses and trusted proxies may have more: they stand for many clients. */
  maxConnectionsPerAddress: number;
  /** Requests of one connection that may wait for those before them. With more it is closed. */
  maxRequestsAhead: number;
  /** Bytes of their targets and headers. */
  maxBytesAhead: number;
  maxHeaderBytes: number;
  maxHeaders: number;
  /** Bytes of all request bodies in memory, until their responses are sent. While there are more, new bodies get 503. */
  maxBodyBytes: number;
  /** The same of one client, which then gets 429. Loopback addresses and trusted proxies may have more. */
  maxBodyBytesPerPeer: number;
  slowReaders: SlowReaderLimits;
};

/** The limits of a port where none are given. */
export const DEFAULT_PORT_LIMITS: PortLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 5_000,
  idleTimeoutMs: 60_000,
  timeoutCheckMs: 1_000,
  maxConnections: 12_000,
  maxConnectionsPerAddress: 256,
  maxRequestsAhead: 64,
  maxBytesAhead: 64 * 1024,
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 128,
  maxBodyBytes: 32 * 1024 * 1024,
  maxBodyBytesPerPeer: 8 * 1024 * 1024,
  slowReaders: {
    checkIntervalMs: 60_000,
    maxChecks: 2,
    minBytesPerCheck: 240 * 1024,
    maxPendingBytes: 256 * 1024 * 1024,
  },
};
