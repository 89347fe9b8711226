// Makes a fault plan from options: drift of lists, simulated writes, transport faults and latency.
import type { RouteName } from '../../contract/routes.ts';
import type { FaultPlan } from '../handlers/fault-plan.ts';
import type { ListRow, ListSource, ListWindow } from '../handlers/list-source.ts';
import { readWindow } from '../handlers/list-window.ts';
import type { Query } from '../handlers/query.ts';
import { ApiError } from '../rules/api-error.ts';
import type { Archive } from '../store/archive.ts';
import { createDrift, type DriftOptions, type ListRead, type ReadEntry } from './drift.ts';
import { withoutHiddenRows } from './hidden-rows.ts';
import type { TrueList } from './page-faults.ts';
import { createSimulatedWrites, type WriteEntry } from './simulated-writes.ts';
import {
  createTransportFaults,
  type TransportFaultEntry,
  type TransportFaultOptions,
} from './transport-fault-sampling.ts';
import { failBeforeResponse, transformResponse } from './transport-faults.ts';
import type { WriteOptions } from './write-overlay.ts';

/** Which faults a service injects. Each kind that is absent is not injected. */
export type FaultOptions = {
  /** Makes list reads faulty; without it they are true. */
  drift?: DriftOptions;
  /** Makes requests for lists fail, and adds a latency to every response. */
  transport?: TransportFaultOptions;
  /** Makes conversations appear and disappear while the list is read. The archive is not changed. */
  writes?: WriteOptions;
  /**
   * Is awaited for each list read, transport fault and write, before the response. With a log, a list that is requested
   * with `truth=true` is returned without drift and transport faults, and is not counted as a read.
   */
  log?(entry: FaultLogEntry): Promise<void>;
};

/** One line of the drift log. */
export type FaultLogEntry = ReadEntry | TransportFaultEntry | WriteEntry;

/** Drift options under which no read is faulty: with a log alone, reads are counted and logged. */
const NO_DRIFT: DriftOptions = { from: 0, to: 0, seed: 0, faults: [] };

/** The lists that faults apply to, by route; two routes of one list have one name. */
const LIST_OF_ROUTE: { readonly [route in RouteName]?: string } = {
  attachments: 'attachments',
  conversations: 'conversations',
  messages: 'messages',
  messages_v1: 'messages',
};

/** Returns a plan for this archive. The same options and the same requests give the same faults. */
export function createFaultPlan(archive: Archive, options: FaultOptions): FaultPlan {
  const { log, transport } = options;
  // The options name the counters: with other options counting begins again, for all processes that share the archive.
  const name = JSON.stringify([options.drift, transport, options.writes]);
  const counter = (kind: string) => archive.shared.counter(`${kind} ${name}`);
  const driftOptions = options.drift ?? (log && NO_DRIFT);
  const drift = driftOptions && createDrift(driftOptions, archive.now, log, counter('read'));
  const transportFaults = transport && createTransportFaults(transport, log, counter('request'));
  const writes =
    options.writes && createSimulatedWrites(archive.database, options.writes, log, counter('conversations'));
  const driftRatio = () => drift?.reportedRatio() ?? 0;
  return {
    driftRatio,
    async planRequest(route, { query, parameters }, { peer }) {
      await drift?.refresh();
      const list = LIST_OF_ROUTE[route];
      const wantsTruth = log !== undefined && list !== undefined && query.flag('truth') === true;
      const faultyList = wantsTruth ? undefined : list;
      const fault = faultyList === undefined ? undefined : await transportFaults?.next(faultyList, peer);
      failBeforeResponse(fault);
      const isHidden = await writes?.nextState(faultyList === 'conversations');
      const { id } = parameters;
      if (id !== undefined && isHidden?.(id) === true) {
        throw new ApiError('not_found', `no ${id} in this archive`);
      }
      const isDrifting = drift !== undefined && faultyList !== undefined;
      return {
        changesLists: isDrifting || isHidden !== undefined,
        driftRatio: wantsTruth ? () => 0 : driftRatio,
        isHidden: isHidden ?? (() => false),
        async readPage(source, window) {
          const visible = isHidden === undefined ? source : withoutHiddenRows(source, isHidden);
          if (!isDrifting) return readWindow(visible, window);
          return drift.readPage(requestedRead(query, faultyList, window), trueListOf(visible));
        },
        transformResponse: (response) =>
          transport === undefined ? response : transformResponse(response, fault, transport),
      };
    },
    delay: async () => transport?.sleep(transport.latency),
  };
}

/** Returns what distinguishes this read from others: its list, its window with defaults, its other parameters. */
function requestedRead(query: Query, list: string, window: ListWindow): ListRead {
  const { starting_after, ending_before, limit } = window;
  const others = query.except(['starting_after', 'ending_before', 'limit']);
  return { list, key: JSON.stringify([list, others, starting_after, ending_before, limit]), window };
}

function trueListOf<Row extends ListRow>(source: ListSource<Row>): TrueList<Row> {
  return {
    read: (window) => readWindow(source, window),
    newest: async (limit) =>
      (await source.read({ after: null, before: null, limit, direction: 'backward' })).rows,
  };
}
