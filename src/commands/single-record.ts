// Tells faults of one record from those of the run, for commands that read several records.
import { Fault } from '../faults.ts';

/** Faults that end the run: the next record would have them too. */
const ENDING = new Set(['interrupted', 'network', 'auth', 'busy', 'disk', 'store', 'usage', 'internal']);

/** Returns whether a Fault concerns one record, so that others can still be read. */
export function isOfOneRecord(error: unknown): error is Fault {
  return error instanceof Fault && !ENDING.has(error.kind);
}
