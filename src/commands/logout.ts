// `arx logout`: deletes the stored token of this service and profile, or with `--all` every stored token.
import * as z from 'zod';
import type { App } from '../app.ts';
import { Fault } from '../faults.ts';
import { plural } from '../format/numbers.ts';
import { forgottenView } from '../format/views/index.ts';
import { CONFIRM_INPUT, confirm } from './shared/confirm.ts';

export const Input = z.object({ all: z.boolean().default(false), ...CONFIRM_INPUT });
type Input = z.infer<typeof Input>;

/** Runs `arx logout`. */
export async function run(input: Input, app: App): Promise<void> {
  if (input.all) return logoutEverywhere(input, app);
  if (input.dryRun || input.yes) throw new Fault('usage', '--dry-run and --yes go with --all');
  const session = await app.session();
  const forgotten = await session.logout();
  await app.printer.report({ origin: session.origin, profile: app.settings.profile.value, forgotten }, () => [
    forgotten ? `deleted the token for ${session.origin}` : `there was no token for ${session.origin}`,
  ]);
}

async function logoutEverywhere(input: Input, app: App): Promise<void> {
  const { tokens } = app;
  const entries = await tokens.list();
  const what = plural(entries.length, 'token');
  if (input.dryRun) app.notice(`dry run, nothing is changed; would delete ${what} in ${tokens.place}`);
  else if (entries.length > 0) await confirm(`delete ${what} in ${tokens.place}?`, input, app);
  const rows = [];
  for (const { origin, profile } of entries) {
    const forgotten = !input.dryRun && (await tokens.remove(origin, profile));
    rows.push({ origin, profile, forgotten });
  }
  await app.printer.list(forgottenView, {
    rows,
    summary: () => ({ rows: rows.length, complete: true }),
  });
}
