// What `-` means in each option and argument that names a file or a folder.

/** A standard stream, or why there is none in place of this file. */
export type FileMeaning = 'stdin' | 'stdout' | 'stderr' | { refused: string };

/** The meaning of `-` where only a folder can be named. */
export const FOLDER: FileMeaning = { refused: 'it is a folder; ./- names a folder of this name' };

/** By option, or by the words of a command and its argument. Options and arguments that are not here name no file. */
export const FILE_MEANINGS: Readonly<Record<string, FileMeaning>> = {
  '--token-file': 'stdin',
  '--ids': 'stdin',
  '--file': 'stdin',
  '--payload': 'stdin',
  '--sign-with': 'stdin',
  '--webhook-secret-file': 'stdin',
  '--report': 'stdout',
  '--html': 'stdout',
  '--to <path>': 'stdout',
  '--log': 'stderr',
  '--drift-log': 'stderr',
  '--record': { refused: 'standard output has the result of the run; name a file that ends in .warc.gz' },
  '--journal': { refused: 'it is read and appended to; name a file' },
  '--state': { refused: 'it is read and replaced; name a file' },
  '--to <dir>': FOLDER,
  '--freeze': FOLDER,
  '--frozen': FOLDER,
  '--save': FOLDER,
  '--blobs': FOLDER,
  '--verify': FOLDER,
  '--from-blobs': FOLDER,
  '--to-blobs': FOLDER,
  '--to <place>': FOLDER,
  'import <paths...>': 'stdin',
  'attachments cat <ids...>': 'stdin',
  'attachments pull [attachments...]': 'stdin',
  'content get <messages...>': 'stdin',
  'read <ids...>': 'stdin',
  'messages show <id>': {
    refused: 'it is one message; arx read - and arx content get - take ids from there',
  },
  'attachments verify [dir]': { refused: 'it is a folder, or a zip file that is read at many places' },
  'attachments export [dir]': FOLDER,
  'conversations verify <dir>': FOLDER,
  'conversations plot <dir>': FOLDER,
  'conversations diff <a>': FOLDER,
  'conversations diff <b>': FOLDER,
};

/** Returns what `-` means in an option, by its syntax: `--to <dir>`; undefined where it names no file. */
export function meaningOfOption(syntax: string): FileMeaning | undefined {
  return FILE_MEANINGS[syntax] ?? FILE_MEANINGS[syntax.split(' ')[0] ?? ''];
}
