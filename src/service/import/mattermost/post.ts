// Turns a post of a Mattermost export and its replies into records: keys, thread, senders, subjects and files.
import { createHash } from 'node:crypto';
import type { Tier } from '../../../contract/tier.ts';
import { mattermostText } from '../../mail/mattermost-text.ts';
import type { ImportedAttachment, ImportedMessage, ImportItem } from '../../records/import-items.ts';
import { chatFile, filesOfMessage, type HeldFiles } from '../chat-file.ts';
import { withoutCredentials, withoutSecretAddresses } from '../chat-secrets.ts';
import { countAt, isObject, objectsAt, textAt } from '../json-value.ts';
import { storedJson } from '../stored-json.ts';
import { subjectLine } from '../subject-line.ts';

/** What lines of the export say of users and channels, as far as posts need it. */
export type Directory = {
  /** The name that is shown, by user name. */
  users: Map<string, string>;
  /** Whether everybody in its team can read a channel, by `<team>/<channel>`. */
  channels: Map<string, { name: string; isPublic: boolean }>;
};

/** What the posts of one file have in common. */
type PostContext = {
  directory: Directory;
  held: HeldFiles;
  /** The folder of the JSONL file: empty, or with a final `/`. */
  folder: string;
  /** City label for files that have none of their own, or null. */
  originCity: string | null;
  /** Tier of the posts. Those of private channels and direct ones are `internal` in place of `external`. */
  tier: Tier;
};

/** Where a line stands. `decodable`: whether it is valid UTF-8. */
type Place = { path: string; position: number; decodable: boolean };

/** The channel of a post: one of a team, or the members of a direct conversation. */
type Channel = { team: string; name: string } | { members: string[] };

/** What a reply says of the post that it answers. */
type Root = { key: string; user: string; create_at: number };

/**
 * Yields a post, and its replies as answers to it, so that a thread is one conversation. Refuses what has no channel, user or
 * time, and what is nested too deep; the replies of a refused post are refused with it.
 *
 * The key is `mattermost:<channel>:<create_at>:<hash of user and message>`: the export has no ids, and by these Mattermost knows
 * a post again. The stored bytes are the canonical JSON of `{channel, message}`, for a reply also `root`: the post as
 * exported, without its replies and without credentials (see {@link withoutCredentials}).
 */
export async function* readPost(
  exported: unknown,
  place: Place,
  context: PostContext,
): AsyncGenerator<ImportItem> {
  const { path, position } = place;
  const refused = (reason: string): ImportItem => ({ kind: 'refused', path, position, reason });
  if (!isObject(exported)) {
    yield refused('is not a post');
    return;
  }
  const { replies, ...post } = exported;
  const listed: unknown[] = Array.isArray(replies) ? replies : [];
  const channel = cleanChannel(channelOf(post));
  const first =
    channel === null ? 'has no channel' : await readOne(post, { channel, root: null }, place, context);
  if (channel === null || typeof first === 'string') {
    yield refused(first as string);
    for (const _ of listed) yield refused('answers a post that is refused');
    return;
  }
  yield first.message;
  for (const reply of listed) {
    const answer = isObject(reply)
      ? await readOne(reply, { channel, root: first.root }, place, context)
      : 'is not a reply';
    yield typeof answer === 'string' ? refused(`reply: ${answer}`) : answer.message;
  }
}

