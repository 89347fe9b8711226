// Rows that were seen between rows already frozen: a notice, or a fault under `--strict`.
import type { App } from '../../app.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';

/** Returns the fault of late rows under `--strict`. Otherwise prints a notice when there are any. */
export function lateRowsFault(
  late: readonly string[],
  app: Pick<App, 'strict' | 'notice'>,
): Fault | undefined {
  if (late.length === 0) return undefined;
  const rows = `${plural(late.length, 'row')} ${late.length === 1 ? 'was' : 'were'}`;
  const message = `${rows} seen between frozen rows, written during the walk or missed: ${late.join(', ')}`;
  if (app.strict) return new Fault('unstable', message);
  app.notice(message);
  return undefined;
}
