// The Fault of a command that met withheld rows or files.
import type { App } from '../../app.ts';
import type { PullReport } from '../../contract/reports/files.ts';
import { Fault, type FaultDetail } from '../../faults.ts';
import { partOf, plural } from '../../format/numbers.ts';

/** Returns Fault 'partial' saying that `count` of `total` files or rows are withheld. */
export function withheldFault(
  count: number,
  total: number,
  noun: 'file' | 'row',
  detail: FaultDetail = {},
): Fault {
  return new Fault('partial', `${partOf(count, total, noun)} withheld`, detail);
}

/** Fails the run with Fault 'partial' if files were withheld. */
export function failWithheld(app: App, { files, verdicts }: PullReport): void {
  const { withheld, match } = verdicts;
  if (withheld === 0) return;
  app.addFault(withheldFault(withheld, files.length, 'file', { kept: plural(match, 'file') }));
}
