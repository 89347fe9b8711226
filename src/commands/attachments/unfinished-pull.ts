// What is said of a folder that may lack files, since its pull did not end or could not judge every row.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';

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
