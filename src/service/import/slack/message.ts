// Turns a message of a Slack export into a record: key, thread, sender, subject and files.
import { createHash } from 'node:crypto';
import { cityOfTimeZone } from '../../geocoding/cities.ts';
import type { Tier } from '../../../contract/tier.ts';
import type { ImportItem } from '../../records/import-items.ts';
import { decodeSlackMarkup, mentionsIn, slackText } from '../../mail/slack-text.ts';
import { filesOfMessage } from '../chat-file.ts';
import { isObject, textAt } from '../json-value.ts';
import { storedJson } from '../stored-json.ts';
import { subjectLine } from '../subject-line.ts';
import { type Uploads, readSlackFile } from './file.ts';
import { withoutSecrets } from './secrets.ts';
import type { SlackChannel, SlackUser } from './users-and-channels.ts';

/** What messages of one channel have in common. */
export type SlackContext = {
  channel: SlackChannel;
  users: ReadonlyMap<string, SlackUser>;
  /** Names that texts show in place of ids. */
  names: ReadonlyMap<string, string>;
  readUpload: Uploads['read'];
  /** City label for files that have none of their own, or null. */
  originCity: string | null;
  /** Tier of the messages (interface 5). Those of a private channel are `internal` in place of `external`. */
  tier: Tier;
};

/** Where an entry stands. `decodable`: whether its file is valid UTF-8. */
type Place = { path: string; position: number; decodable: boolean };

const TIMESTAMP = /^\d{1,11}\.\d{1,9}$/;
/** Characters of the text in which names are put for ids. */
const MAX_EXAMINED_CHARACTERS = 4000;

/** Subtypes of messages that people write. Messages of any other subtype come from Slack or an app. */
const WRITTEN_SUBTYPES = new Set([
  'thread_broadcast',
  'me_message',
  'file_share',
  'file_comment',
  'tombstone',
]);

/**
 * Returns an entry of a day file as a message. Refuses an entry that is no object, has no valid `ts`, or is nested too
 * deep.
 *
 * The key is `slack:<channel id>:<ts>`. Answers are related to the first message of their thread, so a thread is one
 * conversation. The stored bytes are the canonical JSON of `{channel: {id, name}, message}`, the message as exported, without
 * credentials (see {@link withoutSecrets}).
 */
export async function readSlackMessage(
  exported: unknown,
  place: Place,
  context: SlackContext,
): Promise<ImportItem> {
  const { path, position } = place;
  const refused = (reason: string): ImportItem => ({ kind: 'refused', path, position, reason });
  if (!isObject(exported)) return refused('is not an object');
  const entry = cleanEntry(exported);
  if (entry === null) return refused('is nested too deep');
  const ts = textAt(entry, 'ts');
  if (ts === null || !TIMESTAMP.test(ts)) return refused('has no ts that is a time');
  const { channel, users, names } = context;
  const nameOf = (id: string): string | undefined => names.get(id);
  const raw = storedJson({ channel: { id: channel.id, name: channel.name }, message: entry });
  const thread = textAt(entry, 'thread_ts');
  const root = thread !== null && thread !== ts && TIMESTAMP.test(thread) ? keyOf(channel, thread) : null;
  const subtype = textAt(entry, 'subtype');
  const automatic = textAt(entry, 'bot_id') !== null || (subtype !== null && !WRITTEN_SUBTYPES.has(subtype));
  return {
    kind: 'message',
    format: 'slack',
    path,
    position,
    raw,
    sha256: createHash('sha256').update(raw).digest('hex'),
    key: keyOf(channel, ts),
    related: root === null ? [] : [root],
    parent: root,
    date_ms: Math.floor(Number(ts) * 1000),
    sender: senderOf(entry, users),
    subject: subjectOf(entry, nameOf),
    source: 'external',
    channel: channel.name,
    mentions: mentionsIn(entry, nameOf),
    tier: channel.isPrivate && context.tier === 'external' ? 'internal' : context.tier,
    nature: automatic ? 'automatic' : 'ordinary',
    decodable: place.decodable,
    wellFormed: true,
    attachments: await filesOfMessage(filesOf(entry), (file, maxBytes) => {
      // Some exports keep only the id of a file. The sender of the message then counts as the uploader.
      const uploader = users.get(textAt(file, 'user') ?? textAt(entry, 'user') ?? '');
      const city = cityOfTimeZone(uploader?.zone) ?? context.originCity;
      return readSlackFile(file, context.readUpload, { city, maxBytes });
    }),
  };
}

function keyOf(channel: SlackChannel, ts: string): string {
  return `slack:${channel.id}:${ts}`;
}

function cleanEntry(entry: Record<string, unknown>): Record<string, unknown> | null {
  try {
    return withoutSecrets(entry);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function senderOf(entry: Record<string, unknown>, users: ReadonlyMap<string, SlackUser>): string | null {
  // Who commented on a file stands in the comment.
  const user = textAt(entry, 'user') ?? textAt(entry, 'comment', 'user');
  return (
    (user === null ? undefined : users.get(user)?.name) ??
    textAt(entry, 'user_profile', 'display_name') ??
    textAt(entry, 'user_profile', 'real_name') ??
    textAt(entry, 'username') ??
    textAt(entry, 'bot_profile', 'name') ??
    user ??
    textAt(entry, 'bot_id')
  );
}

function filesOf(entry: Record<string, unknown>): Array<Record<string, unknown>> {
  const { files, file } = entry;
  return (Array.isArray(files) ? files : [file]).filter(isObject);
}

/** The first line of the visible text, at most 80 characters. Mentions and links appear by their names. */
function subjectOf(
  entry: Record<string, unknown>,
  nameOf: (id: string) => string | undefined,
): string | null {
  const text = (slackText(entry) ?? '').slice(0, MAX_EXAMINED_CHARACTERS);
  const named = decodeSlackMarkup(text, { nameOf, onlyLabels: true });
  return subjectLine(named);
}
