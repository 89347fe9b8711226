// The access log and the metrics of `arx serve`.
import { constants } from 'node:fs';
import { open, readdir, statfs, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { escapeText } from '../../format/terminal/escape.ts';
import { wholeNumber } from '../shared/input.ts';
import type { Archive } from '../../service/index.ts';
import {
  combineObservers,
  LOG_LEVELS,
  type LogEntry,
  type AccessLog,
  type Metrics,
  type PortObserver,
} from '../../service/http/index.ts';

/** A port number as typed. */
export const PortNumber = wholeNumber(0).refine((port) => port <= 65_535, 'must be a port from 0 to 65535');

/** The input of the options about the access log and the metrics. */
export const OBSERVABILITY_INPUT = {
  log: z.string().min(1).optional(),
  logLevel: z.enum(LOG_LEVELS).default('info'),
  metricsPort: PortNumber.optional(),
  metricsHost: z.string().min(1).default('127.0.0.1'),
};
const WatchInput = z.object(OBSERVABILITY_INPUT);

/**
 * Opens the access log of `--log FILE`, of `--log -` (stderr) or of `-v`; undefined without these. Lines are JSON, but
 * words on a terminal. Throws as {@link openForAppending}; a log that is open never throws.
 */
export async function openAccessLog(
  { log, logLevel }: z.infer<typeof WatchInput>,
  app: App,
): Promise<{ accessLog: AccessLog; close(): Promise<void> } | undefined> {
  const { stderr, now, monotonic } = app.world;
  const path = log ?? (app.verbose ? '-' : undefined);
  if (path === undefined) return undefined;
  const { createAccessLog } = await import('../../service/http/index.ts');
  const common = { level: logLevel, now, monotonic };
  if (path === '-') {
    const accessLog = createAccessLog({
      ...common,
      format: stderr.isTTY ? lineForPeople : lineOfJson,
      write: (text) => stderr.write(text),
    });
    return { accessLog, close: accessLog.close };
  }
  const file = await openForAppending(path, app);
  const accessLog = createAccessLog({
    ...common,
    format: lineOfJson,
    write: (text) => file.appendFile(text),
  });
  return {
    accessLog,
    close: async () => {
      await accessLog.close();
      await file.close().catch(() => {});
    },
  };
}

/**
 * Opens a file for appending, and makes it where it is missing. It never blocks: a FIFO without a reader is refused, and
 * a full one fails the write. Throws Fault 'unsafe' or 'disk'.
 */
export async function openForAppending(path: string, { world }: App): Promise<FileHandle> {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
  try {
    return await open(resolve(world.cwd, path), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  } catch (error) {
    throw diskFault(error, path);
  }
}

function lineOfJson(entry: LogEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** `12:00:00 info answered GET attachments 200 3.1 ms 127.0.0.1 internal req_…` */
function lineForPeople({ time, level, event, ms, ...rest }: LogEntry): string {
  const words = [
    time.slice(11, 19),
    level,
    event,
    ms === undefined ? undefined : `${String(ms)} ms`,
    ...Object.values(rest),
  ];
  return `${escapeText(words.filter((word) => word !== undefined && word !== null).join(' '))}\n`;
}

/** Returns the observer of a port, undefined without a log and without metrics. */
export function observerOf(
  port: string,
  accessLog: AccessLog | undefined,
  metrics: Metrics | undefined,
): PortObserver | undefined {
  const [one, other] = [accessLog?.observePort(port), metrics?.observePort(port)];
  return one !== undefined && other !== undefined ? combineObservers(one, other) : (one ?? other);
}

/** Returns the metrics of the process, and those that `subject` adds. */
export async function openMetrics(
  { engine, addMetrics }: { engine: string; addMetrics(metrics: Metrics): Promise<void> },
  accessLog: AccessLog | undefined,
  app: App,
): Promise<Metrics> {
  const { createMetrics } = await import('../../service/http/index.ts');
  const { world } = app;
  const metrics = createMetrics(world.monotonic);
  const startedMs = world.now();
  metrics.gauge('arx_build_info', 'What runs here.', () => [
    [{ version: app.version, engine, node: world.nodeVersion }, 1],
  ]);
  metrics.gauge('process_start_time_seconds', 'When it began to serve.', () => startedMs / 1000);
  metrics.gauge('process_resident_memory_bytes', 'Resident memory.', () => world.usage().rss);
  metrics.counter('process_cpu_seconds_total', 'Time of cores used.', () => world.usage().cpuMs / 1000);
  // Only Linux has this folder; elsewhere the metric is absent.
  metrics.gauge('process_open_fds', 'Open descriptors.', async () => (await readdir('/proc/self/fd')).length);
  await addMetrics(metrics);
  if (accessLog !== undefined)
    metrics.counter('arx_log_lines_lost_total', 'Lines the log did not take.', accessLog.lost);
  return metrics;
}

/** Adds the metrics of one archive, and of the disk below it. */
export async function addMetricsOf(metrics: Metrics, archive: Archive, app: App): Promise<void> {
  const { addArchiveMetrics } = await import('../../service/http/index.ts');
  metrics.gauge('arx_disk_free_bytes', 'Space left for the files of the archive.', async () => {
    const dir = archive.blobs.dir ?? app.directories.data;
    // The folder does not exist before the first file.
    const { bavail, bsize } = await statfs(dir).catch(() => statfs(dirname(dir)));
    return bavail * bsize;
  });
  addArchiveMetrics(metrics, archive);
}
