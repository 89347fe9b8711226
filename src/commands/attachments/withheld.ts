// The Fault of a command that met rows or files which are withheld, or absent from the archive.
import type { App } from '../../app.ts';
import type { PullReport } from '../../contract/reports/files.ts';
import { Fault, type FaultDetail } from '../../faults.ts';
import { partOf, plural } from '../../format/numbers.ts';

/** How many of `total` files or rows cannot be had. `absent`: the archive never had their bytes. */
type Unavailable = { withheld: number; absent: number; total: number };

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

/** Throws Fault 'usage' for `--allow-withheld` beside `--strict`, which fails for what is withheld. */
export function checkAllowWithheld(
  { allowWithheld }: { allowWithheld: boolean },
  { strict }: Pick<App, 'strict'>,
): void {
  if (allowWithheld && strict)
    throw new Fault('usage', '--allow-withheld does not go with --strict, which fails for withheld files');
}

/** Fails the run with Fault 'partial' if files were withheld or absent. */
export function failWithheld(
  app: Pick<App, 'addFault'>,
  { files, verdicts: { match } }: Pick<PullReport, 'files' | 'verdicts'>,
): void {
  const count = (wanted: string): number => files.filter(({ verdict }) => verdict === wanted).length;
  const [withheld, absent] = [count('withheld'), count('absent')];
  const fault = unavailableFault({ withheld, absent, total: files.length }, 'file', {
    kept: plural(match, 'file'),
  });
  if (fault !== undefined) app.addFault(fault);
}

/** Returns why a folder into which a pull did not end may lack files. */
export function unfinishedPullFault(dir: string): Fault {
  return new Fault('partial', `a pull into ${dir} runs, did not end, or left files out (--max-bytes)`, {
    hint: 'run that pull again: files may be missing, and what is here is not downloaded again',
  });
}

/** Says that a pull into a folder left out rows of which it could not tell whether they match; under `--strict` that is a Fault. */
export function sayUndecided(app: Pick<App, 'strict' | 'notice' | 'addFault'>): void {
  const message =
    'the pull left out rows that do not show whether they match, or did not search all messages: files may be missing';
  if (app.strict) app.addFault(new Fault('partial', message));
  else app.notice(message);
}
