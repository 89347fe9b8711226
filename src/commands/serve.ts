// `arx serve`: runs the service of the local archive on a port, on loopback by default.
import { join } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { withExclusiveLock } from '../config/lock.ts';
import { createOwnerSecret } from '../config/owner-secret.ts';
import { Fault } from '../faults.ts';
import { DEFAULT_API_PORT } from '../wiring/local-archive.ts';
import { isBucketAddress } from '../service/administration.ts';
import { DATABASE_INPUT, archivePlace, noticeEmpty } from './archive/database-option.ts';
import { checkArchiveFolder } from './archive/new-archive-folder.ts';
import { readWebhookSecrets } from './shared/webhook-secrets.ts';
import { highestTier, ownerTier, strangersNotice, TIER_INPUT } from './serve/audience.ts';
import { DRIFT_INPUT, faultOptionsOf, faultPlanOf, openDriftLog } from './serve/fault-options.ts';
import { failureReporter } from './serve/failure-report.ts';
import { createPorts, refuseSamePorts } from './serve/ports.ts';
import { archivesSubject, checkOptions, noticeSameNames } from './serve/archives.ts';
import { archiveSubject, type Subject } from './serve/subject.ts';
import { withServers } from './archive/database-servers.ts';
import { CONNECTION_LIMIT_INPUT, connectionLimits } from './serve/connection-limits.ts';
import { openAccessLog, openMetrics, PortNumber, OBSERVABILITY_INPUT } from './serve/observability.ts';

const HostNames = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim().toLowerCase()))
  .refine((names) => names.every((name) => /^[^\s:/@[\]]+$/.test(name)), 'must be names separated by commas');

/** How long an address of the bucket may work. */
const MAX_REDIRECT_SECONDS = 3600;

export const Input = z.object({
  host: z.string().min(1).default('127.0.0.1'),
  port: PortNumber.default(DEFAULT_API_PORT),
  assetPort: PortNumber.optional(),
  allowHost: HostNames.optional(),
  ...DATABASE_INPUT,
  redirectFiles: z.coerce.number().int().min(1).max(MAX_REDIRECT_SECONDS).optional(),
  archives: z.array(z.string().min(1)).optional(),
  ...TIER_INPUT,
  readOnly: z.boolean().default(false),
  ...CONNECTION_LIMIT_INPUT,
  ...OBSERVABILITY_INPUT,
  webhookSecretFile: z.string().min(1).optional(),
  ...DRIFT_INPUT,
});
type Input = z.infer<typeof Input>;

/** SIGTERM is how a service is stopped: exit code 0. Ctrl-C is 130, as for every command. */
export const endsBySignal = true;

/** Time that running requests have to finish. */
const SHUTDOWN_GRACE_MS = 10_000;

/** What to do where another process serves the folder. */
const SERVED = 'to serve it twice: --read-only with another --port';

/** Runs `arx serve`. */
export async function run(input: Input, app: App): Promise<void> {
  if (app.isRecorded)
    throw new Fault('usage', 'serve answers requests; --record is for commands that send them');
  if (app.world.signal.aborted) return;
  const { archives, metricsPort = 0 } = input;
  refuseSamePorts({
    api: input.port,
    assets: assetPortOf(input),
    ...(input.metricsHost === input.host ? { metrics: metricsPort } : {}),
  });
  if (input.redirectFiles !== undefined && !isBucketAddress(input.blobs ?? ''))
    throw new Fault('usage', '--redirect-files goes with --blobs s3://…');
  if (archives !== undefined) {
    checkOptions(input);
    const databases = {
      databases: archives,
      blobs: input.blobs,
      readOnly: input.readOnly,
      option: '--archives',
    };
    return withServers(databases, app, async (servers) => {
      // A wrong address or password is found now, and not by the first request.
      for (const { server } of servers) await server.catalogue.get('SELECT 1 AS one');
      if (servers.length > 1) await noticeSameNames(servers, app);
      await serve(archivesSubject(servers, input, app), input, app);
    });
  }
  const place = (await archivePlace(input, app)) ?? { dir: app.directories.data };
  if (input.database !== undefined && 'dir' in place && !input.readOnly) await checkArchiveFolder(place.dir);
  const archive = await app.openArchive({
    ...('dir' in place ? { ...place, isServed: true } : place),
    ...(input.readOnly ? { readOnly: true } : {}),
  });
  if (input.database !== undefined || archive.isNew) await noticeEmpty(archive, place, app);
  const work = () => serve(archiveSubject(archive, app), input, app);
  // One process serves a folder: it counts requests of addresses and drifting reads in its memory.
  if ('dir' in place && !input.readOnly)
    await withExclusiveLock(join(place.dir, 'serve'), app.storeWorld, work, SERVED);
  else await work();
}

