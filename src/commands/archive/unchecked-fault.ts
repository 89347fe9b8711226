// The Fault of a check of an archive that an error of arx itself left incomplete.
import type { FsckReport } from '../../contract/reports/archive.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';

/** Returns the Fault; none where all was checked, or where the report names the damage over which checks failed. */
export function uncheckedFault({ unchecked = [], unchecked_is_explained }: FsckReport): Fault[] {
  if (unchecked.length === 0 || unchecked_is_explained === true) return [];
  const { error } = unchecked[0]!;
  return [
    new Fault(
      'internal',
      `an error of arx (${error}) left ${plural(unchecked.length, 'part')} of the archive unchecked`,
      { hint: '"unchecked" in the report names them; please report this error' },
    ),
  ];
}
