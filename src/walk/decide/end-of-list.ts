// Decides how often the end of the list must be read after everything else is settled.
import type { FaultModel } from './fault-model.ts';

/**
 * Returns how many reads of the end must be made when nothing else is left to prove, so that rows appended during the walk
 * are seen: two where any read was faulty, since one of the two may be.
 */
export function finalEndChecksNeeded({ hasFaults }: FaultModel): number {
  return hasFaults ? 2 : 1;
}
