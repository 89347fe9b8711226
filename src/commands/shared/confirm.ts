// Asks before something is changed that cannot be seen at once, or not be taken back.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { Fault, NOTHING_CHANGED } from '../../faults.ts';

/** The options of a command that asks first. */
export const CONFIRM_INPUT = { yes: z.boolean().default(false), dryRun: z.boolean().default(false) };

/**
 * Returns where the change may be made: with `--yes`, or after `y` on a terminal. Throws Fault 'usage' for any other answer,
 * and where there is no terminal to ask on.
 */
export async function confirm(
  question: string,
  { yes }: { yes: boolean },
  app: Pick<App, 'mayAsk' | 'world'>,
): Promise<void> {
  if (yes) return;
  const kept = NOTHING_CHANGED;
  if (!app.mayAsk)
    throw new Fault('usage', `--yes is missing, and there is no terminal to ask on: ${question}`, {
      kept,
      hint: '--dry-run shows what would be changed',
    });
  const { signal, stdin } = app.world;
  const answer = await stdin.line(`${question} [y/N] `, { signal });
  if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) throw new Fault('usage', 'not confirmed', { kept });
}
