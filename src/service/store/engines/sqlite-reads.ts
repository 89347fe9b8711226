// Long reads of SQLite in a process of their own. While SQLite runs a statement, the process in which it runs does nothing else. It is a
// process and no thread, because that can be ended in the middle of a statement.
import { whenAborted } from '../../../concurrency/when-aborted.ts';
import type { OwnProcess } from '../../../world.ts';
import { DatabaseAccessError } from '../sql/database-error.ts';
import type { LongReads, Row, Value } from '../sql/database.ts';
import { frameOf, readFrames } from './frames.ts';

/** A read of the database at `path`. */
export type Question = {
  path: string;
  kind: 'all' | 'numbers';
  sql: string;
  parameters: readonly Value[];
};

/** What it gave, or the error with its own properties, among which is the code of the engine. */
export type Answer = { value: unknown } | { failure: { message: string; properties: object } };

/** How long a statement may take, as on PostgreSQL. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** How long it goes on when nobody waits for it any more. To end it costs the start of another process, 0.1 to 0.3 seconds. */
const ABANDONED_TIMEOUT_MS = 500;

type Waiting = { question: Question; resolve(value: unknown): void; reject(error: unknown): void };
type Asked = Waiting & { deadline: AbortSignal; onLate(): void };

function endDeadline(asked: Asked): Asked {
  asked.deadline.removeEventListener('abort', asked.onLate);
  return asked;
}

/**
 * Returns the long reads of the database at `path`. The process is started for the first one, and again for the next one where it ended.
 * They run one after the other; one that takes too long ends the process and throws DatabaseAccessError 'busy'. So does one that
 * nobody waits for any more.
 */
export function readsInProcess(path: string, start: () => OwnProcess): { reads: LongReads; close(): void } {
  const waiting: Waiting[] = [];
  let current: Asked | undefined;
  let isClosed = false;
  let running: OwnProcess | undefined;

  /** Returns the question that is no longer asked. Without its listener the deadline does not hold the answer. */
  const endCurrent = (): Asked | undefined => {
    const asked = current;
    if (asked !== undefined) endDeadline(asked);
    current = undefined;
    return asked;
  };
  const started = (): OwnProcess => {
    const child = start();
    child.stdin.on('error', () => {});
    child.stdout.on('error', () => {});
    const take = readFrames((value) => {
      // It may have answered in the moment in which it was ended.
      if (running !== child) return;
      const answered = endCurrent();
      const answer = value as Answer;
      if ('failure' in answer)
        answered?.reject(Object.assign(new Error(answer.failure.message), answer.failure.properties));
      else answered?.resolve(answer.value);
      next();
    });
    child.stdout.on('data', take);
    child.stdout.once('close', () => end(child));
    return child;
  };
  /** Ends a process and what it is asked. The next question is for another one: this one may still answer before it ends. */
  const end = (child: OwnProcess): void => {
    const isRunning = running === child;
    if (isRunning) running = undefined;
    child.kill();
    if (!isRunning) return;
    endCurrent()?.reject(new DatabaseAccessError('busy', 'ended', undefined));
    next();
  };
  const next = (): void => {
    if (current !== undefined) return;
    const asked = waiting.shift();
    if (asked === undefined) return;
    try {
      running ??= started();
    } catch (error) {
      asked.reject(new DatabaseAccessError('busy', 'process', error));
      next();
      return;
    }
    const child = running;
    current = Object.assign(asked, {
      deadline: AbortSignal.timeout(STATEMENT_TIMEOUT_MS),
      onLate: () => end(child),
    });
    current.deadline.addEventListener('abort', current.onLate);
    child.stdin.write(frameOf(asked.question));
  };
  /** Forgets a question that waits, or soon ends the process where it is the current one. */
  const abandon = (asked: Waiting): void => {
    const at = waiting.indexOf(asked);
    if (at >= 0) waiting.splice(at, 1);
    if (asked !== current) return;
    const { onLate } = endDeadline(current);
    current.deadline = AbortSignal.timeout(ABANDONED_TIMEOUT_MS);
    current.deadline.addEventListener('abort', onLate);
  };
  const ask = async (
    signal: AbortSignal | undefined,
    kind: Question['kind'],
    sql: string,
    parameters: readonly Value[] = [],
  ): Promise<unknown> => {
    if (isClosed) throw new DatabaseAccessError('busy', 'closed', undefined);
    signal?.throwIfAborted();
    let ignore: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        const asked: Waiting = { question: { path, kind, sql, parameters }, resolve, reject };
        ignore =
          signal &&
          whenAborted(signal, () => {
            reject(signal.reason as Error);
            abandon(asked);
          });
        waiting.push(asked);
        next();
      });
    } finally {
      ignore?.();
    }
  };
  const readsOf = (signal?: AbortSignal): LongReads => {
    const all = async <T extends Row>(sql: string, parameters?: readonly Value[]) =>
      (await ask(signal, 'all', sql, parameters)) as T[];
    return {
      engine: 'sqlite',
      all,
      get: async <T extends Row>(sql: string, parameters?: readonly Value[]) =>
        (await all<T>(sql, parameters))[0],
      numbers: async (sql, parameters) => (await ask(signal, 'numbers', sql, parameters)) as Float64Array,
      until: readsOf,
    };
  };

  return {
    reads: readsOf(),
    close() {
      isClosed = true;
      for (const { reject } of waiting.splice(0))
        reject(new DatabaseAccessError('busy', 'closed', undefined));
      running?.kill();
    },
  };
}
