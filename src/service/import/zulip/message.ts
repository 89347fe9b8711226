// Turns a message of a Zulip export into a record: key, conversation, sender, subject and files.
import { createHash } from 'node:crypto';
import { cityOfTimeZone } from '../../geocoding/cities.ts';
import type { Tier } from '../../../contract/tier.ts';
import type { ImportItem } from '../../records/import-items.ts';
import { zulipText } from '../../mail/zulip-text.ts';
import { chatFile, filesOfMessage, type HeldFiles } from '../chat-file.ts';
import { withoutCredentials } from '../chat-secrets.ts';
import { countAt, isObject, numberAt, textAt } from '../json-value.ts';
import { storedJson } from '../stored-json.ts';
import { subjectLine } from '../subject-line.ts';
import { fileNameOf, type ListedFile, type Realm } from './realm.ts';

/** What the messages of one export have in common. */
export type ZulipContext = {
  realm: Realm;
  held: HeldFiles;
  /** The folder of the export: empty, or with a final `/`. */
  prefix: string;
  /** Ids rise, so a message comes after those that it quotes. */
  seen: SeenMessages;
  /** City label for files that have none of their own, or null. */
  originCity: string | null;
  /** Tier of the messages. Those of private channels and direct ones are `internal` in place of `external`. */
  tier: Tier;
};

/** The messages that were read, each with the key of its conversation. */
export type SeenMessages = {
  has(id: number): boolean;
  add(id: number, conversation: string): void;
  conversationOf(id: number): string | undefined;
};

/** Returns an empty set. Each conversation is held once, and a number for each message. */
export function seenMessages(): SeenMessages {
  const numbers = new Map<string, number>();
  const conversations: string[] = [];
  const ids = new Map<number, number>();
  return {
    has: (id) => ids.has(id),
    add(id, conversation) {
      const number = numbers.get(conversation) ?? conversations.push(conversation) - 1;
      numbers.set(conversation, number);
      ids.set(id, number);
    },
    conversationOf: (id) => conversations[ids.get(id) ?? -1],
  };
}

/** Where an entry stands. `decodable`: whether its file is valid UTF-8. */
type Place = { path: string; position: number; decodable: boolean };

/** The conversation of a message as it is stored, its key, and whether everybody in the organization can read it. */
type Conversation = {
  shown: object;
  key: string;
  isPublic: boolean;
  channel: string | null;
  topic: string | null;
};

