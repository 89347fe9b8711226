// `arx serve --archives`: all archives of databases, each under the path `/a/NAME` of one service.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import type { ArchiveServices } from '../../service/administration.ts';
import type { DatabaseServer } from '../archive/database-servers.ts';
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

/** How many archives a notice names. */
const MAX_NAMES = 5;

/**
 * Says which archives are in several databases, of which only the one of the first address is served. It is no fault: one may be an
 * old copy. What is being moved is an unfinished copy in one of them.
 */
export async function noticeSameNames(servers: readonly DatabaseServer[], app: App): Promise<void> {
  const { archiveNames, describeArchive } = await import('../../service/administration.ts');
  const found = new Map<string, DatabaseServer['server'][]>();
  for (const { server } of servers)
    for (const name of await archiveNames(server)) found.set(name, [...(found.get(name) ?? []), server]);
  const same: string[] = [];
  for (const [name, places] of found) {
    if (places.length === 1) continue;
    const states = await Promise.all(places.map((server) => describeArchive(server, name)));
    if (states.filter(({ state }) => state !== 'unfinished_copy').length > 1) same.push(name);
  }
  if (same.length === 0) return;
  const shown = same.slice(0, MAX_NAMES).join(', ') + (same.length > MAX_NAMES ? ', …' : '');
  app.notice(
    `${plural(same.length, 'archive')} in more than one of the databases (${shown}): that of the first address is served`,
  );
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
  /** Why a database did not answer the last time it was asked. */
  const failures = new Map<unknown, string | undefined>();
  return {
    readOnly,
    engine: 'postgres',
    // The files are served as soon as the services know where.
    assets: async () => async (request) => (await services).assets(request),
    async api({ onFailure, ...service }) {
      const { failureText, NoArchive, openArchive } = await import('../../service/index.ts');
      const { archiveNames, createArchiveServices, hasQueuedEvents } =
        await import('../../service/administration.ts');
      begun = createArchiveServices({
        readOnly,
        now,
        randomBytes,
        sleep,
        databases: servers.length,
        service,
        onFailure,
        onWorkerFailure: (error, name) => app.log(`events of ${name} wait: ${failureText(error)}`),
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
          const answers = await Promise.all(
            servers.map(({ server }) =>
              server.catalogue.get('SELECT 1 AS one').then(
                () => undefined,
                (error: unknown) => failureText(error),
              ),
            ),
          );
          for (const [at, { server }] of servers.entries()) {
            const failure = answers[at];
            const before = failures.get(server);
            if ((failure === undefined) === (before === undefined)) continue;
            failures.set(server, failure);
            app.notice(
              `the database ${server.place} ${failure === undefined ? 'answers again' : `does not answer: ${failure}`}`,
            );
          }
          return answers.every((failure) => failure === undefined);
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
