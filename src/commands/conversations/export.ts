// `arx conversations export ID`: a thread in one file, as an mbox, as Markdown or as an HTML page, with its files.
import { lstat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import * as z from 'zod';
import type { App } from '../../app.ts';
import { writeCompleteFile } from '../../download/complete-file.ts';
import { safeName } from '../../download/safe-name.ts';
import { openFolderOfFile, openTargetFolder } from '../../download/target-folder.ts';
import { diskFault } from '../../disk/disk-fault.ts';
import type { ThreadReport } from '../../contract/reports/files.ts';
import type { ReadMessage } from '../../contract/reports/reading.ts';
import { Fault } from '../../faults.ts';
import { plural } from '../../format/numbers.ts';
import { idArgument, shellWord } from '../../shell-words.ts';
import { LIMIT_INPUT, limitDownloads, type LimitedDownloads } from '../shared/download-limits.ts';
import { readThread, threadMessages, type Thread } from '../read/read-thread.ts';
import { refuseOutputForm, writeBytes } from '../shared/write-bytes.ts';
import { noCounts, type ExportCounts } from './export-counts.ts';
import { openThreadFiles, type ThreadFiles } from './export-files.ts';
import { mboxOf } from './export-mbox.ts';
import { headOf, pageOf } from './thread-document.ts';

const FORMATS = ['mbox', 'md', 'html'] as const;
type Format = (typeof FORMATS)[number];
const FORMAT_OF: Readonly<Record<string, Format>> = {
  '.mbox': 'mbox',
  '.mboxrd': 'mbox',
  '.md': 'md',
  '.html': 'html',
  '.htm': 'html',
};

export const Input = z.object({
  id: z.string().min(1),
  format: z.enum(FORMATS).optional(),
  to: z.string().min(1).optional(),
  force: z.boolean().default(false),
  allowEscapeSequences: z.boolean().default(false),
  ...LIMIT_INPUT,
});
type Input = z.infer<typeof Input>;

export async function run(input: Input, app: App): Promise<void> {
  const { id, force } = input;
  const to = input.to === '-' ? undefined : input.to;
  if (to === undefined) refuseOutputForm('conversations export without --to', app);
  if (force && to === undefined && !app.isRecorded) throw new Fault('usage', '--force goes with --to PATH');
  const format = input.format ?? (await formatFor(id, to, app));
  const thread = await readThread(id, app);
  const counts = noCounts();
  const limited = limitDownloads(input, app);
  if (to === undefined) {
    for await (const chunk of documentOf(thread, { format, dir: undefined, force, counts, limited }, app))
      await writeBytes(chunk, id, input, app);
  } else await save(thread, { to, format, force, counts, limited }, app);
  const { argv } = app.world;
  limited.end(to === undefined || argv.includes('--force') ? argv : [...argv, '--force']);
  sayWhatIsMissing(thread, counts, app);
}

/** Returns the format that the ending of a file names. Throws Fault 'usage' where it names none of ours. */
async function formatFor(id: string, to: string | undefined, app: App): Promise<Format> {
  const ending = extname(to ?? '').toLowerCase();
  const named = FORMAT_OF[ending];
  if (named !== undefined) return named;
  if (to === undefined || ending === '' || (await isExistingFolder(resolve(app.world.cwd, to))))
    return 'mbox';
  throw new Fault('usage', `a file that ends in ${ending} is none of the formats ${FORMATS.join(', ')}`, {
    hint:
      ending === '.txt'
        ? ({ arx }) => `as text: ${arx} read ${idArgument(id)} > ${shellWord(to)}`
        : '--format chooses one',
  });
}

type Saving = {
  to: string;
  format: Format;
  force: boolean;
  counts: ExportCounts;
  limited: LimitedDownloads;
};

/** Writes the document to a file, or to a folder with its files beside it, and prints a report. */
async function save(thread: Thread, { to, format, force, counts, limited }: Saving, app: App): Promise<void> {
  const { id } = thread.conversation;
  const path = resolve(app.world.cwd, to);
  const isFolder = to.endsWith('/') || (await isExistingFolder(path));
  const name = isFolder ? safeName('thread', `${id}.${format}`).name : basename(path);
  const folder = await (isFolder ? openTargetFolder(path) : openFolderOfFile(path));
  try {
    const dir = isFolder && format !== 'mbox' ? folder.path : undefined;
    const chunks = documentOf(thread, { format, dir, force, counts, limited }, app);
    const { bytes, sha256 } = await writeCompleteFile({ dir: folder.path, name }, chunks, {
      force,
      world: app.world,
    });
    const report: ThreadReport = {
      version: 1,
      id,
      format,
      path: isFolder ? join(to, name) : to,
      bytes,
      sha256,
      messages: counts.messages,
      made: counts.made,
      unreadable: counts.unreadable,
      files: counts.files,
      files_left_out: counts.filesLeftOut,
      files_named: counts.filesNamed,
      unavailable: counts.unavailable,
      complete: thread.fault === undefined && counts.unreadable + missingFiles(counts) === 0,
    };
    const columns = Object.entries(report).map(([name, value]) => ({ name, of: () => value }));
    await app.printer.record({ columns }, report);
  } finally {
    await folder.close();
  }
}

async function isExistingFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
      throw diskFault(error, path);
    },
  );
}

