// `arx serve --archives`: all archives of databases, each under the path `/a/NAME` of one service.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import type { ArchiveServices } from '../../service/administration.ts';
import type { DatabaseServer } from '../database-servers.ts';
import type { Subject } from './subject.ts';

/** Options that are about one archive. */
const OF_ONE_ARCHIVE = [
  'database',
  'webhookSecretFile',
  'drift',
  'driftReported',
  'driftWrites',
  'driftLatency',
  'transportFaults',
  'listVariants',
] as const;

/** Throws Fault 'usage' for an option that does not go with `--archives`. */
export function checkOptions(input: Partial<Record<(typeof OF_ONE_ARCHIVE)[number], unknown>>): void {
  const other = OF_ONE_ARCHIVE.find((name) => input[name] !== undefined);
  if (other === undefined) return;
  const option = `--${other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new Fault('usage', `${option} is about one archive, and --archives serves all of a database`);
}

/** Returns all archives of the databases as what is served. */
export function archivesSubject(
  servers: readonly DatabaseServer[],
  { readOnly }: { readOnly: boolean },
  app: App,
): Subject {
  const { now, randomBytes, sleep } = app.world;
  let begin: (services: ArchiveServices) => void;
  const services = new Promise<ArchiveServices>((resolve) => (begin = resolve));
  let begun: ArchiveServices | undefined;
  return {
    readOnly,
    engine: 'postgres',
    // The files are served as soon as the services know where.
    assets: async () => async (request) => (await services).assets(request),
    async api({ onFailure, ...service }) {
      const { errorName, NoArchive, openArchive } = await import('../../service/index.ts');
      const { archiveNames, createArchiveServices, hasQueuedEvents } =
        await import('../../service/administration.ts');
      begun = createArchiveServices({
        readOnly,
        now,
        randomBytes,
        service,
        onFailure,
        onWorkerFailure: (error, name) => app.log(`events of ${name} wait: ${errorName(error)}`),
        async open(name, onMissing) {
          let failure: unknown = new NoArchive();
          for (const { placeOf } of servers) {
            try {
              return await openArchive({
                ...placeOf(name),
                readOnly,
                mustExist: true,
                onMissing,
                now,
                randomBytes,
                sleep,
              });
            } catch (error) {
              // What is an unfinished copy here is whole elsewhere.
              if (!(error instanceof NoArchive)) failure = error;
            }
          }
          throw failure;
        },
        async namesWithEvents() {
          const names: string[] = [];
          for (const { server } of servers)
            for (const name of await archiveNames(server))
              if (await hasQueuedEvents(server, name).catch(() => false)) names.push(name);
          return names;
        },
        check: async () => {
          await Promise.all(servers.map(({ server }) => server.catalogue.get('SELECT 1 AS one')));
        },
      });
      begin(begun);
      return begun.api;
    },
    start: async () => {},
    stop: async () => begun?.close(),
    async addMetrics(metrics) {
      const { addPoolMetrics } = await import('../../service/http/index.ts');
      addPoolMetrics(metrics, () => {
        const pools = servers.flatMap(({ server }) => [server.pool, server.pages]);
        const sum = (of: (pool: (typeof pools)[number]) => number) =>
          pools.reduce((all, pool) => all + of(pool), 0);
        const idle = sum((pool) => pool.idleCount);
        return {
          busy: sum((pool) => pool.totalCount) - idle,
          idle,
          waiting: sum((pool) => pool.waitingCount),
        };
      });
      metrics.gauge('arx_archives_open', 'Archives that are open.', () => begun?.counts().open ?? 0);
      metrics.counter('arx_archives_opened_total', 'Archives opened.', () => begun?.counts().opened ?? 0);
      metrics.counter('arx_archives_closed_total', 'Archives closed.', () => begun?.counts().closed ?? 0);
    },
  };
}
