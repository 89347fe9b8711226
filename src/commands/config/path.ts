// `arx config path`: shows the places of settings, tokens and the local archive.
import * as z from 'zod';
import type { App } from '../../app.ts';
import { pathsView } from '../../format/views/index.ts';

export const Input = z.object({});

/** Runs `arx config path`. */
export async function run(_input: z.infer<typeof Input>, app: App): Promise<void> {
  const paths = { config: app.settingsFile.path, tokens: app.tokens.place, archive: app.directories.data };
  await app.printer.record(pathsView, paths);
}