type DocumentOptions = {
  format: Format;
  dir: string | undefined;
  force: boolean;
  counts: ExportCounts;
  limited: LimitedDownloads;
};

/** Yields the document, one message after the other. */
async function* documentOf(
  thread: Thread,
  { format, dir, force, counts, limited }: DocumentOptions,
  app: App,
): AsyncGenerator<Buffer> {
  if (format === 'mbox') {
    yield* mboxOf(thread.messages, counts, app);
    return;
  }
  const files = await openThreadFiles({ dir, pictures: format === 'html', force, counts, limited }, app);
  try {
    if (format === 'md') yield* markdownOf(thread, files, counts, app);
    else {
      const messages = threadMessages(thread.messages, READING, app);
      yield* pageOf(headOf(thread), messages, files, (message) => count(message, counts), app);
    }
  } finally {
    await files.close();
  }
}

const READING = { headers: false, lore: false, preferHtml: false };

async function* markdownOf(
  thread: Thread,
  files: ThreadFiles,
  counts: ExportCounts,
  app: App,
): AsyncGenerator<Buffer> {
  const { markdownHead, markdownMessage } = await import('../../format/thread-markdown.ts');
  yield Buffer.from(markdownHead(headOf(thread)));
  for await (const message of threadMessages(thread.messages, READING, app)) {
    count(message, counts);
    yield Buffer.from(markdownMessage(message, counts.messages, await files.styleOf(message)));
  }
}

/** Returns how many files of the messages are not in the export. */
function missingFiles({ unavailable, filesLeftOut }: ExportCounts): number {
  return unavailable + filesLeftOut;
}

/** Counts a message, and whether a part of it could not be read. Returns its number. */
function count({ problem, warnings }: ReadMessage, counts: ExportCounts): number {
  if (problem !== undefined || warnings.some(({ about }) => about === 'content' || about === 'files'))
    counts.unreadable += 1;
  return (counts.messages += 1);
}

/** What is not as it is stored, and what is not there, makes the run fail as a whole with `partial`. */
function sayWhatIsMissing({ conversation, fault }: Thread, counts: ExportCounts, app: App): void {
  const { made, unreadable, withoutLineEnd } = counts;
  if (fault !== undefined) app.addFault(fault);
  if (made > 0) app.notice(`${plural(made, 'mail')} made of messages that are no stored mails, as each says`);
  if (unreadable > 0)
    app.addFault(
      new Fault(
        'partial',
        `${conversation.id}: ${plural(unreadable, 'message')} not as stored, as it says in place of each`,
      ),
    );
  if (withoutLineEnd > 0)
    app.notice(
      `${plural(withoutLineEnd, 'mail')} without a line end at the end got one, so the hash differs`,
    );
  const { filesNamed: named } = counts;
  if (named > 0)
    app.notice(
      `${plural(named, 'file')} named and not saved, as one file was asked for: --to DIR/ saves ${named === 1 ? 'it' : 'them'}`,
    );
  const missing = missingFiles(counts);
  if (missing > 0)
    app.addFault(
      new Fault(
        'partial',
        `${conversation.id}: ${plural(missing, 'file')} could not be written, as it says at the place of each`,
      ),
    );
}
