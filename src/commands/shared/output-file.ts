// Writes HTML pages and reports to the files that `--html` and `--report` name.
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { requireFolder } from '../../disk/require-folder.ts';
import { Fault } from '../../faults.ts';
import { formatBytes } from '../../format/numbers.ts';
import { saveVerified } from '../../download/save-verified.ts';

/** `--html FILE` and `--report FILE` as typed; `-` is standard output, which then has nothing else. */
export const OutputFile = z.string().min(1);

/** Throws Fault 'usage' where a file that goes to standard output (`-`) is given an output form, or is to replace a file. */
export function checkOutputFile(
  option: string,
  { file, force }: { file: string | undefined; force: boolean },
  app: App,
): void {
  if (force && (file === undefined || file === '-') && !app.isRecorded)
    throw new Fault('usage', `--force goes with ${option} FILE`);
  if (file === '-' && app.settings.output.origin === 'flag')
    throw new Fault('usage', `${option} - is the whole output, so it does not go with an output form`);
}

/**
 * Throws where a file could not be written later because of what has its name: Fault `unsafe` for what is no regular file,
 * and without `force` for any. For work that takes long, before it begins.
 */
export async function checkFree(file: string, force: boolean, { world }: Pick<App, 'world'>): Promise<void> {
  await checkFolderOf(file, world);
  const found = await lstat(resolve(world.cwd, file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw diskFault(error, file);
  });
  if (found === undefined || (force && found.isFile())) return;
  if (!found.isFile())
    throw new Fault('unsafe', `${file} exists and is not a regular file`, {
      hint: `name a file, or - for standard output`,
    });
  throw new Fault('unsafe', `${file} exists`, { hint: 'replace it with --force' });
}

/** Throws Fault 'disk' where the folder of a file is missing. */
export async function checkFolderOf(file: string, world: App['world']): Promise<void> {
  await requireFolder(dirname(resolve(world.cwd, file)));
}

/** Writes an HTML page and prints a notice; to standard output for `-`. Throws as {@link writeTextFile}. */
export async function writeHtmlPage(file: string, text: string, force: boolean, app: App): Promise<void> {
  if (file === '-') return app.printer.bytes(Buffer.from(text));
  const bytes = await writeTextFile(file, text, force, app);
  app.notice(`the page is in ${file}, ${formatBytes(bytes)}`);
}

/**
 * Writes a file, which gets its name only when it is complete, and returns its size in bytes. Replaces a file of other
 * content only with `force`. Throws as `saveVerified`.
 */
export async function writeTextFile(file: string, text: string, force: boolean, app: App): Promise<number> {
  await checkFolderOf(file, app.world);
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
