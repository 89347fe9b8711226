// What `arx serve` serves: one archive, or all archives of databases.
import type { App } from '../../app.ts';
import type { Service } from '../../contract/exchange.ts';
import type { Archive, ServiceOptions } from '../../service/index.ts';
import type { Metrics } from '../../service/http/index.ts';
import { addMetricsOf } from './observability.ts';

/** Is called with an unexpected error and the request id of its response, and with the archive where there are several. */
type OnFailure = (requestId: string, error: unknown, archive?: string) => void;

/** What is served, as functions that make its services. */
export type Subject = {
  /** The archive, where there is one. */
  archive?: Archive;
  readOnly: boolean;
  engine: Archive['database']['engine'];
  /** Is called once, before {@link Subject.api}. */
  assets(
    options: Pick<ServiceOptions, 'maxTier' | 'redirectSeconds'> & { onFailure: OnFailure },
  ): Promise<Service>;
  api(options: Omit<ServiceOptions, 'worker' | 'onFailure'> & { onFailure: OnFailure }): Promise<Service>;
  /** Begins to apply events, where they are not applied by the services. */
  start(): Promise<void>;
  stop(): Promise<void>;
  addMetrics(metrics: Metrics): Promise<void>;
};

/** Returns one archive as what is served. */
export function archiveSubject(archive: Archive, app: App): Subject {
  let worker: { wake(): void; stop(): Promise<void> } | undefined;
  return {
    archive,
    readOnly: archive.readOnly,
    engine: archive.database.engine,
    async assets(options) {
      const { createAssetService } = await import('../../service/index.ts');
      return createAssetService(archive, options);
    },
    async api(options) {
      const { createService } = await import('../../service/index.ts');
      return createService(archive, { ...options, worker: { wake: () => worker?.wake() } });
    },
    async start() {
      if (archive.readOnly) return;
      const { failureText } = await import('../../service/index.ts');
      const { startWorker } = await import('../../service/administration.ts');
      worker = startWorker(archive, (error) => app.log(`events wait: ${failureText(error)}`));
    },
    stop: async () => worker?.stop(),
    addMetrics: (metrics) => addMetricsOf(metrics, archive, app),
  };
}
