// `arx profile use NAME`: makes a profile the default.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { useProfile } from '../../config/settings-file.ts';

export const Input = z.object({ name: z.string().min(1) });

/** Runs `arx profile use`. */
export async function run({ name }: z.infer<typeof Input>, app: App): Promise<void> {
  await useProfile(app.directories.config, name, app.storeWorld);
  await app.printer.report({ profile: name }, () => [`profile ${name} is the default now`]);
}
