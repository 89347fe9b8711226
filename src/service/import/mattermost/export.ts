// Reads a Mattermost bulk export: the posts and replies of its channels and direct conversations, with the files that it holds.
import { isUtf8 } from 'node:buffer';
import type { Tier } from '../../../contract/tier.ts';
import type { SourceItem } from '../../records/import-items.ts';
import { holdFiles, type HeldFiles } from '../chat-file.ts';
import { otherFiles, refusedFile } from '../chat-source.ts';
import { type FileSet, pathInside, UnreadableError } from '../file-set.ts';
import { type Line, readLines } from '../json-lines.ts';
import { parseBounded } from '../json-file.ts';
import { isObject, textAt } from '../json-value.ts';
import { exportFiles, openMattermost } from './detect.ts';
import { readPost, type Directory } from './post.ts';

/** How a Mattermost export is read. */
export type MattermostOptions = {
  /** City label for files that have none of their own, or null. */
  originCity: string | null;
  /** Tier of the posts of public channels (interface 5). */
  tier: Tier;
  signal: AbortSignal;
};

/** A longer line is refused. A line holds a post with all of its replies. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** Values of a line, see {@link parseBounded}. */
const MAX_LINE_VALUES = 1_000_000;

/** Lines that hold no message. What posts need of them is remembered. */
const DESCRIPTIONS = new Set(['version', 'scheme', 'role', 'team', 'direct_channel', 'emoji']);

/**
 * Reads the lines in order, one at a time. The path of an item is that of the JSONL file; `position` is the number of the
 * line, which a post shares with its replies.
 *
 * Refuses a line that is no JSON object, a line above 32 MiB or of too many values, what {@link readPost} refuses, and a file that cannot be read to
 * its end. Skips lines of a type that it does not know, and files that no post names, with the reason. Users, with their
 * passwords and sign-in data, are not stored: posts have their names.
 */
export async function* readMattermost(path: string, options: MattermostOptions): AsyncGenerator<SourceItem> {
  let files: FileSet | undefined;
  try {
    files = await openMattermost(path, options.signal);
    const held = holdFiles(files);
    const lines = await exportFiles(files);
    const directory: Directory = { users: new Map(), channels: new Map() };
    const pictures = new Map<string, string>();
    for (const name of lines) yield* readFile(files, { path, name, held, directory, pictures }, options);
    if (lines.length === 0) yield refusedFile(path, 'holds no JSONL file that begins with a version');
    yield* otherFiles(path, files, new Set(lines), {
      format: 'mattermost',
      held,
      reasonOf: (name) =>
        pictures.get(name) ?? pictures.get(afterData(name)) ?? 'is a file that no post names',
    });
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    yield refusedFile(path, error.message);
  } finally {
    files?.close();
  }
}

type OpenedExport = {
  path: string;
  name: string;
  held: HeldFiles;
  directory: Directory;
  /** Pictures of users and emoji, by their paths, with what they are. */
  pictures: Map<string, string>;
};

async function* readFile(
  files: FileSet,
  { path, name, held, directory, pictures }: OpenedExport,
  { originCity, tier, signal }: MattermostOptions,
): AsyncGenerator<SourceItem> {
  const at = pathInside(path, name);
  yield { kind: 'opened', path: at, format: 'mattermost' };
  let position = 0;
  try {
    for await (const line of readLines(files.stream(name), MAX_LINE_BYTES, signal)) {
      position = line.number;
      const entry = parse(line);
      if (typeof entry === 'string') {
        yield refusedFile(at, entry, position);
        continue;
      }
      const type = textAt(entry.value, 'type');
      if (type === 'post' || type === 'direct_post') {
        const folder = name.slice(0, name.lastIndexOf('/') + 1);
        const context = { directory, held, folder, originCity, tier };
        yield* readPost(entry.value[type], { path: at, position, decodable: entry.decodable }, context);
      } else if (
        type === 'user' ||
        type === 'bot' ||
        type === 'channel' ||
        (type !== null && DESCRIPTIONS.has(type))
      ) {
        remember(entry.value, type, directory, pictures);
      } else {
        const reason = `is a line of the type ${JSON.stringify(type ?? null)}, which holds no message that is read`;
        yield { kind: 'skipped', path: at, position: line.offset, bytes: line.length, reason };
      }
    }
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    yield refusedFile(at, `${error.message}; what follows line ${position} is not read`, position);
  }
}

/** Paths of the export are relative to its folder `data`. */
function afterData(name: string): string {
  const at = `/${name}`.indexOf('/data/');
  return at < 0 ? name : name.slice(at + 'data/'.length);
}

function parse({ content }: Line): { value: Record<string, unknown>; decodable: boolean } | string {
  if (content === null) return `is a line above ${MAX_LINE_BYTES} bytes`;
  try {
    const value: unknown = parseBounded(content, MAX_LINE_VALUES);
    return isObject(value) ? { value, decodable: isUtf8(content) } : 'is not an object';
  } catch (error) {
    return error instanceof UnreadableError ? error.message : 'is not valid JSON';
  }
}

function remember(
  line: Record<string, unknown>,
  type: string,
  { users, channels }: Directory,
  pictures: Map<string, string>,
): void {
  const entry = line[type];
  if (type === 'channel') {
    const name = textAt(entry, 'name');
    const shown = {
      name: textAt(entry, 'display_name') ?? name ?? '',
      isPublic: textAt(entry, 'type') === 'O',
    };
    if (name !== null) channels.set(`${textAt(entry, 'team') ?? ''}/${name}`, shown);
  }
  if (type === 'user' || type === 'bot') {
    const username = textAt(entry, 'username');
    if (username !== null) users.set(username, displayName(entry) ?? username);
  }
  for (const [member, what] of [
    ['image', 'is the picture of an emoji'],
    ['profile_image', 'is the picture of a user'],
  ] as const) {
    const picture = textAt(entry, member);
    if (picture !== null) pictures.set(picture.replace(/^(?:\.?\/)+/, ''), what);
  }
}

function displayName(user: unknown): string | null {
  const full = [textAt(user, 'first_name'), textAt(user, 'last_name')]
    .filter((part) => part !== null)
    .join(' ');
  return textAt(user, 'nickname') ?? (full === '' ? textAt(user, 'display_name') : full);
}
