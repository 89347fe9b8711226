// `arx config set KEY VALUE`: changes a setting, of the profile that --profile names or of all.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { setSetting } from '../../config/settings-file.ts';
import { withoutPassword } from '../../shell-words.ts';
import { moveTokensTo } from './move-tokens.ts';

export const Input = z.object({ key: z.string(), value: z.string() });

/** Runs `arx config set`. */
export async function run({ key, value }: z.infer<typeof Input>, app: App): Promise<void> {
  const { profile } = app.settings;
  const named = profile.origin === 'flag' ? profile.value : undefined;
  if (named === undefined && key === 'token_store') await moveTokensTo(value, app);
  await setSetting(app.directories.config, key, value, named, app.storeWorld);
  const shown = withoutPassword(value);
  await app.printer.report({ key, value: shown, profile: named ?? null }, () => [`${key} = ${shown}`]);
}
