// Reads a Slack export, as a zip or a folder: the messages of all channels and days, with the files that it holds.
import { isUtf8 } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tier } from '../../../contract/token.ts';
import { type FileSet, UnreadableError, openFolder, unreadableReason } from '../file-set.ts';
import type { ImportItem, RefusedItem } from '../../records/import-items.ts';
import { CHANNEL_LISTS, exportPrefix } from './detect.ts';
import { uploadReader } from './file.ts';
import { type SlackContext, readSlackMessage } from './message.ts';
import { channelOf, channelsByFolder, usersById } from './users-and-channels.ts';
import { openZip } from '../zip.ts';

/** How a Slack export is read. */
export type SlackOptions = {
  /** City label for files that have none of their own, or null. */
  originCity: string | null;
  /** Tier of the messages of public channels (interface 5). */
  tier: Tier;
  signal: AbortSignal;
  /** Zips or folders with uploaded files of this export: `__uploads/<file id>/<name>`. */
  companions?: readonly string[];
};

/** A larger list or day file is refused. */
const MAX_JSON_BYTES = 128 * 1024 * 1024;
/** Folders that are entered, so that an export may lie in a folder of its own: `<folder>/__uploads/<file id>`. */
const MAX_FOLDER_DEPTH = 3;
const USERS = 'users.json';
const DAY_FILE = /^([^/]+)\/(\d{4}-\d{2}-\d{2})\.json$/;

/**
 * Reads the messages of an export by day, and within a day by channel. The path of an item is the path of the export
 * with the name of the day file in it; `position` is the ordinal in that file.
 *
 * Refuses a day file that is no JSON list; a list of users or channels that is missing or no JSON list; an entry that
 * {@link readSlackMessage} refuses; an entry with the `ts` of an earlier one of its file; a folder that cannot be
 * listed; and a path that cannot be opened. Without the list of users, senders have ids for names. Without the list of
 * channels, all messages count as private. Skips all other files, such as canvases.
 */
export async function* readSlack(path: string, options: SlackOptions): AsyncGenerator<ImportItem> {
  const opened: FileSet[] = [];
  let opening = path;
  try {
    for (opening of [path, ...(options.companions ?? [])]) opened.push(await openFiles(opening));
    yield* readExport(path, opened, options);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    yield refused(opening, 0, error.message);
  } finally {
    for (const files of opened) files.close();
  }
}

async function openFiles(path: string): Promise<FileSet> {
  try {
    return (await stat(path)).isDirectory() ? await openFolder(path, MAX_FOLDER_DEPTH) : await openZip(path);
  } catch (error) {
    throw error instanceof UnreadableError ? error : new UnreadableError(unreadableReason(error));
  }
}

async function* readExport(
  path: string,
  opened: readonly FileSet[],
  { originCity, tier, signal }: SlackOptions,
): AsyncGenerator<ImportItem> {
  const [files] = opened;
  if (files === undefined) return;
  for (const [name, reason] of files.unlisted) yield refused(join(path, name), 0, reason);
  const prefix = exportPrefix(files.names) ?? '';
  const names = new Set(files.names);
  const lists = new Map<string, unknown[]>();
  for (const name of [USERS, ...CHANNEL_LISTS]) {
    if (!names.has(prefix + name)) {
      if (name === USERS || name === CHANNEL_LISTS[0])
        yield refused(join(path, prefix + name), 0, 'is not there');
      continue;
    }
    const list = await readList(files, prefix + name);
    if (typeof list === 'string') yield refused(join(path, prefix + name), 0, list);
    else lists.set(name, list.entries);
  }
  const users = usersById(lists.get(USERS) ?? []);
  const channels = channelsByFolder(lists);
  const readUpload = uploadReader(opened);
  for (const { name, channel } of daysOf(files.names, prefix)) {
    signal.throwIfAborted();
    const context = { channel: channelOf(channels, channel), users, readUpload, originCity, tier };
    yield* readDay(join(path, name), await readList(files, name), context);
  }
}

async function* readDay(
  path: string,
  list: List | string,
  context: SlackContext,
): AsyncGenerator<ImportItem> {
  if (typeof list === 'string') {
    yield refused(path, 0, list);
    return;
  }
  const seen = new Set<string>();
  for (const [position, entry] of list.entries.entries()) {
    const item = await readSlackMessage(entry, { path, position, decodable: list.decodable }, context);
    if (item.kind === 'message' && item.key !== null) {
      if (seen.has(item.key)) {
        yield refused(path, position, 'has the ts of another message of this channel and day');
        continue;
      }
      seen.add(item.key);
    }
    yield item;
  }
}

/** The entries of a JSON file. `decodable`: whether the file is valid UTF-8. */
type List = { entries: unknown[]; decodable: boolean };

/** Returns the list in a JSON file, or the reason why there is none. */
async function readList(files: FileSet, name: string): Promise<List | string> {
  try {
    const bytes = await files.read(name, MAX_JSON_BYTES);
    const entries: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(entries) ? { entries, decodable: isUtf8(bytes) } : 'is not a list';
  } catch (error) {
    return error instanceof UnreadableError ? error.message : 'is not valid JSON';
  }
}

/** Returns the day files, by day and then by channel. Other files of a channel (canvases) hold no messages. */
function daysOf(names: readonly string[], prefix: string): Array<{ name: string; channel: string }> {
  const days = [];
  for (const name of names) {
    const [, channel, day] =
      (name.startsWith(prefix) ? DAY_FILE.exec(name.slice(prefix.length)) : null) ?? [];
    if (channel !== undefined && day !== undefined) days.push({ name, channel, order: `${day}/${channel}` });
  }
  return days.sort((a, b) => (a.order < b.order ? -1 : 1));
}

function refused(path: string, position: number, reason: string): RefusedItem {
  return { kind: 'refused', path, position, reason };
}
