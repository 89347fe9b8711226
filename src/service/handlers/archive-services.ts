// Several archives as one service: the path `/a/NAME/…` names one. An archive is opened when it is asked for, and closed when idle.
import { createSemaphore } from '../../concurrency/semaphore.ts';
import { NO_ROUTE } from '../../contract/error.ts';
import type { Service, ServiceRequest, ServiceResponse } from '../../contract/exchange.ts';
import { HEADERS } from '../../contract/routes.ts';
import { ApiError, storageDamaged } from '../rules/api-error.ts';
import { createRateLimiter } from '../rules/rate-limiter.ts';
import type { Archive } from '../store/archive.ts';
import { isArchiveName } from '../store/engines/postgres-address.ts';
import { pause, startWorker, type EventWorker } from '../store/event-worker.ts';
import type { OpenArchive } from '../store/open.ts';
import { ArchiveUnreadable } from '../store/opening-error.ts';
import { isStoreUnavailable } from '../store/sql/database-error.ts';
import { NoArchive } from '../store/sql/unusable-archive.ts';
import { createAssetService } from './assets.ts';
import type { ServiceOptions } from './call.ts';
import { errorResponse, needsOperator, newRequestId, toApiError } from './error-response.ts';
import { createService } from './service.ts';

/** How the archives are found and opened, and how many are open at once. */
export type ArchiveServicesOptions = Pick<Archive, 'now' | 'randomBytes' | 'readOnly'> & {
  /** Resolves after this many milliseconds. */
  sleep(ms: number): Promise<void>;
  /** How many databases archives are looked for in, one after the other. */
  databases: number;
  /** Opens an archive. Throws {@link NoArchive}, and as `openArchive`. `onMissing` is called where its tables are gone later. */
  open(name: string, onMissing: () => void): Promise<OpenArchive>;
  /** Returns the names of archives whose events are still to be applied. */
  namesWithEvents(): Promise<readonly string[]>;
  /** Resolves to whether all databases answer. */
  check(): Promise<boolean>;
  /** The services of each archive have these options. `assetUrl` is without the path of an archive. */
  service: Omit<ServiceOptions, 'worker' | 'onFailure' | 'faults'>;
  /** Is called with every unexpected error, the request id of its response, and the archive. Must not throw. */
  onFailure(requestId: string, error: unknown, archive: string): void;
  /** Is called with an error that keeps events of an archive from being applied. Must not throw. */
  onWorkerFailure(error: unknown, archive: string): void;
  /** Archives that are open at once. Above, the one that was not used for longest is closed. Default: 64. */
  maxOpen?: number;
};

/** The services over all archives. */
export type ArchiveServices = {
  api: Service;
  assets: Service;
  /** Counts archives: open now, and opened and closed so far. */
  counts(): { open: number; opened: number; closed: number };
  /** Closes all archives. Requests must have ended. */
  close(): Promise<void>;
};

const MAX_OPEN = 64;
/** Bytes of cached responses of all open archives together. */
const MAX_CACHE_BYTES = 64 * 1024 * 1024;
/** Archives that are opened at the same time: each takes a connection of its own where its tables must be upgraded. */
const MAX_OPENING = 16;
/** How long an archive is not used before it is closed, how often that is looked at, and events of closed archives are looked for. */
const IDLE_MS = 300_000;
const IDLE_CHECK_MS = 15_000;
const EVENT_CHECK_MS = 300_000;
/** Pauses until the last step of a move is looked for again. It is one transaction, which follows the drop of the source. */
const MOVE_PAUSES_MS = [10, 20, 40, 80, 160, 320, 640];
/** Requests for archives that do not exist, per minute and client. Each costs a look at the catalogue. */
const MAX_UNKNOWN_PER_MINUTE = 300;

/** An archive that is open. It can still be used after it was closed, since it has no connections of its own. */
type Entry = {
  api: Service;
  assets: Service;
  worker: EventWorker | undefined;
  archive: OpenArchive;
  lastUsedMs: number;
  /** Its tables are gone: it was dropped, or moved to another server. */
  isGone: boolean;
  isClosed: boolean;
};