/** The link of "Quote and reply" to the message that is answered. */
const QUOTED = /\[said\]\(([^()\s]{1,2000})\)/;
const NEAR = /\/near\/(\d{1,15})$/;
const UPLOAD = /\/user_uploads\/(?!temporary\/|thumbnail\/)([^\s()[\]<>"'`?#]+)/g;
const MAX_EXAMINED_CHARACTERS = 200_000;
/** `/near/` and a number. */
const MAX_NEAR_CHARACTERS = 24;

/**
 * Returns an entry of a message file as a message. Refuses an entry that is no object, has no id, has the id of an earlier
 * one, or is nested too deep.
 *
 * The key is `zulip:<organization>:<id>`. Messages of one channel and topic, or between the same people, are one
 * conversation. A message that quotes another one of its conversation answers it. The stored bytes are the canonical JSON of
 * `{channel, message}`, the message as exported, with its reactions and without credentials (see
 * {@link withoutCredentials}).
 */
export async function readZulipMessage(
  exported: unknown,
  { path, position, decodable }: Place,
  { realm, held, prefix, seen, originCity, tier }: ZulipContext,
): Promise<ImportItem> {
  const refused = (reason: string): ImportItem => ({ kind: 'refused', path, position, reason });
  if (!isObject(exported)) return refused('is not an object');
  const id = countAt(exported, 'id');
  if (id === null) return refused('has no id');
  if (seen.has(id)) return refused('has the id of another message');
  const reactions = realm.reactions.get(id);
  let entry: Record<string, unknown>;
  try {
    entry = withoutCredentials({ ...exported, ...(reactions === undefined ? {} : { reactions }) });
  } catch (error) {
    if (error instanceof RangeError) return refused('is nested too deep');
    throw error;
  }
  const conversation = conversationOf(entry, realm);
  seen.add(id, conversation.key);
  const raw = storedJson({ channel: conversation.shown, message: entry });
  const content = zulipText(entry);
  const answered = answeredBy(content, id, conversation, seen);
  const parent = answered === null ? null : `zulip:${realm.key}:${answered}`;
  const sender = countAt(exported, 'sender');
  const user = sender === null ? undefined : realm.users.get(sender);
  return {
    kind: 'message',
    format: 'zulip',
    path,
    position,
    raw,
    sha256: createHash('sha256').update(raw).digest('hex'),
    key: `zulip:${realm.key}:${id}`,
    related: [conversation.key, ...(parent === null ? [] : [parent])],
    parent,
    date_ms: dateOf(exported),
    sender: user?.name ?? (sender === null ? null : `user ${sender}`),
    subject: conversation.topic ?? subjectLine(content),
    source: 'external',
    channel: conversation.channel,
    tier: !conversation.isPublic && tier === 'external' ? 'internal' : tier,
    nature: user?.isBot === true ? 'automatic' : 'ordinary',
    decodable,
    wellFormed: true,
    attachments: await filesOfMessage(filesOf(content, realm.files.get(id) ?? []), async (file, maxBytes) => {
      const names = [`${prefix}uploads/${file.path}`, `${prefix}uploads/${decoded(file.path)}`];
      const city = cityOfTimeZone(user?.zone) ?? originCity;
      return chatFile({ ...file, declared: file, city, redaction: null }, await held.read(names, maxBytes));
    }),
  };
}

/** A message to a recipient that no list has may have been private. Topics differ by more than case. */
function conversationOf(entry: Record<string, unknown>, { key, recipients }: Realm): Conversation {
  const id = countAt(entry, 'recipient');
  const recipient = id === null ? undefined : recipients.get(id);
  const topic = textAt(entry, 'subject') ?? '';
  if (recipient?.type === 'channel') {
    const { id: channel, name, isPublic } = recipient;
    return {
      shown: { id: channel, name, type: 'channel' },
      key: `zulip:${key}:topic:${channel}:${topic.toLowerCase()}`,
      isPublic,
      channel: name,
      topic: topic === '' ? name : topic,
    };
  }
  if (recipient === undefined) {
    const shown = { recipient: id, type: 'unknown' };
    return {
      shown,
      key: `zulip:${key}:recipient:${id}:${topic}`,
      isPublic: false,
      channel: null,
      topic: topic === '' ? null : topic,
    };
  }
  const sender = countAt(entry, 'sender');
  const members =
    recipient.type === 'personal'
      ? [recipient.user, ...(sender === null ? [] : [sender])]
      : recipient.members;
  const people = [...new Set(members)].sort((a, b) => a - b);
  // A group whose members are not listed is known by its recipient.
  const identity = people.length === 0 ? `recipient:${id}` : `direct:${people.join(',')}`;
  return {
    shown: { members: people, type: 'direct' },
    key: `zulip:${key}:${identity}`,
    isPublic: false,
    channel: null,
    topic: null,
  };
}

/** The message that is quoted, if it is an earlier one of this conversation. */
function answeredBy(
  content: string | null,
  id: number,
  { key }: Conversation,
  seen: SeenMessages,
): number | null {
  const [, link = ''] = QUOTED.exec(content?.slice(0, MAX_EXAMINED_CHARACTERS) ?? '') ?? [];
  const [, near] = NEAR.exec(link.slice(-MAX_NEAR_CHARACTERS)) ?? [];
  if (near === undefined || !link.includes('#narrow/')) return null;
  return Number(near) !== id && seen.conversationOf(Number(near)) === key ? Number(near) : null;
}

/** `pub_date` is the name in exports before 2018. */
function dateOf(entry: Record<string, unknown>): number | null {
  const seconds = numberAt(entry, 'date_sent') ?? numberAt(entry, 'pub_date');
  const ms = seconds === null ? Number.NaN : Math.floor(seconds * 1000);
  return Number.isSafeInteger(ms) && Math.abs(ms) <= 8.64e15 ? ms : null;
}

/** The files that the lists name for a message, and others whose addresses stand in its text. */
function filesOf(content: string | null, listed: readonly ListedFile[]): ListedFile[] {
  const known = new Set(listed.flatMap(({ path }) => [path, encodeURI(path)]));
  const files = [...listed];
  for (const [, path = ''] of content?.slice(0, MAX_EXAMINED_CHARACTERS).matchAll(UPLOAD) ?? []) {
    if (known.has(path) || known.has(decoded(path))) continue;
    known.add(path);
    files.push({ path, filename: fileNameOf(decoded(path)), type: null, bytes: null });
  }
  return files;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
