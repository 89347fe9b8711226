// Makes a fault plan from options: drift and variants of lists, simulated writes, transport faults and latency.
import { FAULTY_LISTS, type FaultyList } from '../../contract/injected-faults.ts';
import type { RouteName } from '../../contract/routes.ts';
import type { FaultPlan } from '../handlers/fault-plan.ts';
import type { ListRow, ListSource, ListWindow } from '../handlers/list-source.ts';
import { readWindow } from '../handlers/list-window.ts';
import type { Query } from '../handlers/query.ts';
import { ApiError } from '../rules/api-error.ts';
import type { Counter } from '../rules/counter.ts';
import type { Archive } from '../store/archive.ts';
import { createDrift, type DriftOptions, type ListRead, type ReadEntry } from './drift.ts';
import { withoutHiddenRows } from './hidden-rows.ts';
import { limitedWindow, orderedPage, refuseQuery, type ListVariants } from './list-variants.ts';
import type { TrueList } from './page-faults.ts';
import { seededRandom } from './seeded-random.ts';
import { createSimulatedWrites, type SimulatedWrites, type WriteEntry } from './simulated-writes.ts';
import {
  createTransportFaults,
  type TransportFaultEntry,
  type TransportFaultOptions,
} from './transport-fault-sampling.ts';
import { failBeforeResponse, transformResponse } from './transport-faults.ts';
import type { WriteOptions, WriteState } from './write-overlay.ts';

/** Which faults a service injects. Each kind that is absent is not injected. */
export type FaultOptions = {
  /** Makes list reads faulty; without it they are true. */
  drift?: DriftOptions;
  /** Makes requests for lists fail, and adds a latency to every response. */
  transport?: TransportFaultOptions;
  /** Makes conversations appear and disappear while the list is read. The archive is not changed. */
  writes?: WriteOptions;
  /** Changes every response of a list, or refuses its request. */
  variants?: ListVariants;
  /** The lists to which drift, transport faults and variants apply. Default: all of {@link FAULTY_LISTS}. */
  lists?: readonly FaultyList[];
  /**
   * Is awaited for each list read, transport fault and write, before the response. With a log, a list that is requested
   * with `truth=true` is returned without drift, transport faults and variants, and is not counted as a read.
   */
  log?(entry: FaultLogEntry): Promise<void>;
};

/** One line of the drift log. */
export type FaultLogEntry = ReadEntry | TransportFaultEntry | WriteEntry;

/** Drift options under which no read is faulty: with a log alone, reads are counted and logged. */
const NO_DRIFT: DriftOptions = { from: 0, to: 0, seed: 0, faults: [] };

/** Share of conversations that are removed before the first read where a fault shows removed rows. */
const REMOVED_SHARE = 1 / 32;
/** Share of the removed conversations that one earlier snapshot still has. */
const REMOVED_IN_SNAPSHOT_SHARE = 1 / 2;

/** The lists that faults apply to, by route; two routes of one list have one name. */
const LIST_OF_ROUTE: { readonly [route in RouteName]?: FaultyList } = {
  attachments: 'attachments',
  conversations: 'conversations',
  messages: 'messages',
  messages_v1: 'messages',
};

/** Returns a plan for this archive. The same options and the same requests give the same faults. */
export function createFaultPlan(archive: Archive, options: FaultOptions): FaultPlan {
  const { log, transport, variants, lists = FAULTY_LISTS } = options;
  // The options name the counters: with other options counting begins again, for all processes that share the archive.
  const name = JSON.stringify([options.drift, transport, options.writes]);
  const counter = (kind: string) => archive.shared.counter(`${kind} ${name}`);
  const driftOptions = options.drift ?? (log && NO_DRIFT);
  const drift = driftOptions && createDrift(driftOptions, archive.now, log, counter('read'));
  const transportFaults = transport && createTransportFaults(transport, log, counter('request'));
  const writes = writesOf(archive, options, counter('conversations'));
  const driftRatio = () => drift?.reportedRatio() ?? 0;
  return {
    driftRatio,
    async planRequest(route, { query, parameters }, { peer }) {
      await drift?.refresh();
      const list = LIST_OF_ROUTE[route];
      const wantsTruth = log !== undefined && list !== undefined && query.flag('truth') === true;
      const faultyList = wantsTruth || list === undefined || !lists.includes(list) ? undefined : list;
      const drawn = faultyList === undefined ? undefined : await transportFaults?.next(faultyList, peer);
      failBeforeResponse(drawn?.fault);
      const changes = faultyList === undefined ? undefined : variants;
      if (changes !== undefined) refuseQuery(changes, route, query);
      const written = await writes?.nextState(list === 'conversations' && !wantsTruth);
      const { id } = parameters;
      if (id !== undefined && written?.isHidden(id) === true) {
        throw new ApiError('not_found', `no ${id} in this archive`);
      }
      const isDrifting = drift !== undefined && faultyList !== undefined;
      return {
        changesLists: isDrifting || changes !== undefined || written !== undefined,
        driftRatio: wantsTruth ? () => 0 : driftRatio,
        isHidden: written?.isHidden ?? (() => false),
        async readPage(source, requested) {
          const window = limitedWindow(requested, changes);
          const list = trueListOf(source, written);
          const page = isDrifting
            ? await drift.readPage(requestedRead(query, faultyList, window), list)
            : await list.read(window);
          return orderedPage(page, window, changes);
        },
        transformResponse: (response) =>
          transport === undefined ? response : transformResponse(response, drawn, transport),
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

/** Returns the writes of these options, and the removals that a fault needs, undefined where there are none. */
function writesOf(
  archive: Archive,
  { drift, writes, log }: FaultOptions,
  reads: Counter,
): SimulatedWrites | undefined {
  const removes = drift?.faults.includes('phantom') === true;
  if (writes === undefined && !removes) return undefined;
  const options = { seed: drift?.seed ?? 0, writes: {}, ...writes };
  const removedShare = removes ? REMOVED_SHARE : 0;
  return createSimulatedWrites(archive.database, { ...options, removedShare }, log, reads);
}

/** Returns the list as it is after these writes. Its snapshots have some of the removed rows. */
function trueListOf<Row extends ListRow>(
  source: ListSource<Row>,
  written: WriteState | undefined,
): TrueList<Row> {
  if (written === undefined) return listOf(source);
  const { isHidden, removedWith } = written;
  return {
    ...listOf(withoutHiddenRows(source, isHidden)),
    readSnapshot(state, window) {
      const isMissing = (id: string) => {
        const conversation = removedWith(id);
        if (conversation === undefined) return isHidden(id);
        return seededRandom(`${state}/removed/${conversation}`)() >= REMOVED_IN_SNAPSHOT_SHARE;
      };
      return readWindow(withoutHiddenRows(source, isMissing), window);
    },
  };
}

function listOf<Row extends ListRow>(source: ListSource<Row>): TrueList<Row> {
  return {
    read: (window) => readWindow(source, window),
    newest: async (limit) =>
      (await source.read({ after: null, before: null, limit, direction: 'backward' })).rows,
  };
}