async function readOne(
  exported: Record<string, unknown>,
  { channel, root }: { channel: Channel; root: Root | null },
  place: Place,
  { directory, held, folder, originCity, tier }: PostContext,
): Promise<{ message: ImportedMessage; root: Root } | string> {
  const user = textAt(exported, 'user');
  const created = countAt(exported, 'create_at');
  if (user === null) return 'has no user';
  if (created === null) return 'has no create_at that is a time';
  let entry: Record<string, unknown>;
  try {
    entry = withoutCredentials(exported);
  } catch (error) {
    if (error instanceof RangeError) return 'is nested too deep';
    throw error;
  }
  const raw = storedJson({
    channel,
    message: entry,
    ...(root === null
      ? {}
      : { root: { user: withoutSecretAddresses(root.user), create_at: root.create_at } }),
  });
  const key = `mattermost:${channelKey(channel)}:${created}:${hashOf(user, textAt(entry, 'message') ?? '')}`;
  const isPublic =
    'team' in channel && directory.channels.get(`${channel.team}/${channel.name}`)?.isPublic === true;
  const files = await filesOf(exported, held, folder, originCity);
  return {
    root: { key, user, create_at: created },
    message: {
      kind: 'message',
      format: 'mattermost',
      path: place.path,
      position: place.position,
      raw,
      sha256: createHash('sha256').update(raw).digest('hex'),
      key,
      related: root === null ? [] : [root.key],
      parent: root?.key ?? null,
      date_ms: created,
      sender: senderOf(entry, user, directory),
      subject: subjectLine(mattermostText(entry)),
      source: 'external',
      channel: 'team' in channel ? channel.name : null,
      tier: !isPublic && tier === 'external' ? 'internal' : tier,
      nature: isAutomatic(entry) ? 'automatic' : 'ordinary',
      decodable: place.decodable,
      wellFormed: true,
      attachments: files,
    },
  };
}

function channelOf(post: Record<string, unknown>): Channel | null {
  const name = textAt(post, 'channel');
  if (name !== null) return { team: textAt(post, 'team') ?? '', name };
  const { channel_members: listed } = post;
  // Newer exports list participants as objects.
  const members = Array.isArray(listed)
    ? listed.filter((member): member is string => typeof member === 'string')
    : objectsAt(post, 'participants').flatMap((member) => textAt(member, 'username') ?? []);
  return members.length === 0 ? null : { members: [...new Set(members)].sort() };
}

/** Names are stored beside the message, so they are without credentials, too. */
function cleanChannel(channel: Channel | null): Channel | null {
  if (channel === null) return null;
  if ('members' in channel) return { members: channel.members.map(withoutSecretAddresses) };
  return { team: withoutSecretAddresses(channel.team), name: withoutSecretAddresses(channel.name) };
}

function channelKey(channel: Channel): string {
  return 'team' in channel ? `${channel.team}/${channel.name}` : `@${channel.members.join(',')}`;
}

function hashOf(user: string, message: string): string {
  return createHash('sha256')
    .update(JSON.stringify([user, message]))
    .digest('hex')
    .slice(0, 16);
}

/** Integrations may post under another name. */
function senderOf(entry: Record<string, unknown>, user: string, { users }: Directory): string {
  const isWebhook = textAt(entry, 'props', 'from_webhook') === 'true';
  return (isWebhook ? textAt(entry, 'props', 'override_username') : null) ?? users.get(user) ?? user;
}

/** People write posts of no type, and `/me`. Other posts come from Mattermost, an integration or a plugin. */
function isAutomatic(entry: Record<string, unknown>): boolean {
  const type = textAt(entry, 'type');
  const isWritten = type === null || type === 'me' || type === 'burn_on_read';
  return (
    !isWritten ||
    ['from_webhook', 'from_bot', 'from_plugin'].some((name) => textAt(entry, 'props', name) === 'true')
  );
}

function filesOf(
  post: Record<string, unknown>,
  held: HeldFiles,
  folder: string,
  city: string | null,
): Promise<ImportedAttachment[]> {
  return filesOfMessage(objectsAt(post, 'attachments'), async (file, maxBytes) => {
    const path = (textAt(file, 'path') ?? '').replace(/^(?:\.?\/)+/, '');
    const filename = path.slice(path.lastIndexOf('/') + 1) || 'file';
    const declared = { filename, type: null, bytes: null, declared: file, city, redaction: null };
    // Paths are relative to the folder `data` of the export.
    return chatFile(declared, await held.read([`${folder}data/${path}`, `${folder}${path}`], maxBytes));
  });
}
