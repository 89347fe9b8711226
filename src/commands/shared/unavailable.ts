// The Fault of a command that met rows or files which are withheld, or absent from the archive.
import type { App } from '../../app.ts';
import type { PullReport } from '../../contract/reports/files.ts';
import { Fault, type FaultDetail } from '../../faults.ts';
import { partOf, plural } from '../../format/numbers.ts';

/** How many of `total` files or rows cannot be had. `absent`: the archive never had their bytes. */
export type Unavailable = { withheld: number; absent: number; total: number };

/** Returns Fault 'partial' saying how many files or rows are withheld or absent; undefined where none is. */
export function unavailableFault(
  { withheld, absent, total }: Unavailable,
  noun: 'file' | 'row',
  detail: FaultDetail = {},
): Fault | undefined {
  if (withheld + absent === 0) return undefined;
  const first =
    withheld > 0 ? `${partOf(withheld, total, noun)} withheld` : `${partOf(absent, total, noun)} absent`;
  return new Fault('partial', withheld > 0 && absent > 0 ? `${first}, ${absent} absent` : first, detail);
}

/** Fails a run under `--strict` if files or rows that it shows are withheld or absent. */
export function failUnavailable(
  app: Pick<App, 'strict' | 'addFault'>,
  counts: Unavailable,
  noun: 'file' | 'row',
): void {
  const fault = unavailableFault(counts, noun);
  if (app.strict && fault !== undefined) app.addFault(fault);
}

/** Fails the run with Fault 'partial' if files were withheld or absent. */
export function failWithheld(
  app: Pick<App, 'addFault'>,
  { files, verdicts: { match } }: Pick<PullReport, 'files' | 'verdicts'>,
): void {
  const count = (wanted: string): number => files.filter(({ verdict }) => verdict === wanted).length;
  const counts = { withheld: count('withheld'), absent: count('absent'), total: files.length };
  const fault = unavailableFault(counts, 'file', { kept: plural(match, 'file') });
  if (fault !== undefined) app.addFault(fault);
}

/** Throws Fault 'usage' for `--allow-withheld` beside `--strict`, which fails for what is withheld. */
export function checkAllowWithheld(
  { allowWithheld }: { allowWithheld: boolean },
  { strict }: Pick<App, 'strict'>,
): void {
  if (allowWithheld && strict)
    throw new Fault('usage', '--allow-withheld does not go with --strict, which fails for withheld files');
}
