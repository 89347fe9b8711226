// Reads a Slack export, as a zip or a folder: the messages of all channels and days, with the files that it holds.
import { stat } from 'node:fs/promises';
import type { Tier } from '../../../contract/tier.ts';
import { type FileSet, UnreadableError, openFolder, pathInside } from '../file-set.ts';
import { readJsonFile } from '../json-file.ts';
import { unreadableReason } from '../unreadable-reason.ts';
import type { FileNote, RefusedItem, SourceItem } from '../../records/import-items.ts';
import { CHANNEL_LISTS, exportPrefix } from './detect.ts';
import { openUploads, type Uploads } from './file.ts';
import { type SlackContext, readSlackMessage } from './message.ts';
import { channelOf, channelsByFolder, namesById, usersById } from './users-and-channels.ts';
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

const USERS = 'users.json';
const DAY_FILE = /^([^/]+)\/(\d{4}-\d{2}-\d{2})\.json$/;

/**
 * Reads the messages of an export by day, and within a day by channel. The path of an item is the path of the export
 * with the name of the day file in it; `position` is the ordinal in that file.
 *
 * Refuses a day file that is no JSON list; a list of users or channels that is missing or no JSON list; an entry that
 * {@link readSlackMessage} refuses; an entry with the `ts` of an earlier one of its file; an upload that cannot be read; a
 * link; a folder that cannot be listed; and a path that cannot be opened. Without the list of users, senders have ids for
 * names. Without the list of channels, all messages count as private. Skips, with the reason, all other files, such as
 * canvases and uploads that no message shows.
 */
export async function* readSlack(path: string, options: SlackOptions): AsyncGenerator<SourceItem> {
  const opened: OpenedFiles[] = [];
  let opening = path;
  try {
    for (opening of [path, ...(options.companions ?? [])])
      opened.push({ path: opening, files: await openFiles(opening, options.signal) });
    yield* readExport(path, opened, options);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    yield refused(opening, 0, error.message);
  } finally {
    for (const { files } of opened) files.close();
  }
}

/** A folder or zip, and the files in it. */
type OpenedFiles = { path: string; files: FileSet };

async function openFiles(path: string, signal: AbortSignal): Promise<FileSet> {
  try {
    return (await stat(path)).isDirectory() ? await openFolder(path) : await openZip(path, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof UnreadableError ? error : new UnreadableError(unreadableReason(error));
  }
}

async function* readExport(
  path: string,
  opened: readonly OpenedFiles[],
  { originCity, tier, signal }: SlackOptions,
): AsyncGenerator<SourceItem> {
  const files = opened[0]?.files;
  if (files === undefined) return;
  const prefix = exportPrefix(files.names) ?? '';
  const there = new Set(files.names);
  const used = new Set<string>();
  const lists = new Map<string, Iterable<unknown>>();
  for (const name of [USERS, ...CHANNEL_LISTS]) {
    if (!there.has(prefix + name)) {
      if (name === USERS || name === CHANNEL_LISTS[0])
        yield { ...refused(pathInside(path, prefix + name), 0, 'is not there'), isAbsent: true };
      continue;
    }
    const at = pathInside(path, prefix + name);
    const list = await readList(files, prefix + name);
    used.add(prefix + name);
    if (typeof list === 'string') yield refused(at, 0, list);
    else {
      yield { kind: 'opened', path: at, format: 'slack' };
      lists.set(name, list.entries);
    }
  }
  const users = usersById(lists.get(USERS) ?? []);
  const channels = channelsByFolder(lists);
  const names = namesById(users, channels.values());
  const uploads = openUploads(opened.map((one) => one.files));
  for (const { name, channel } of daysOf(files.names, prefix)) {
    signal.throwIfAborted();
    const context = {
      channel: channelOf(channels, channel),
      users,
      names,
      readUpload: uploads.read,
      originCity,
      tier,
    };
    yield* readDay(pathInside(path, name), await readList(files, name), context);
    used.add(name);
  }
  for (const one of opened) yield* otherFiles(one, one.files === files ? used : new Set(), uploads);
}

/** Yields what became of the files that are no lists and no days. */
function* otherFiles(
  { path, files }: OpenedFiles,
  used: ReadonlySet<string>,
  { outcomes }: Uploads,
): Generator<SourceItem> {
  for (const [name, reason] of files.unreadable) yield refused(pathInside(path, name), 0, reason);
  for (const name of files.hidden) yield skipped(pathInside(path, name), 'has the name of an earlier entry');
  for (const name of files.names) {
    if (used.has(name)) continue;
    const outcome = outcomes.get(files)?.get(name);
    const at = pathInside(path, name);
    if (outcome === null) yield { kind: 'opened', path: at, format: 'slack' };
    else if (outcome !== undefined) yield refused(at, 0, outcome);
    else if (name.includes('__uploads/')) yield skipped(at, 'is an upload that no message shows');
    else yield skipped(at, 'is no list of users, channels or messages');
  }
}

async function* readDay(
  path: string,
  list: List | string,
  context: SlackContext,
): AsyncGenerator<SourceItem> {
  if (typeof list === 'string') {
    yield refused(path, 0, list);
    return;
  }
  yield { kind: 'opened', path, format: 'slack' };
  const seen = new Set<string>();
  let next = 0;
  for (const entry of list.entries) {
    const position = next++;
    if (entry instanceof UnreadableError) {
      yield refused(path, position, entry.message);
      continue;
    }
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
type List = { entries: Iterable<unknown>; decodable: boolean };

/** Returns the list in a JSON file, or the reason why there is none. */
async function readList(files: FileSet, name: string): Promise<List | string> {
  const file = await readJsonFile(files, name);
  if (typeof file === 'string') return file;
  const { entries, decodable } = file;
  return entries === undefined ? 'is not a list' : { entries, decodable };
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

function skipped(path: string, reason: string): FileNote {
  return { kind: 'skipped', path, position: null, bytes: null, reason };
}
