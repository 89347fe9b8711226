// Writes HTML pages and reports to the files that `--html` and `--report` name.
import { createHash } from 'node:crypto';
import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../app.ts';
import { formatBytes } from '../format/numbers.ts';
import { saveVerified } from '../download/save-verified.ts';

/** `--html FILE` and `--report FILE` as typed; standard output (`-`) is not allowed. */
export const OutputFile = z
  .string()
  .min(1)
  .refine((path) => path !== '-', 'name a file');

/** Writes an HTML page and prints a notice. Throws as {@link writeTextFile}. */
export async function writeHtmlPage(file: string, text: string, force: boolean, app: App): Promise<void> {
  const bytes = await writeTextFile(file, text, force, app);
  app.notice(`the page is in ${file}, ${formatBytes(bytes)}`);
}

/**
 * Writes a file, which gets its name only when it is complete, and returns its size in bytes. Replaces a file of other
 * content only with `force`. Throws as `saveVerified`.
 */
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
