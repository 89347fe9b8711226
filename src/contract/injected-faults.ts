// The names that `arx serve` takes for injected faults: correlation of faulty reads, transport faults, variants of lists.

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
/**
 * Drawn only where they are named. `cut-json`: the JSON text ends early, but status and framing are those of a whole
 * response (the Content-Length of the short text, or chunks with a last one).
 */
export const EXPLICIT_TRANSPORT_FAULTS = ['cut-json'] as const;
/** A fault of the transport: an error status, a reset, a body that is cut short, or one that is sent slowly. */
export type TransportFault = (typeof TRANSPORT_FAULTS)[number] | (typeof EXPLICIT_TRANSPORT_FAULTS)[number];

/** The lists that faults and variants apply to. */
export const FAULTY_LISTS = ['conversations', 'messages', 'attachments'] as const;
/** The name of a list that faults and variants apply to. */
export type FaultyList = (typeof FAULTY_LISTS)[number];

/**
 * How the lists of a test service can differ from those of a normal one, in every response. A client must cope with each
 * of them, because the interface shows neither rule.
 * - `descending`: a page of `ending_before` alone begins with its newest row.
 * - `strict`: a query parameter that the interface does not show is 400 `request_invalid`.
 */
export const LIST_VARIANTS = ['descending', 'strict'] as const;
/** How the message of a `strict` service ends, after the name of the parameter. */
export const UNKNOWN_PARAMETER = ': unknown parameter';
/**
 * What a test service does with a `limit` above a largest one: `refuse-limit` gives 400 `limit_out_of_range`,
 * `clamp-limit` a page of the largest size.
 */
export const LIMIT_VARIANTS = ['refuse-limit', 'clamp-limit'] as const;
