// Recognizes a Zulip export, as a folder, zip or tar, by the names of its files.
import { readdir, stat } from 'node:fs/promises';
import { readFileHead } from '../mail-detection.ts';
import { mayBeTar, tarNames } from '../tar.ts';
import { openZip } from '../zip.ts';

/** The list of users, channels and reactions. */
export const REALM_FILE = 'realm.json';
const MESSAGE_FILE = /^messages-(\d{6,})\.json$/;
const IN_EXPORT = /(?:^|\/)(?:realm|messages-000001)\.json$/;

/** Returns whether a path is an export. Of a tar, at most `maxBytes` are looked at. Never throws. */
export async function isZulipAt(path: string, maxBytes = Infinity): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return zulipPrefix(await readdir(path)) !== undefined;
    const { text } = await readFileHead(path);
    if (mayBeTar(text)) return await isTarOfExport(path, maxBytes);
    if (!text.startsWith('PK')) return false;
    const zip = await openZip(path);
    zip.close();
    return zulipPrefix(zip.names) !== undefined;
  } catch {
    return false;
  }
}

/** Reads the tar until it is known. */
async function isTarOfExport(path: string, maxBytes: number): Promise<boolean> {
  const names: string[] = [];
  for await (const name of tarNames(path, maxBytes)) {
    if (!IN_EXPORT.test(name)) continue;
    names.push(name);
    if (zulipPrefix(names) !== undefined) return true;
  }
  return false;
}

/** Returns the folder that holds the export: empty, or with a final `/`. Undefined when there is none. */
export function zulipPrefix(names: readonly string[]): string | undefined {
  const all = new Set(names);
  const found = new Set<string>();
  for (const name of names) {
    const end = name.lastIndexOf('/') + 1;
    if (MESSAGE_FILE.test(name.slice(end)) && all.has(`${name.slice(0, end)}${REALM_FILE}`))
      found.add(name.slice(0, end));
  }
  return [...found].sort((a, b) => a.length - b.length || (a < b ? -1 : 1))[0];
}

/** Returns the files with messages, in the order of their numbers. */
export function messageFiles(names: readonly string[], prefix: string): string[] {
  const numbered = names.flatMap((name) => {
    const number = name.startsWith(prefix) ? MESSAGE_FILE.exec(name.slice(prefix.length))?.[1] : undefined;
    return number === undefined ? [] : [{ name, number: Number(number) }];
  });
  return numbered.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1)).map(({ name }) => name);
}
