// A service to try clients against: what its options do to one request, from its admission to the end of its answer.
import type { RouteName } from '../../contract/routes.ts';
import type { ServiceRequest, ServiceResponse } from '../../contract/exchange.ts';
import type { Archive } from '../store/archive.ts';
import { ApiError } from '../rules/api-error.ts';
import { createDrift } from './drift.ts';
import { createLine, type LineFault } from './transport-fault-sampling.ts';
import type { Call, ServiceOptions } from '../handlers/call.ts';
import { refuseBy, spoil } from './transport-faults.ts';
import { LISTS } from '../handlers/list.ts';
import { createWrites } from './simulated-writes.ts';

/** What one request meets. */
export type Ordeal = Pick<Call, 'lies' | 'hides' | 'driftRatio'> & { fault: LineFault | undefined };

export type Trial = {
  /** What is reported of the drift now, 0 without any. */
  driftRatio(): number;
  /**
   * Counts the request and decides what it meets. Throws for a line that fails before the answer, and `not_found` for
   * a record that is not there now.
   */
  meet(route: RouteName, call: Pick<Call, 'query' | 'parameters'>, request: ServiceRequest): Promise<Ordeal>;
  /** The response as this line lets it through. */
  spoil(
    response: ServiceResponse & { body: string | Uint8Array },
    fault: LineFault | undefined,
  ): ServiceResponse;
  /** Resolves when the answer may leave. */
  delay(): Promise<void> | undefined;
};

/** What a log without drift tells of. */
const HONEST = { from: 0, to: 0, seed: 0, faults: [] };

/** The usual service. */
const UNHARMED: Ordeal = { fault: undefined, hides: undefined, lies: undefined, driftRatio: () => 0 };
const NONE: Trial = {
  driftRatio: () => 0,
  meet: async () => UNHARMED,
  spoil: (response) => response,
  delay: () => undefined,
};

export function createTrial(archive: Archive, options: ServiceOptions): Trial {
  const { driftLog: log, line: failing } = options;
  if ([options.drift, log, failing, options.writes].every((adversity) => adversity === undefined))
    return NONE;
  const drifting = options.drift ?? (log && HONEST);
  // Another seed or other options are another trial: it begins anew, for all its processes.
  const name = JSON.stringify([options.drift, failing, options.writes]);
  const counter = (of: string) => archive.shared.counter(`${of} ${name}`);
  const drift = drifting && createDrift(drifting, archive.now, log, counter('read'));
  const line = failing && createLine(failing, log, counter('request'));
  const writes =
    options.writes && createWrites(archive.database, options.writes, log, counter('conversations'));
  const driftRatio = () => drift?.reported() ?? 0;
  return {
    driftRatio,
    async meet(route, { query, parameters }, { peer }) {
      await drift?.learn();
      const list = LISTS[route];
      const isTruth = log !== undefined && list !== undefined && query.flag('truth') === true;
      const trying = isTruth ? undefined : list;
      const fault = trying === undefined ? undefined : await line?.next(trying, peer);
      refuseBy(fault);
      const hides = await writes?.hides(trying === 'conversations');
      const { id } = parameters;
      if (id !== undefined && hides?.(id) === true)
        throw new ApiError('not_found', `the archive has no ${id}`);
      const lies = drift === undefined || trying === undefined ? undefined : { drift, list: trying };
      return { fault, hides, lies, driftRatio: isTruth ? () => 0 : driftRatio };
    },
    spoil: (response, fault) => (failing === undefined ? response : spoil(response, fault, failing)),
    delay: () => failing?.sleep(failing.latency),
  };
}
