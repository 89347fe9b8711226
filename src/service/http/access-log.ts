// The access log of a service: a line for each response and for events of the process. A failing sink loses lines only.
import type { CompletedRequest, PortObserver } from './port-observer.ts';

/** The levels of the access log, the most urgent first. */
export const LOG_LEVELS = ['error', 'warn', 'info'] as const;
/** A level of the access log. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A line of the access log as an object. `time` is ISO 8601 in UTC. */
export type LogEntry = { time: string; level: LogLevel } & Record<string, string | number | boolean | null>;

/** What the access log writes, how, and with which clocks. */
export type AccessLogOptions = {
  /** The least urgent level that is written. */
  level: LogLevel;
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Returns a clock for durations, in milliseconds. */
  monotonic(): number;
  /** Returns an entry as text, with its line end. */
  format(entry: LogEntry): string;
  /** Resolves when the text is written. It may be slow, and may reject each time. */
  write(text: string): Promise<void>;
};

/** The access log of one process. Only {@link AccessLog.close} waits for the sink. */
export type AccessLog = {
  note(level: LogLevel, event: string, more?: Record<string, string | number | boolean>): void;
  /** Returns the observer that logs the requests of the port with this name. */
  observePort(port: string): PortObserver;
  /** Returns the number of lines that could not be written so far. */
  lost(): number;
  /** Resolves when all lines are written or lost. */
  close(): Promise<void>;
};

/** Characters that may wait for a slow sink. What exceeds them is counted as lost. */
const MAX_PENDING_CHARS = 1024 * 1024;

/** Returns a log that writes through `write`, one call at a time. */
export function createAccessLog({ level, now, monotonic, format, write }: AccessLogOptions): AccessLog {
  let pendingText = '';
  let pendingLines = 0;
  let lost = 0;
  let unreportedLosses = 0;
  let flushing: Promise<void> | undefined;

  const countLost = (count: number): void => {
    lost += count;
    unreportedLosses += count;
  };
  const flush = async (): Promise<void> => {
    while (pendingText !== '') {
      const [text, lines] = [pendingText, pendingLines];
      pendingText = '';
      pendingLines = 0;
      await write(text).then(
        () => {
          if (unreportedLosses === 0) return;
          const count = unreportedLosses;
          unreportedLosses = 0;
          add({ time: timestamp(), level: 'warn', event: 'log lines lost', count });
        },
        () => countLost(lines),
      );
    }
    flushing = undefined;
  };
  const add = (entry: LogEntry): void => {
    const text = format(entry);
    if (pendingText.length + text.length > MAX_PENDING_CHARS) return countLost(1);
    pendingText += text;
    pendingLines += 1;
    flushing ??= flush();
  };
  const timestamp = (): string => new Date(now()).toISOString();
  const isLogged = (entryLevel: LogLevel): boolean =>
    LOG_LEVELS.indexOf(entryLevel) <= LOG_LEVELS.indexOf(level);

  return {
    note(entryLevel, event, more = {}) {
      if (isLogged(entryLevel)) add({ time: timestamp(), level: entryLevel, event, ...more });
    },
    observePort: (port) => ({
      monotonic,
      connected() {},
      disconnected() {},
      rejected(reason) {
        if (isLogged('warn')) add({ time: timestamp(), level: 'warn', event: 'turned away', port, reason });
      },
      requestStarted() {},
      requestCompleted(request) {
        const entryLevel = levelOf(request);
        if (!isLogged(entryLevel)) return;
        add({ time: timestamp(), level: entryLevel, event: 'answered', port, ...fieldsOf(request) });
      },
    }),
    lost: () => lost,
    close: async () => {
      await flushing;
    },
  };
}

function levelOf({ status, aborted }: CompletedRequest): LogLevel {
  if (status >= 500) return 'error';
  return status >= 400 || status === 0 || aborted ? 'warn' : 'info';
}

function fieldsOf(request: CompletedRequest) {
  const { requestId, method, route, status, ms, bytes, address, tier, archive, aborted } = request;
  return {
    request_id: requestId,
    method,
    route: route ?? null,
    status,
    ms: Math.round(ms * 100) / 100,
    bytes,
    address,
    tier: tier ?? null,
    ...(archive === undefined ? {} : { archive }),
    ...(aborted ? { cut: true } : {}),
  };
}
