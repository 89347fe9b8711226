// Detects the kind of a path to import, by its content and never by its name.
import { stat } from 'node:fs/promises';
import { IMPORT_KINDS, type ImportKind } from '../../contract/import-kind.ts';
import { unreadableInput, unreadableReason } from '../../disk/disk-fault.ts';
import { Fault } from '../../faults.ts';
import { chatHint, chatSystemOf } from './chat-export.ts';
import { decompressCommand, outlookHint, startOfFile } from './compressed.ts';
import { UnreadableError } from './file-set.ts';
import { readFileHead, type FileHead } from './mail-detection.ts';
import { hasSeparator } from './mbox.ts';
import { READERS, type Read, type Source } from './readers.ts';
import { openZip } from './zip.ts';

/** What a path is. `uploads`: the files of a Slack export without its messages. */
export type DetectedSource = { kind: ImportKind; read: Read } | { kind: 'uploads' };

/**
 * Returns the kind of a path and how to read it. `named` is the kind that the user names; undefined lets the content
 * decide. Throws Fault 'usage' when the path does not exist, cannot be read, or is not of the named or of any kind.
 */
export async function detectSource(path: string, named?: ImportKind): Promise<DetectedSource> {
  const isFolder = await isSourceFolder(path);
  const detected = await askReaders(path, isFolder, named).catch((error: unknown) => {
    throw unreadableFault(path, error);
  });
  if (detected !== undefined) return detected;
  const chat = await chatSystemOf(path).catch(() => undefined);
  if (chat !== undefined)
    throw new Fault('usage', `${path} looks like an export of ${chat.system}, which arx does not read so`, {
      hint: chatHint(chat.system, chat.part),
    });
  if (named !== undefined)
    throw new Fault(
      'usage',
      `${path} is no ${IMPORT_KINDS[named]}`,
      named === 'folder' ? { hint: AS_A_FILE } : {},
    );
  const hint = (await otherwiseHint(path).catch(() => undefined)) ?? AS_A_FILE;
  const kinds = Object.values(IMPORT_KINDS).join(', ');
  throw new Fault('usage', `${path} is none of these: ${kinds}`, { hint });
}

/** Returns whether the path is a folder. Throws Fault 'usage' or 'disk' where it cannot be looked at, or is neither a file nor a folder. */
async function isSourceFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadableFault(path, error);
  });
  // Opening a pipe would wait for its writer.
  if (!found.isDirectory() && !found.isFile())
    throw new Fault('usage', `${path} is neither a file nor a folder`, {
      hint: 'arx import - reads standard input',
    });
  return found.isDirectory();
}

function unreadableFault(path: string, error: unknown): unknown {
  return unreadableReason(error) === undefined ? error : unreadableInput(path, error);
}

/** Every folder can be imported, so what remains is a file. */
const AS_A_FILE = 'to store it as a file, put it into a folder and import the folder';

const MMDF_SEPARATOR = '01010101';
const UTF16_MARKS = ['fffe', 'feff'];

/** Returns how a file is read that is not read so, undefined where arx does not know. */
async function otherwiseHint(path: string): Promise<string | undefined> {
  const start = await startOfFile(path);
  if (UTF16_MARKS.some((mark) => start.startsWith(mark)))
    return 'it is text in UTF-16: iconv -f UTF-16 -t UTF-8 FILE | arx import -';
  if (start.startsWith(MMDF_SEPARATOR)) return 'it is a mailbox in MMDF: convert it to mbox, and import that';
  if (start.startsWith(ZIP_START)) return zipHint(path);
  const outlook = outlookHint(path, start);
  if (outlook !== undefined) return outlook;
  const command = decompressCommand(start);
  if (command === undefined)
    return (await hasSeparator(path)) ? 'it has lines that separate mails: --kind mbox reads it' : undefined;
  if (/\.(?:tar\.|t[a-z]{1,3}$)/.test(path)) return 'tar -xf unpacks it into a folder, which can be imported';
  return `it is compressed: ${command} FILE | arx import -`;
}

const ZIP_START = '504b';

async function zipHint(path: string): Promise<string | undefined> {
  try {
    (await openZip(path)).close();
    return /\.zip$/i.test(path) ? 'unzip unpacks it into a folder, which can be imported' : undefined;
  } catch (error) {
    return error instanceof UnreadableError ? `the zip ${error.message}` : undefined;
  }
}

async function askReaders(
  path: string,
  isFolder: boolean,
  named: ImportKind | undefined,
): Promise<DetectedSource | undefined> {
  let head: Promise<FileHead> | undefined;
  const source: Source = { path, isFolder, head: () => (head ??= readFileHead(path)) };
  for (const kind of named === undefined ? (Object.keys(READERS) as ImportKind[]) : [named]) {
    const { detect, detectNamed = detect } = READERS[kind];
    const read = await (named === undefined ? detect : detectNamed)(source);
    if (read !== undefined) return read === 'uploads' ? { kind: read } : { kind, read };
  }
  return undefined;
}
