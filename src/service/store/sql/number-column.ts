// Reads the column `n` of many rows.
import type { LongReads, Reads, Value } from './database.ts';

/** Returns reads that may take long over ones that have rows. */
export function withNumbers(reads: Reads): LongReads {
  return {
    ...reads,
    numbers: async (sql: string, parameters?: readonly Value[]) =>
      Float64Array.from(await reads.all<{ n: number }>(sql, parameters), ({ n }) => n),
  };
}
