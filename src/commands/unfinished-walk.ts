// The Fault of a frozen walk that did not reach the end of its list.
import { Fault, type FaultDetail } from '../faults.ts';
import { shellLine } from '../format/shell-words.ts';

/** Returns the Fault. `dir`: the folder of the walk as it was named. */
export function unfinishedWalkFault(dir: string, detail: FaultDetail = {}): Fault {
  return new Fault('partial', `${dir}: the walk did not reach the end of the list`, {
    hint: `run that walk again with ${shellLine(['--freeze', dir, '--resume'])}`,
    ...detail,
  });
}
