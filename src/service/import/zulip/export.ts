// Reads a Zulip export, as a folder, zip or tar: its messages, with the files that it holds.
import type { Tier } from '../../../contract/tier.ts';
import type { SourceItem } from '../../records/import-items.ts';
import { holdFiles } from '../chat-file.ts';
import { openExport, otherFiles, refusedFile } from '../chat-source.ts';
import { type FileSet, pathInside, UnreadableError } from '../file-set.ts';
import { type JsonFile, readJsonFile } from '../json-file.ts';
import { messageFiles, REALM_FILE, zulipPrefix } from './detect.ts';
import { readZulipMessage, seenMessages, type ZulipContext } from './message.ts';
import { addReactions, realmOf } from './realm.ts';

/** How a Zulip export is read. */
export type ZulipOptions = {
  /** City label for files that have none of their own, or null. */
  originCity: string | null;
  /** Tier of the messages of public channels (interface 5). */
  tier: Tier;
  signal: AbortSignal;
};

const ATTACHMENTS_FILE = 'attachment.json';
const RECORDS_FILE = 'uploads/records.json';

/** Why files of these folders and names are not read. */
const REASONS: readonly [name: RegExp, reason: string][] = [
  [/^uploads\//, 'is an upload that no message shows'],
  [/^avatars\//, 'is a picture of a user'],
  [/^emoji\//, 'is a picture of an emoji'],
  [/^realm_icons\//, 'is a picture of the organization'],
  [/\.partial$/, 'is what an unfinished export left'],
];

/**
 * Reads the files of messages in the order of their numbers. The path of an item is the path of the export with the name of
 * the file in it; `position` is the ordinal in that file.
 *
 * Refuses a list or file of messages that cannot be read or is not valid; an entry that {@link readZulipMessage} refuses; an
 * upload that cannot be read; links; and a path that cannot be opened. Without `realm.json` senders have numbers for names,
 * and all messages count as private. Skips other files with the reason. Users, with their passwords and API keys, channels
 * with their mail tokens, and who has read what are not stored.
 */
export async function* readZulip(path: string, options: ZulipOptions): AsyncGenerator<SourceItem> {
  let files: FileSet | undefined;
  try {
    files = await openExport(path, options.signal);
    yield* readFiles(path, files, options);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    yield refusedFile(path, error.message);
  } finally {
    files?.close();
  }
}

async function* readFiles(
  path: string,
  files: FileSet,
  { originCity, tier, signal }: ZulipOptions,
): AsyncGenerator<SourceItem> {
  const prefix = zulipPrefix(files.names);
  if (prefix === undefined) {
    yield refusedFile(path, `holds no ${REALM_FILE} with files of messages`);
    return;
  }
  const names = new Set(files.names);
  const used = new Set<string>();
  const lists = new Map<string, JsonFile>();
  for (const name of [REALM_FILE, ATTACHMENTS_FILE, RECORDS_FILE]) {
    if (!names.has(prefix + name)) continue;
    used.add(prefix + name);
    const at = pathInside(path, prefix + name);
    const list = await readJsonFile(files, prefix + name);
    if (typeof list === 'string') yield refusedFile(at, list);
    else {
      yield { kind: 'opened', path: at, format: 'zulip' };
      lists.set(name, list);
    }
  }
  const realm = realmOf(
    lists.get(REALM_FILE)?.lists ?? new Map(),
    lists.get(ATTACHMENTS_FILE)?.lists ?? new Map(),
    lists.get(RECORDS_FILE)?.entries ?? [],
  );
  const held = holdFiles(files);
  const context: ZulipContext = { realm, held, prefix, seen: seenMessages(), originCity, tier };
  for (const name of messageFiles(files.names, prefix)) {
    signal.throwIfAborted();
    used.add(name);
    yield* readMessages(pathInside(path, name), await readJsonFile(files, name), context);
  }
  yield* otherFiles(path, files, used, {
    format: 'zulip',
    held,
    reasonOf: (name) =>
      (name.startsWith(prefix)
        ? REASONS.find(([known]) => known.test(name.slice(prefix.length)))?.[1]
        : undefined) ?? 'is no list of users, channels, files or messages',
  });
}

async function* readMessages(
  path: string,
  file: JsonFile | string,
  context: ZulipContext,
): AsyncGenerator<SourceItem> {
  const messages = typeof file === 'string' ? undefined : file.lists.get('zerver_message');
  if (typeof file === 'string' || messages === undefined) {
    yield refusedFile(path, typeof file === 'string' ? file : 'has no list of messages');
    return;
  }
  yield { kind: 'opened', path, format: 'zulip' };
  addReactions(context.realm.reactions, file.lists);
  let position = 0;
  for (const entry of messages) {
    if (entry instanceof UnreadableError) yield refusedFile(path, entry.message, position);
    else yield await readZulipMessage(entry, { path, position, decodable: file.decodable }, context);
    position += 1;
  }
}
