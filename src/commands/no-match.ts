// Fails a list in which nothing matches, under `--strict`: a script asks with it whether there is something.
import type { App } from '../app.ts';
import { Fault } from '../faults.ts';
import type { Window } from './input.ts';

/**
 * Fails the run under `--strict` where no row of a whole list matches its filters. `isUnfiltered`: it has none, and an empty list is
 * no failure. `isKnown`: no row may be missing, and each row shows whether it matches. A run that failed before says more: that its search
 * found nothing, or not all.
 */
export function failNoMatch(
  rows: number,
  { isUnfiltered, isKnown }: { isUnfiltered: boolean; isKnown: boolean },
  { after, before }: Window,
  app: Pick<App, 'strict' | 'addFault' | 'hasFailed'>,
): void {
  if (rows > 0 || isUnfiltered || !app.strict || !isKnown || app.hasFailed()) return;
  if (after === undefined && before === undefined) app.addFault(new Fault('not_found', 'no row matches'));
}
