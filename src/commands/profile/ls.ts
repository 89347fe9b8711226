// `arx profile ls`: the profiles, and which one this run uses.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { profileRows } from '../../config/settings.ts';
import { profileView } from '../../format/views/index.ts';

export const Input = z.object({});

export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const rows = profileRows(app.settingsFile, app.settings.profile.value);
  await app.printer.list(profileView, {
    status: 'stable',
    rows,
    summary: () => ({ rows: rows.length, complete: true }),
  });
}
