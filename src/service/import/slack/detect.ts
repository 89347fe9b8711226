// Recognizes a Slack export, as a zip or a folder, by the names of its files.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openZip } from '../zip.ts';

/** The files that list the channels of an export. Every export has at least one. */
export const CHANNEL_LISTS = ['channels.json', 'groups.json', 'mpims.json', 'dms.json'];

/** Returns whether a zip or folder is a Slack export or only the uploaded files of one; else undefined. Never throws. */
export async function slackContent(path: string): Promise<'export' | 'uploads' | undefined> {
  try {
    if ((await stat(path)).isDirectory()) return await contentOfFolder(path);
    const zip = await openZip(path);
    zip.close();
    if (exportPrefix(zip.names) !== undefined) return 'export';
    return zip.names.length > 0 && zip.names.every((name) => /(^|\/)__uploads\//.test(name))
      ? 'uploads'
      : undefined;
  } catch {
    return undefined;
  }
}

/** Looks for a few names instead of listing the folder, because it may be any folder, however large. */
async function contentOfFolder(path: string): Promise<'export' | 'uploads' | undefined> {
  const has = (name: string) =>
    stat(join(path, name)).then(
      () => true,
      () => false,
    );
  for (const name of CHANNEL_LISTS) if (await has(name)) return 'export';
  return (await has('__uploads')) ? 'uploads' : undefined;
}

/** Returns the folder of a zip that holds the export: empty, or with a final `/`. Undefined when there is no export. */
export function exportPrefix(names: readonly string[]): string | undefined {
  const found = names.map((name) => /^((?:[^/]+\/)?)(channels|groups|mpims|dms)\.json$/.exec(name)?.[1]);
  return found.filter((prefix) => prefix !== undefined).sort((a, b) => a.length - b.length)[0];
}
