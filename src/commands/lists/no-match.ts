// Says that nothing in a list matches, and what was meant; under `--strict` that fails, since a script asks with it whether there is something.
import type { App } from '../../app.ts';
import { cutText } from '../../contract/search/cut-text.ts';
import { IN_READABLE } from '../../contract/tier.ts';
import { Fault } from '../../faults.ts';
import { shellWord } from '../../shell-words.ts';
import type { Window } from '../shared/input.ts';
import type { MissingWords } from './row-tests.ts';

/**
 * What is known of a list after its last row. `isUnfiltered`: it has no filter, and an empty list is no failure. `isKnown`: no row may be
 * missing, and each row shows whether it matches. `missing`: the words of its options that no row has, where no row may be missing.
 */
export type ListedState = { isUnfiltered: boolean; isKnown: boolean; missing: readonly MissingWords[] };

/**
 * Says where no row of a whole list matches its filters which words none has, and fails the run under `--strict`. A run that failed before
 * says more: that its search found nothing, or not all.
 */
export function failNoMatch(
  rows: number,
  { isUnfiltered, isKnown, missing }: ListedState,
  { after, before }: Window,
  app: Pick<App, 'strict' | 'notice' | 'addFault' | 'hasFailed'>,
): void {
  if (rows > 0 || isUnfiltered || app.hasFailed()) return;
  if (after !== undefined || before !== undefined) return;
  const where = isKnown ? '' : IN_READABLE;
  for (const { option, text, near } of missing) {
    const meant = near === undefined ? '' : `; did you mean --${option} ${shellWord(near)}?`;
    app.notice(`no row has ${option} "${cutText(text)}"${where}${meant}`);
  }
  if (app.strict && isKnown) app.addFault(new Fault('not_found', 'no row matches'));
}
