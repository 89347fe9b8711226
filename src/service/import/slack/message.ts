// One Slack message as a record: its key and thread, its sender by name, its text as a subject, its files.
import { createHash } from 'node:crypto';
import { cityOfTimeZone } from '../../geocoding/cities.ts';
import { canonicalBytes } from '../canonical.ts';
import type { ImportItem } from '../../records/import-items.ts';
import { type Uploads, fileFrom } from './file.ts';
import { type SlackChannel, type SlackPerson, isObject, textOf } from './users-and-channels.ts';

export type SlackContext = {
  channel: SlackChannel;
  people: ReadonlyMap<string, SlackPerson>;
  uploads: Uploads;
  originCity: string | null;
};

type Place = { path: string; position: number; decodable: boolean };

const TS = /^\d{1,11}\.\d{1,9}$/;
const SUBJECT_LENGTH = 80;

/** Messages that people write; every other subtype is Slack or an app speaking. */
const WRITTEN = new Set(['thread_broadcast', 'me_message', 'file_share', 'file_comment', 'tombstone']);

/**
 * A message of a day file, or why it is none. Its key is `slack:<channel id>:<ts>`; answers are related to the key of
 * their thread's first message, so that a thread is a conversation and a message without a thread one of its own.
 * The raw bytes are the canonical JSON of `{channel: {id, name}, message}`, the message as exported.
 */
export async function messageFrom(entry: unknown, place: Place, context: SlackContext): Promise<ImportItem> {
  const { path, position } = place;
  const refused = (reason: string): ImportItem => ({ kind: 'refused', path, position, reason });
  if (!isObject(entry)) return refused('is not an object');
  const ts = textOf(entry, 'ts');
  if (ts === null || !TS.test(ts)) return refused('has no ts that is a time');
  const { channel, people } = context;
  const raw = rawOf(channel, entry);
  if (raw === null) return refused('is nested too deep');
  const thread = textOf(entry, 'thread_ts');
  const root = thread !== null && thread !== ts && TS.test(thread) ? keyOf(channel, thread) : null;
  const subtype = textOf(entry, 'subtype');
  const automatic = textOf(entry, 'bot_id') !== null || (subtype !== null && !WRITTEN.has(subtype));
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
    sender: senderOf(entry, people),
    subject: subjectOf(entry, people),
    source: 'external',
    tier: channel.tier,
    nature: automatic ? 'automatic' : 'ordinary',
    decodable: place.decodable,
    wellFormed: true,
    attachments: await Promise.all(
      filesOf(entry).map((file) => {
        // The city where the uploader's clock is set, by the export; the message's sender stands in for files
        // of which only the id is left.
        const uploader = people.get(textOf(file, 'user') ?? textOf(entry, 'user') ?? '');
        return fileFrom(file, context.uploads, cityOfTimeZone(uploader?.zone) ?? context.originCity);
      }),
    ),
  };
}

function keyOf(channel: SlackChannel, ts: string): string {
  return `slack:${channel.id}:${ts}`;
}

function rawOf({ id, name }: SlackChannel, message: Record<string, unknown>): Uint8Array | null {
  try {
    return canonicalBytes({ channel: { id, name }, message });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function senderOf(entry: Record<string, unknown>, people: ReadonlyMap<string, SlackPerson>): string | null {
  const user = textOf(entry, 'user');
  return (
    (user === null ? undefined : people.get(user)?.name) ??
    textOf(entry, 'user_profile', 'display_name') ??
    textOf(entry, 'user_profile', 'real_name') ??
    textOf(entry, 'username') ??
    textOf(entry, 'bot_profile', 'name') ??
    user ??
    textOf(entry, 'bot_id')
  );
}

function filesOf(entry: Record<string, unknown>): Array<Record<string, unknown>> {
  const { files, file } = entry;
  return (Array.isArray(files) ? files : [file]).filter(isObject);
}

/** The first line of what a reader sees, at most 80 characters: mentions and links by their names. */
function subjectOf(entry: Record<string, unknown>, people: ReadonlyMap<string, SlackPerson>): string | null {
  const { attachments } = entry;
  const [card] = Array.isArray(attachments) ? (attachments as unknown[]) : [];
  const text = textOf(entry, 'text') ?? textOf(card, 'title') ?? textOf(card, 'fallback') ?? '';
  const line = text
    .slice(0, 4000)
    .replace(/<([@#!]?)([^<>|\n]+)(?:\|([^<>\n]*))?>/g, (_, mark: string, target: string, label?: string) =>
      mark === ''
        ? (label ?? target)
        : `${mark === '#' ? '#' : '@'}${label || people.get(target)?.name || target}`,
    )
    .replace(/&(lt|gt|amp);/g, (_, name: 'lt' | 'gt' | 'amp') => ({ lt: '<', gt: '>', amp: '&' })[name])
    .split('\n')
    .find((candidate) => candidate.trim() !== '');
  const characters = Array.from(line?.trim() ?? '');
  if (characters.length === 0) return null;
  return characters.length > SUBJECT_LENGTH
    ? `${characters
        .slice(0, SUBJECT_LENGTH - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('');
}
