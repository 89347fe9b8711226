// Rows that surfaced among frozen ones: said to the user, and a failure where the user is strict.
import type { App } from '../app.ts';
import { Fault } from '../faults.ts';

/** The fault they are under `--strict`; else undefined, after a notice where there are any. */
export function lateRowsFault(
  late: readonly string[],
  app: Pick<App, 'strict' | 'notice'>,
): Fault | undefined {
  if (late.length === 0) return undefined;
  const words = `rows surfaced among frozen ones, written meanwhile or missed: ${late.join(', ')}`;
  if (app.strict) return new Fault('unstable', words);
  app.notice(words);
  return undefined;
}