/** Returns the services. They never reject, as those of one archive. */
export function createArchiveServices(options: ArchiveServicesOptions): ArchiveServices {
  const { now, service, onFailure, maxOpen = MAX_OPEN } = options;
  const startedMs = now();
  /** In the order of their last use. */
  const entries = new Map<string, Promise<Entry>>();
  const counts = { opened: 0, closed: 0 };
  const openings = createSemaphore(MAX_OPENING);
  const unknownLimiter = createRateLimiter(MAX_UNKNOWN_PER_MINUTE);
  const stopped = new AbortController();

  const openEntry = async (name: string): Promise<Entry> => {
    const release = await openings.acquire();
    try {
      let entry: Entry | undefined;
      const archive = await options.open(name, () => {
        // What misses tables while it is opened is no archive yet.
        if (entry === undefined || entry.isGone) return;
        entry.isGone = true;
        if (!entry.isClosed) entries.delete(name);
        void close(entry);
      });
      const ofService: ServiceOptions = {
        ...service,
        startedMs,
        assetUrl: `${service.assetUrl}${PREFIX}${name}`,
        path: `${PREFIX}${name}`,
        cacheBytes: Math.floor(MAX_CACHE_BYTES / maxOpen),
        worker: { wake: () => void wake(name, entry) },
        onFailure: (requestId, error) => {
          if (entry?.isGone !== true) onFailure(requestId, error, name);
        },
      };
      const { maxTier, owner, redirectSeconds } = service;
      const assetTier = owner?.maxTier ?? maxTier;
      entry = {
        archive,
        api: createService(archive, ofService),
        assets: createAssetService(archive, {
          onFailure: (requestId, error) => ofService.onFailure?.(requestId, error),
          ...(assetTier === undefined ? {} : { maxTier: assetTier }),
          ...(redirectSeconds === undefined ? {} : { redirectSeconds }),
        }),
        worker: archive.readOnly
          ? undefined
          : startWorker(archive, (error) => {
              if (entry?.isGone !== true) options.onWorkerFailure(error, name);
            }),
        lastUsedMs: now(),
        isGone: false,
        isClosed: false,
      };
      counts.opened += 1;
      return entry;
    } finally {
      release();
    }
  };
  /** Opens an archive, also one that is moved between the databases meanwhile. */
  const openMoving = async (name: string): Promise<Entry> => {
    let pauses = 0;
    for (let looks = 1; ; looks += 1) {
      try {
        return await openEntry(name);
      } catch (error) {
        const isMoved = error instanceof ArchiveUnreadable && error.isMoved;
        const pauseMs = isMoved && !stopped.signal.aborted ? MOVE_PAUSES_MS[pauses] : undefined;
        if (pauseMs === undefined && (looks > 1 || !mayBeElsewhere(error, options.databases))) throw error;
        if (pauseMs === undefined) continue;
        pauses += 1;
        await options.sleep(pauseMs);
      }
    }
  };
  const find = (name: string): Promise<Entry> => {
    const known = entries.get(name);
    const entry = known ?? openMoving(name);
    entries.delete(name);
    entries.set(name, entry);
    if (known === undefined) {
      entry.catch(() => {
        if (entries.get(name) === entry) entries.delete(name);
      });
      const [oldest] = entries.keys();
      if (entries.size > maxOpen && oldest !== undefined) void forget(oldest);
    }
    return entry;
  };
  /** Closes an archive. What is running goes on over the shared connections. */
  const forget = async (name: string): Promise<void> => {
    const found = entries.get(name);
    entries.delete(name);
    const entry = await found?.catch(() => undefined);
    if (entry !== undefined) await close(entry);
  };
  const close = async (entry: Entry): Promise<void> => {
    if (entry.isClosed) return;
    entry.isClosed = true;
    counts.closed += 1;
    await entry.worker?.stop();
    await entry.archive.close();
  };
  /** Events that were stored while their archive was being closed need its worker again. */
  const wake = async (name: string, entry: Entry | undefined): Promise<void> => {
    const awake = entry?.isClosed === false ? entry : await find(name).catch(() => undefined);
    awake?.worker?.wake();
  };

  const failed = ({ method }: ServiceRequest, error: unknown, archive?: string): ServiceResponse => {
    const requestId = newRequestId(options.randomBytes);
    const apiError = openingError(error);
    const isExpected =
      error instanceof NoArchive ||
      error instanceof ApiError ||
      (error instanceof ArchiveUnreadable && error.isUnfinishedCopy);
    if (archive !== undefined && !isExpected) onFailure(requestId, error, archive);
    return finished(method, errorResponse(apiError, requestId, 0));
  };
  const finished = (method: string, response: ServiceResponse): ServiceResponse => {
    response.headers['date'] = new Date(now()).toUTCString();
    response.headers[HEADERS.drift] = '0';
    return method === 'HEAD' ? { ...response, body: '' } : response;
  };

  const answer = async (
    of: 'api' | 'assets',
    request: ServiceRequest,
    mayRepeat = true,
  ): Promise<ServiceResponse> => {
    const { name, target } = partsOf(request.target);
    if (name === undefined)
      return failed(request, new ApiError('not_found', `${NO_ROUTE}: archives are under ${PREFIX}NAME`));
    let entry: Entry;
    try {
      entry = await find(name);
    } catch (error) {
      if (!(error instanceof NoArchive)) return failed(request, error, name);
      const wait = request.peer === 'local' ? 0 : await unknownLimiter.take(request.peer, now());
      return failed(request, wait === 0 ? error : tooManyUnknown(wait));
    }
    entry.lastUsedMs = now();
    const response = await entry[of]({ ...request, target });
    entry.lastUsedMs = now();
    if (entry.isGone && response.status >= 500) {
      // It may be on another server by now.
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      return isRead && mayRepeat ? answer(of, request, false) : failed(request, tryAgain());
    }
    response.logContext = { ...response.logContext, archive: name };
    return response;
  };

  const probe = async (request: ServiceRequest): Promise<ServiceResponse | undefined> => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const route = PROBES.get(request.target);
    if (!isRead || route === undefined) return undefined;
    const isReady = route === 'live' || (await options.check());
    const body = JSON.stringify({
      status: route === 'live' ? 'live' : isReady ? 'ready' : 'unready',
      uptime_ms: Math.max(0, now() - startedMs),
      read_only: options.readOnly,
      ...(route === 'live' ? {} : { database: 'postgres', reachable: isReady }),
    });
    return finished(request.method, {
      status: isReady ? 200 : 503,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'cache-control': 'no-store',
        [HEADERS.requestId]: newRequestId(options.randomBytes),
        [HEADERS.integrity]: '0',
      },
      body,
      logContext: { route },
    });
  };

  const closeIdle = async (): Promise<void> => {
    for (const [name, opening] of entries) {
      const entry = await opening.catch(() => undefined);
      if (entry !== undefined && now() - entry.lastUsedMs >= IDLE_MS) await forget(name);
    }
  };
  /** Opens archives with events that a killed process left, or that are to be tried again, so that their workers apply them. */
  const applyLeftEvents = async (): Promise<void> => {
    if (options.readOnly) return;
    for (const name of await options.namesWithEvents()) {
      if (stopped.signal.aborted) return;
      await wake(name, undefined);
    }
  };
  const tend = async (): Promise<void> => {
    for (let sinceMs = EVENT_CHECK_MS; !stopped.signal.aborted; sinceMs += IDLE_CHECK_MS) {
      if (sinceMs >= EVENT_CHECK_MS) {
        sinceMs = 0;
        // A database that cannot be reached is asked again later.
        await applyLeftEvents().catch(() => {});
      }
      await pause(IDLE_CHECK_MS, stopped.signal);
      await closeIdle();
    }
  };
  const tending = tend();

  return {
    api: async (request) => (await probe(request)) ?? answer('api', request),
    assets: (request) => answer('assets', request),
    counts: () => ({ open: entries.size, ...counts }),
    async close() {
      stopped.abort();
      await tending;
      for (const name of entries.keys()) await forget(name);
    },
  };
}

