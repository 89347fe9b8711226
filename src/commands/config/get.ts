// `arx config get KEY`: shows the value of a setting.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { parseSettingKey } from '../../config/settings-file.ts';
import { settingRows } from '../../config/settings.ts';

export const Input = z.object({ key: z.string() });

/** Runs `arx config get`. */
export async function run({ key }: z.infer<typeof Input>, app: App): Promise<void> {
  const known = parseSettingKey(key);
  const row = settingRows(app.settings).find((each) => each.key === known);
  if (app.wantsJson) await app.printer.report(row ?? {}, () => []);
  else await app.printer.text(String(row?.value ?? ''));
}
