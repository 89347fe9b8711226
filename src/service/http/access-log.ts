// The log of a service: a line for each answer and for what happens to the process; a sink that fails costs lines, never service.
import type { CompletedRequest, PortObserver } from './port-observer.ts';

export const LOG_LEVELS = ['error', 'warn', 'info'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogEntry = { time: string; level: LogLevel } & Record<string, string | number | boolean | null>;

export type AccessLogOptions = {
  /** The least urgent level that is written. */
  level: LogLevel;
  /** Milliseconds since the epoch. */
  now(): number;
  monotonic(): number;
  /** An entry as text, with its line end. */
  format(entry: LogEntry): string;
  /** Resolves when the text is taken; may be slow, and may fail each time. */
  write(text: string): Promise<void>;
};

export type AccessLog = {
  note(level: LogLevel, event: string, more?: Record<string, string | number | boolean>): void;
  /** For the port of this name. */
  observePort(port: string): PortObserver;
  /** Lines that the sink did not take so far. */
  lost(): number;
  /** Resolves when all that was noted is written or given up. */
  close(): Promise<void>;
};

/** Characters that wait for a slow sink; what comes beyond is counted and dropped. */
const MAX_PENDING_CHARS = 1024 * 1024;

export function createAccessLog({ level, now, monotonic, format, write }: AccessLogOptions): AccessLog {
  let waiting = '';
  let lines = 0;
  let lost = 0;
  let untold = 0;
  let writing: Promise<void> | undefined;

  const lose = (count: number): void => {
    lost += count;
    untold += count;
  };
  const flush = async (): Promise<void> => {
    while (waiting !== '') {
      const [text, count] = [waiting, lines];
      waiting = '';
      lines = 0;
      await write(text).then(
        () => {
          if (untold === 0) return;
          const gone = untold;
          untold = 0;
          add({ time: instant(), level: 'warn', event: 'log lines lost', count: gone });
        },
        () => lose(count),
      );
    }
    writing = undefined;
  };
  const add = (entry: LogEntry): void => {
    const text = format(entry);
    if (waiting.length + text.length > MAX_PENDING_CHARS) return lose(1);
    waiting += text;
    lines += 1;
    writing ??= flush();
  };
  const instant = (): string => new Date(now()).toISOString();
  const isWanted = (of: LogLevel): boolean => LOG_LEVELS.indexOf(of) <= LOG_LEVELS.indexOf(level);

  return {
    note(of, event, more = {}) {
      if (isWanted(of)) add({ time: instant(), level: of, event, ...more });
    },
    observePort: (port) => ({
      monotonic,
      connected() {},
      disconnected() {},
      rejected(reason) {
        if (isWanted('warn')) add({ time: instant(), level: 'warn', event: 'turned away', port, reason });
      },
      requestStarted() {},
      requestCompleted(answer) {
        const of = levelOf(answer);
        if (isWanted(of)) add({ time: instant(), level: of, event: 'answered', port, ...fieldsOf(answer) });
      },
    }),
    lost: () => lost,
    close: async () => {
      await writing;
    },
  };
}

function levelOf({ status, aborted }: CompletedRequest): LogLevel {
  if (status >= 500) return 'error';
  return status >= 400 || status === 0 || aborted ? 'warn' : 'info';
}

function fieldsOf({ requestId, method, route, status, ms, bytes, address, tier, aborted }: CompletedRequest) {
  return {
    request_id: requestId,
    method,
    route: route ?? null,
    status,
    ms: Math.round(ms * 100) / 100,
    bytes,
    address,
    tier: tier ?? null,
    ...(aborted ? { cut: true } : {}),
  };
}
