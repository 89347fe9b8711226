// `arx logout`: deletes the stored token of this service and profile.
import * as z from 'zod';
import type { App } from '../app.ts';

export const Input = z.object({});

/** Runs `arx logout`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const session = await app.session();
  const forgotten = await session.logout();
  await app.printer.report({ origin: session.origin, profile: app.settings.profile.value, forgotten }, () => [
    forgotten ? `deleted the token for ${session.origin}` : `there was no token for ${session.origin}`,
  ]);
}
