// `arx config unset KEY`: removes a setting.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { unsetSetting } from '../../config/settings-file.ts';
import { moveTokensTo } from './move-tokens.ts';

export const Input = z.object({ key: z.string() });

/** Runs `arx config unset`. */
export async function run({ key }: z.infer<typeof Input>, app: App): Promise<void> {
  const { profile } = app.settings;
  const named = profile.origin === 'flag' ? profile.value : undefined;
  if (named === undefined && key === 'token_store') await moveTokensTo('file', app);
  await unsetSetting(app.directories.config, key, named, app.storeWorld);
  await app.printer.report({ key, value: null, profile: named ?? null }, () => [`${key} is unset`]);
}