async function serve(subject: Subject, input: Input, app: App): Promise<void> {
  const faultOptions = await faultOptionsOf(input, app);
  const { webhookSecretFile: secretFile } = input;
  const webhookSecrets = secretFile === undefined ? undefined : await readWebhookSecrets(secretFile, app);
  const limits = await connectionLimits(input);
  const log = await openAccessLog(input, app);
  const accessLog = log?.accessLog;
  const driftLog = input.driftLog === undefined ? undefined : await openDriftLog(input.driftLog, app);
  const { createMetricsService } = await import('../service/http/index.ts');
  const { loadHandlers } = await import('../service/administration.ts');
  await loadHandlers();
  const assetUrl = app.settings.asset_url.value;
  const { onFailure, watched } = await failureReporter(accessLog, app);
  const hosts = input.allowHost === undefined ? {} : { allowedHosts: input.allowHost };
  const metrics = input.metricsPort === undefined ? undefined : await openMetrics(subject, accessLog, app);
  const ports = createPorts(accessLog, metrics);
  const portOptions = { host: input.host, onFailure, ...hosts, ...limits };
  const tier = ownerTier(input);
  const redirects = input.redirectFiles === undefined ? {} : { redirectSeconds: input.redirectFiles };
  const assets = await ports.open(
    'assets',
    // Nobody but the owner is given the address of a file above the tier of the others.
    watched(await subject.assets({ onFailure, maxTier: tier ?? highestTier(input), ...redirects })),
    { ...portOptions, port: assetPortOf(input) },
    { api: input.port, ...(input.metricsPort === undefined ? {} : { metrics: input.metricsPort }) },
  );
  const faults =
    subject.archive === undefined ? undefined : await faultPlanOf(subject.archive, faultOptions, driftLog);
  const owner = createOwnerSecret(app.directories.config, app.storeWorld);
  const service = await subject.api({
    assetUrl: assetUrl ?? assets.url,
    ...redirects,
    version: app.version,
    // Anyone who reaches a port may ask for a token: other users of this machine, or everyone.
    maxTier: highestTier(input),
    ...(tier === undefined ? {} : { owner: { secret: owner.secret, maxTier: tier } }),
    onFailure,
    ...(metrics === undefined ? {} : { onCacheLookup: metrics.cacheLookup }),
    onConflict: (conflict) => accessLog?.note('warn', 'event conflict', conflict),
    ...(webhookSecrets === undefined ? {} : { webhookSecrets }),
    ...(faults === undefined ? {} : { faults }),
  });
  const api = await ports.open('api', watched(service), { ...portOptions, port: input.port });
  if (tier !== undefined) owner.publish(api.url);
  const metricsPort =
    metrics === undefined
      ? undefined
      : await ports.open('metrics', createMetricsService(metrics, app.world.randomBytes), {
          host: input.metricsHost,
          port: input.metricsPort ?? 0,
        });
  await subject.start();
  const notice = strangersNotice(input, webhookSecrets === undefined && !subject.readOnly);
  if (notice !== undefined) app.notice(notice);
  const line = {
    type: 'listening',
    base_url: api.url,
    asset_url: assetUrl ?? assets.url,
    pid: app.world.pid,
    database: subject.engine,
    ...(metricsPort === undefined ? {} : { metrics_url: `${metricsPort.url}/metrics` }),
  };
  const path = subject.archive === undefined ? '/a/NAME' : '';
  await app.printer.report(line, () => [`listening on ${line.base_url}${path}, files on ${line.asset_url}`]);
  accessLog?.note('info', 'listening', line);
  app.onInterrupt(() => ({
    kept: 'running requests were finished',
    next: 'run the same command to serve again',
  }));
  await aborted(app.world.signal);
  accessLog?.note('info', 'ending');
  owner.withdraw();
  await ports.close(SHUTDOWN_GRACE_MS);
  await subject.stop();
  accessLog?.note('info', 'ended');
  metrics?.close();
  await driftLog?.close();
  await log?.close();
}

/** Returns the port of the files: the one after that of the API, unless it is given. */
function assetPortOf({ port, assetPort }: Input): number {
  return assetPort ?? (port === 0 ? 0 : port + 1);
}

/** Resolves when the run is interrupted. */
async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