const PROBES = new Map([
  ['/api/health/live', 'live'],
  ['/api/health/ready', 'ready'],
]);

const PREFIX = '/a/';

/** Returns the archive that a target names, and the target in it. No name where there is none. */
function partsOf(target: string): { name: string | undefined; target: string } {
  if (!target.startsWith(PREFIX)) return { name: undefined, target };
  const after = target.slice(PREFIX.length);
  const end = after.search(/[/?]|$/);
  const [name, rest] = [after.slice(0, end), after.slice(end)];
  return { name: isArchiveName(name) ? name : undefined, target: rest.startsWith('/') ? rest : `/${rest}` };
}

/** Returns whether an archive may have been moved to a database that was looked at before, or dropped while it was opened. */
function mayBeElsewhere(error: unknown, databases: number): boolean {
  if (error instanceof ArchiveUnreadable && error.isMissing) return true;
  const isNotHere =
    error instanceof NoArchive || (error instanceof ArchiveUnreadable && error.isUnfinishedCopy);
  return isNotHere && databases > 1;
}

function tryAgain(): ApiError {
  return new ApiError('store_unavailable', 'the archive cannot be reached now, try again', {
    'retry-after': '1',
  });
}

function tooManyUnknown(wait: number): ApiError {
  return new ApiError('rate_limited', `too many requests for archives that do not exist, wait ${wait} s`, {
    'retry-after': String(wait),
  });
}

/** Returns why an archive cannot be opened. An unknown one is refused with the words for every unknown path. */
function openingError(error: unknown): ApiError {
  if (error instanceof NoArchive) return new ApiError('not_found', NO_ROUTE);
  if (error instanceof ApiError || isStoreUnavailable(error)) return toApiError(error);
  if (error instanceof ArchiveUnreadable && error.isDamaged) return storageDamaged();
  if (error instanceof ArchiveUnreadable && error.isUnfinishedCopy) return tryAgain();
  // It has another schema, or its files are elsewhere.
  return needsOperator();
}
