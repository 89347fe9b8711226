// `arx config list`: all settings, with where each value came from.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { settingRows } from '../../config/settings.ts';
import { settingView } from '../../format/views/index.ts';

export const Input = z.object({});

export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const rows = settingRows(app.settings);
  await app.printer.list(settingView, {
    status: 'stable',
    rows,
    summary: () => ({ rows: rows.length, complete: true }),
  });
}
