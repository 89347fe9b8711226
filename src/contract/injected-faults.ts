// The names of injected faults that `arx serve` takes: how faulty reads are correlated, and faults of the transport.

/**
 * How injected faults are correlated. The numbers are in `service/fault-injection/fault-sampling.ts`.
 * - `each`: every read is drawn independently.
 * - `key`: an identical request always gets the same fault; another limit, cursor or direction is another request.
 * - `sticky`: like `key`, for one second of the service's clock at a time.
 * - `burst`: faults come in runs.
 * - `collude`: several reads in a row, of any list, share one snapshot.
 */
export const DRIFT_MODES = ['each', 'key', 'sticky', 'burst', 'collude'] as const;
/** How faulty reads depend on each other. */
export type DriftMode = (typeof DRIFT_MODES)[number];

/**
 * `429` with a Retry-After of one second; `503`; `reset`: the connection is reset without a response; `cut`: it is reset
 * in the middle of the body; `slow`: the body arrives slowly.
 */
export const TRANSPORT_FAULTS = ['429', '503', 'reset', 'cut', 'slow'] as const;
/** A fault of the transport: an error status, a reset, a body that is cut short, or one that is sent slowly. */
export type TransportFault = (typeof TRANSPORT_FAULTS)[number];
