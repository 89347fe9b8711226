// `arx config ls`: lists all settings with the source of each value.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { settingRows } from '../../config/settings.ts';
import { settingView } from '../../format/views/index.ts';

export const Input = z.object({});

/** Runs `arx config ls`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const rows = settingRows(app.settings);
  await app.printer.list(settingView, {
    status: 'stable',
    rows,
    summary: () => ({ rows: rows.length, complete: true }),
  });
}
