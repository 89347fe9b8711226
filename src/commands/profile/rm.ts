// `arx profile rm NAME`: deletes a profile with its settings and tokens.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { removeProfile, unknownProfile } from '../../config/settings-file.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { CONFIRM_INPUT, confirm } from '../shared/confirm.ts';

export const Input = z.object({ name: z.string().min(1), ...CONFIRM_INPUT });

/** Runs `arx profile rm`. */
export async function run({ name, ...input }: z.infer<typeof Input>, app: App): Promise<void> {
  if (name === 'default')
    throw new Fault('usage', 'the profile default is always there', {
      hint: 'arx config unset KEY, arx logout',
    });
  const values = app.settingsFile.profiles.get(name);
  const tokens = (await app.tokens.list()).filter(({ profile }) => profile === name);
  if (values === undefined && tokens.length === 0) throw unknownProfile(name);
  const settings = Object.keys(values ?? {}).length;
  const what = `profile ${name} with ${plural(settings, 'setting')} and ${plural(tokens.length, 'token')}`;
  if (!input.dryRun) {
    await confirm(`delete ${what}?`, input, app);
    // A token without its profile would never be used again, a profile without its token asks for a login.
    for (const { origin } of tokens) await app.tokens.remove(origin, name);
    await removeProfile(app.directories.config, name, app.storeWorld);
  }
  const report = { profile: name, settings, tokens: tokens.length, deleted: !input.dryRun };
  await app.printer.report(report, () => [`${input.dryRun ? 'would delete' : 'deleted'} ${what}`]);
}
