// Pages and reports on the disk: under their name only when they are whole, and over another file only where that is asked for.
import { createHash } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { formatBytes } from '../format/numbers.ts';
import { saveVerified } from '../download/save-verified.ts';

/** `--html FILE` and `--report FILE` as typed. */
export const OutputFile = z
  .string()
  .min(1)
  .refine((path) => path !== '-', 'name a file');

/** Faults as {@link writeTextFile}. */
export async function writeHtmlPage(file: string, text: string, force: boolean, app: App): Promise<void> {
  const bytes = await writeTextFile(file, text, force, app);
  app.notice(`the page is in ${file}, ${formatBytes(bytes)}`);
}

/** The size in bytes of what stands there now. Faults as download/save-verified.ts has them. */
export async function writeTextFile(file: string, text: string, force: boolean, app: App): Promise<number> {
  const bytes = Buffer.from(text);
  const path = resolve(app.world.cwd, file);
  const target = {
    dir: dirname(path),
    name: basename(path),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
  };
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield bytes;
  }
  await saveVerified(stream(), target, { force, world: app.world });
  return bytes.length;
}
