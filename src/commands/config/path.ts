// `arx config path`: where settings, tokens and the local archive are kept.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { pathsView } from '../../format/views/index.ts';

export const Input = z.object({});

export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const paths = { config: app.settingsFile.path, tokens: app.tokens.path, archive: app.directories.data };
  await app.printer.record(pathsView, paths);
}
