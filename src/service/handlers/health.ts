// GET /api/health (interface 4.5) and the liveness and readiness probes (our choice).
import { MAX_BATCH_EVENTS } from '../../contract/event-types.ts';
import type { Health, Probe } from '../../contract/health.ts';
import type { Archive } from '../store/archive.ts';
import { schemaOf } from '../store/schema/migrate.ts';
import { ok, type Call, type Reply, type ServiceOptions } from './call.ts';
import { withTimeout } from './store-timeout.ts';

/** Returns the state of the service with the size of its archive. Throws ApiError `store_unavailable` after two seconds. */
export async function health(call: Call): Promise<Reply> {
  const { archive, options, summary } = call;
  const { conversations, messages, attachments } = summary;
  const { schema, files_writable, takes_writes = true } = await withTimeout(storeState(archive));
  const isWhole = archive.readOnly || (files_writable && takes_writes);
  const body: Health = {
    status: isWhole ? 'stable' : 'partial',
    service: 'arx',
    version: options.version,
    time: new Date(archive.now()).toISOString(),
    asset_url: options.assetUrl,
    database: archive.database.engine,
    ingest_batch: MAX_BATCH_EVENTS,
    integrity: summary.integrity,
    drift_ratio: call.driftRatio(),
    counts: { conversations, messages, attachments },
    schema,
    files_writable,
    ...processState(archive, options),
  };
  return ok(body);
}

/** Returns the liveness probe: that the process answers. It does not ask the database. */
export async function live({ archive, options }: Call): Promise<Reply> {
  return ok({ status: 'live', ...processState(archive, options) } satisfies Probe);
}

/**
 * Returns the readiness probe: 503 with the reason where lists or files cannot be read now, or where the server of the
 * database takes no writes and the service is not read-only. A folder that takes no more files is no reason, since stored
 * files can be read.
 */
export async function ready({ archive, options }: Call): Promise<Reply> {
  const state = await withTimeout(storeState(archive)).catch(() => undefined);
  const isReady =
    state?.migration_needed === false && state.files_there !== false && state.takes_writes !== false;
  const body: Probe = {
    status: isReady ? 'ready' : 'unready',
    ...processState(archive, options),
    database: archive.database.engine,
    reachable: state !== undefined,
    ...(state ?? { schema: null }),
  };
  return { status: isReady ? 200 : 503, body };
}

function processState(archive: Archive, { startedMs }: ServiceOptions) {
  return {
    // A clock may have been put back.
    uptime_ms: Math.max(0, archive.now() - (startedMs ?? archive.now())),
    read_only: archive.readOnly,
  };
}

async function storeState({ database, blobs, filesThere, readOnly }: Archive) {
  const [{ version, isNewest }, writable, there, takesWrites] = await Promise.all([
    schemaOf(database),
    blobs.writable(),
    filesThere?.() ?? true,
    readOnly || (database.takesWrites?.() ?? true),
  ]);
  return {
    schema: version,
    migration_needed: !isNewest,
    files_writable: writable && there,
    ...(there ? {} : { files_there: false }),
    ...(takesWrites ? {} : { takes_writes: false }),
  };
}
