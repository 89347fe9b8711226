// Recognizes a Mattermost bulk export: a JSONL file that begins with a version line, alone, in a folder or in a zip.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openExport } from '../chat-source.ts';
import { type FileSet, streamRegularFile, UnreadableError } from '../file-set.ts';
import { readFileHead } from '../mail-detection.ts';

const VERSION_LINE = /^(?:\u00ef\u00bb\u00bf)?\s*\{\s*"type"\s*:\s*"version"\s*,\s*"version"\s*:\s*\d/;
const LINES_FILE = /\.jsonl$/i;
const HEAD_BYTES = 4096;

/** Returns whether the first bytes of a file (Latin-1) are those of a Mattermost export. */
export function isMattermost(head: string): boolean {
  return VERSION_LINE.test(head);
}

/**
 * Returns whether a path is an export: its JSONL file, a zip that holds one, or a folder whose files beside folders are all
 * such files. `isNamed`: a folder may hold other files, too. Never throws.
 */
export async function isMattermostAt(path: string, isNamed = false): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return await isFolderOfExport(path, isNamed);
    const { text } = await readFileHead(path);
    if (isMattermost(text)) return true;
    if (!text.startsWith('PK')) return false;
    const files = await openExport(path);
    try {
      return (await exportFiles(files)).length > 0;
    } finally {
      files.close();
    }
  } catch {
    return false;
  }
}

async function isFolderOfExport(path: string, isNamed: boolean): Promise<boolean> {
  const entries = await readdir(path, { withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'));
  const lines = files.filter(({ name }) => LINES_FILE.test(name));
  if (lines.length === 0 || (!isNamed && lines.length < files.length)) return false;
  const found = await Promise.all(
    lines.map(async ({ name }) => isMattermost((await readFileHead(join(path, name))).text)),
  );
  return isNamed ? found.includes(true) : found.every(Boolean);
}

/** Opens an export. Throws {@link UnreadableError}. */
export async function openMattermost(path: string, signal: AbortSignal): Promise<FileSet> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true || !isMattermost((await readFileHead(path)).text))
    return openExport(path, signal);
  return {
    // The file has the name of the path itself.
    names: [''],
    unreadable: [],
    hidden: [],
    read: () => Promise.reject(new UnreadableError('is not there')),
    stream: () => streamRegularFile(path),
    close: () => {},
  };
}

/** Returns the names of the JSONL files of an export, in order. A file that cannot be read is none. */
export async function exportFiles(files: FileSet): Promise<string[]> {
  const found: string[] = [];
  for (const name of files.names.filter((each) => each === '' || LINES_FILE.test(each)).toSorted()) {
    if (isMattermost(await headOf(files, name))) found.push(name);
  }
  return found;
}

async function headOf(files: FileSet, name: string): Promise<string> {
  let head = '';
  try {
    for await (const chunk of files.stream(name)) {
      head += Buffer.from(chunk.subarray(0, HEAD_BYTES)).toString('latin1');
      if (head.length >= HEAD_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
  }
  return head;
}
