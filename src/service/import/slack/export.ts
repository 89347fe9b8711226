// Reads Slack exports, zipped or unpacked: every message of every channel and day, with the files the export holds.
import { isUtf8 } from 'node:buffer';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type NamedFiles, Unreadable, openFolder, reasonOf } from '../named-files.ts';
import type { ImportItem, RefusedItem } from '../../records/import-items.ts';
import { uploadsOf } from './file.ts';
import { channelOf, channelsOf, peopleOf } from './users-and-channels.ts';
import { type SlackContext, messageFrom } from './message.ts';
import { openZip } from '../zip.ts';

export type SlackOptions = {
  /** Label for files whose own place nothing tells, or null. */
  originCity: string | null;
  signal: AbortSignal;
  /** Zips or folders that hold nothing but `__uploads/<file id>/<name>` for this export. */
  companions?: readonly string[];
};

const MOST_JSON_BYTES = 128 * 1024 * 1024;
const PEOPLE = 'users.json';
const CHANNELS = ['channels.json', 'groups.json', 'mpims.json', 'dms.json'];
const DAY = /^([^/]+)\/(\d{4}-\d{2}-\d{2})\.json$/;

/** Whether a zip or folder is a Slack export, only the files uploaded to one, or neither (null). Never throws. */
export async function slackKind(path: string): Promise<'export' | 'uploads' | null> {
  try {
    if ((await stat(path)).isDirectory()) return await kindOfFolder(path);
    const zip = await openZip(path);
    zip.close();
    if (prefixOf(zip.names) !== undefined) return 'export';
    return zip.names.length > 0 && zip.names.every((name) => /(^|\/)__uploads\//.test(name))
      ? 'uploads'
      : null;
  } catch {
    return null;
  }
}

/** By a few names only: any folder may be asked about, however big. */
async function kindOfFolder(path: string): Promise<'export' | 'uploads' | null> {
  const has = (name: string) =>
    stat(join(path, name)).then(
      () => true,
      () => false,
    );
  for (const name of CHANNELS) if (await has(name)) return 'export';
  return (await has('__uploads')) ? 'uploads' : null;
}

/**
 * Every message of an export in the order of its days, within a day by channel. What cannot be read is refused and
 * said why: a day that is no JSON list, an entry without a `ts`, a second one with the `ts` of another in its channel
 * and day, a list of people or channels that is missing or damaged (the messages are then read without names, at the
 * internal tier). A path that cannot be opened is one refusal. The path of an item is that of the export with the
 * name within it, its position the ordinal there.
 */
export async function* readSlack(path: string, options: SlackOptions): AsyncGenerator<ImportItem> {
  const opened: NamedFiles[] = [];
  let opening = path;
  try {
    for (opening of [path, ...(options.companions ?? [])]) opened.push(await openFiles(opening));
    yield* readExport(path, opened, options);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    yield refused(opening, 0, error.message);
  } finally {
    for (const files of opened) files.close();
  }
}

async function openFiles(path: string): Promise<NamedFiles> {
  try {
    return (await stat(path)).isDirectory() ? await openFolder(path, 3) : await openZip(path);
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable(reasonOf(error));
  }
}

async function* readExport(
  path: string,
  opened: readonly NamedFiles[],
  { originCity, signal }: SlackOptions,
): AsyncGenerator<ImportItem> {
  const [files] = opened;
  if (files === undefined) return;
  for (const [name, reason] of files.unlisted) yield refused(join(path, name), 0, reason);
  const prefix = prefixOf(files.names) ?? '';
  const names = new Set(files.names);
  const lists = new Map<string, unknown[]>();
  for (const name of [PEOPLE, ...CHANNELS]) {
    if (!names.has(prefix + name)) {
      if (name === PEOPLE || name === CHANNELS[0])
        yield refused(join(path, prefix + name), 0, 'is not there');
      continue;
    }
    const list = await readList(files, prefix + name);
    if (typeof list === 'string') yield refused(join(path, prefix + name), 0, list);
    else lists.set(name, list.entries);
  }
  const people = peopleOf(lists.get(PEOPLE) ?? []);
  const channels = channelsOf(lists);
  const uploads = uploadsOf(opened);
  for (const { name, channel } of daysOf(files.names, prefix)) {
    signal.throwIfAborted();
    const context = { channel: channelOf(channels, channel), people, uploads, originCity };
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
    const item = await messageFrom(entry, { path, position, decodable: list.decodable }, context);
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

type List = { entries: unknown[]; decodable: boolean };

/** The list a JSON file holds, or why it holds none. */
async function readList(files: NamedFiles, name: string): Promise<List | string> {
  try {
    const bytes = await files.read(name, MOST_JSON_BYTES);
    const entries: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(entries) ? { entries, decodable: isUtf8(bytes) } : 'is not a list';
  } catch (error) {
    return error instanceof Unreadable ? error.message : 'is not valid JSON';
  }
}

/** The day files, in the order of days and then of channels. Other files of a channel (canvases) hold no messages. */
function daysOf(names: readonly string[], prefix: string): Array<{ name: string; channel: string }> {
  const days = [];
  for (const name of names) {
    const [, channel, day] = (name.startsWith(prefix) ? DAY.exec(name.slice(prefix.length)) : null) ?? [];
    if (channel !== undefined && day !== undefined) days.push({ name, channel, order: `${day}/${channel}` });
  }
  return days.sort((a, b) => (a.order < b.order ? -1 : 1));
}

/** The folder within a zip that the export lies in (empty, or ends in `/`), undefined where there is none. */
function prefixOf(names: readonly string[]): string | undefined {
  const found = names.map((name) => /^((?:[^/]+\/)?)(channels|groups|mpims|dms)\.json$/.exec(name)?.[1]);
  return found.filter((prefix) => prefix !== undefined).sort((a, b) => a.length - b.length)[0];
}

function refused(path: string, position: number, reason: string): RefusedItem {
  return { kind: 'refused', path, position, reason };
}
