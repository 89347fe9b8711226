// `arx attachments show ID --open`: opens a verified file in the system's program for it, unless it could run code.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { fileStateWords, isPullable } from '../../contract/attachment-file.ts';
import { sameHash } from '../../contract/scalars.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import { Fault, type Hint } from '../../faults.ts';
import { digestFile } from '../../verify/digest.ts';
import { sha256Of } from '../../download/hash-of-row.ts';
import { readManifest } from '../../download/manifest.ts';
import { openTargetFolder } from '../../download/target-folder.ts';
import { openRowPuller } from './pull-rows.ts';
import { idArgument } from '../../shell-words.ts';

/** Programs that open a file, by platform. They are started without a shell, with the absolute path as only argument. */
const OPENERS: Record<string, string> = { darwin: 'open', win32: 'explorer.exe' };

/** Extensions of files that programs only show. A file of any other type may be run, or hold code that runs. */
const VIEWED = new Set(
  (
    'png jpg jpeg gif webp bmp tif tiff heic avif mp3 ogg oga opus flac wav m4a aac mp4 m4v mov webm mkv avi ogv mpg ' +
    'mpeg txt text log csv tsv md eml ics vcf json ndjson pdf epub docx xlsx pptx odt ods odp'
  ).split(' '),
);
/** First bytes of programs: DOS and Windows, ELF, scripts, desktop entries, Mach-O, Java. */
const PROGRAM =
  /^(MZ|\x7fELF|#!|\s*\[Desktop Entry\]|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe)/;

/**
 * Opens the file of a row: the one that a pull left in the current folder, else one downloaded into the cache. It is
 * hashed first. Throws Fault 'partial' for a withheld or absent row, 'usage' where nothing can be opened, 'unsafe' for a file that
 * could run code (without `force`), and the Faults of a pull.
 */
export async function openAttachment(row: Attachment, force: boolean, app: App): Promise<void> {
  checkInteractive(app);
  if (!isPullable(row)) {
    throw new Fault('partial', `${row.id} is ${fileStateWords(row)}: there is nothing to open`);
  }
  checkDisplay(({ arx }) => `${arx} attachments pull --to DIR ${idArgument(row.id)}`, app);
  const path = (await pulledHere(row, app)) ?? (await fetched(row, app));
  await checkViewed(path, row.id, force);
  await launch(path, `the verified file is ${path}`, app);
}

/** Throws Fault 'usage' where nobody sees a window. */
export function checkInteractive(app: App): void {
  if (!app.isInteractive) throw new Fault('usage', 'it opens a window, which --no-input does not want');
}

/** Throws Fault 'usage' where there is no display. `hint`: the command to use then. */
export function checkDisplay(hint: Hint, { world: { env, platform } }: App): void {
  const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => (env[name] ?? '') !== '');
  if (OPENERS[platform] === undefined && !hasScreen)
    throw new Fault('usage', 'there is no display to open a file on', { hint });
}

/** Opens a file in the program of the system for it. Throws Fault 'usage' where that fails; `kept` says where the file is. */
export async function launch(path: string, kept: string, app: App): Promise<void> {
  const { platform } = app.world;
  const program = OPENERS[platform] ?? 'xdg-open';
  const code = await app.world.launch(program, [path]).catch((cause: unknown) => {
    throw new Fault('usage', `${program} is not installed`, { kept, cause });
  });
  // Explorer always exits with 1.
  if (code !== 0 && platform !== 'win32')
    throw new Fault('usage', `${program} did not open it (exit ${code})`, { kept });
}

async function pulledHere({ id, sha256 }: Attachment, { world }: App): Promise<string | undefined> {
  const path = (await readManifest(world.cwd).catch(() => undefined))?.get(id)?.path ?? undefined;
  if (path === undefined || sha256 === undefined) return undefined;
  const here = join(world.cwd, path);
  const digest = await digestFile(here, world).catch(() => undefined);
  return digest !== undefined && !digest.changed && sameHash(digest.sha256, sha256) ? here : undefined;
}

/** Each file has a folder named by its hash, so that names do not collide. A file that is there already is hashed again. */
async function fetched(row: Attachment & { file_url: string }, app: App): Promise<string> {
  const dir = join(app.directories.cache, 'opened', sha256Of(row, `${row.id}: `));
  const folder = await openTargetFolder(dir);
  try {
    const puller = await openRowPuller(folder.path, { force: true, entries: new Map() }, app);
    const { file, fault } = await puller.pull(row).finally(() => puller.close());
    if (fault !== undefined) throw fault;
    return join(dir, file.path!);
  } finally {
    await folder.close();
  }
}

async function checkViewed(path: string, id: string, force: boolean): Promise<void> {
  if (force) return;
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const isViewed = VIEWED.has(extension) && !PROGRAM.test(await beginning(path));
  if (isViewed) return;
  throw new Fault('unsafe', `${id}: a file of this type could run code when it is opened`, {
    kept: `the verified file is ${path}`,
    hint: '--force opens it anyway',
  });
}

async function beginning(path: string): Promise<string> {
  try {
    const file = await open(path, 'r');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0).finally(() => file.close());
    return buffer.toString('latin1', 0, bytesRead);
  } catch (error) {
    throw diskFault(error, path);
  }
}
