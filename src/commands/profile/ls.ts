// `arx profile ls`: lists the profiles and marks the one in use.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { profileRows } from '../../config/settings.ts';
import { profileView } from '../../format/views/index.ts';

export const Input = z.object({});

/** Runs `arx profile ls`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const rows = profileRows(app.settingsFile, app.settings.profile.value);
  await app.printer.list(profileView, {
    status: 'stable',
    rows,
    summary: () => ({ rows: rows.length, complete: true }),
  });
}
