// Reads that may take long, over ones that have rows.
import { createTurns } from '../../../concurrency/turns.ts';
import type { LongReads, Reads, Row, Value } from './database.ts';

/** Returns reads that may take long. `until` returns the same reads with a signal; without it they end between two statements. */
export function longReadsOver(
  reads: Reads,
  until: (signal: AbortSignal) => Reads = (signal) => betweenStatements(reads, signal),
): LongReads {
  return {
    ...reads,
    numbers: async (sql: string, parameters?: readonly Value[]) =>
      Float64Array.from(await reads.all<{ n: number }>(sql, parameters), ({ n }) => n),
    until: (signal) => longReadsOver(until(signal), until),
  };
}

function betweenStatements(reads: Reads, signal: AbortSignal): Reads {
  const turn = createTurns();
  const mayGoOn = async (): Promise<void> => {
    await turn();
    signal.throwIfAborted();
  };
  return {
    ...reads,
    async all<T extends Row>(sql: string, parameters?: readonly Value[]) {
      await mayGoOn();
      return reads.all<T>(sql, parameters);
    },
    async get<T extends Row>(sql: string, parameters?: readonly Value[]) {
      await mayGoOn();
      return reads.get<T>(sql, parameters);
    },
  };
}
