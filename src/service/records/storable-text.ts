// Makes the text of imported messages storable in both engines. The stored bytes keep what is changed here.
import { createHash } from 'node:crypto';
import type { ImportedMessage, MessageSummary } from './import-items.ts';

/** PostgreSQL cannot index values that are much longer. */
const MAX_TYPE_CHARS = 255;
const MAX_KEY_BYTES = 2_000;
const MAX_CHANNEL_CHARACTERS = 255;
/** Each message that mentions somebody stores the name again. */
const MAX_MENTION_CHARACTERS = 255;

/**
 * Returns the message without NUL and lone surrogates, which the engines cannot store, and with indexed texts short
 * enough for PostgreSQL. Messages are shown from their stored bytes, which stay as they are.
 */
export function storableMessage(message: ImportedMessage): ImportedMessage {
  return {
    ...message,
    ...storableSummary(message),
    related: message.related.map(storableKey),
    parent: message.parent === null ? null : storableKey(message.parent),
    path: storableText(message.path),
    channel: storableText(message.channel)?.slice(0, MAX_CHANNEL_CHARACTERS) ?? null,
    ...(message.mentions === undefined ? {} : { mentions: storableMentions(message.mentions) }),
    attachments: message.attachments.map((file) => ({
      ...file,
      filename: storableText(file.filename),
      declared_type: storableText(file.declared_type).slice(0, MAX_TYPE_CHARS),
    })),
  };
}

/** As {@link storableMessage}, for the values that lists show. */
export function storableSummary({ key, date_ms, sender, subject }: MessageSummary): MessageSummary {
  return {
    key: key === null ? null : storableKey(key),
    date_ms,
    sender: storableText(sender),
    subject: storableText(subject),
  };
}

function storableMentions(mentions: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    [...mentions].map(([id, name]) => [
      storableText(id),
      storableText(name.slice(0, MAX_MENTION_CHARACTERS)),
    ]),
  );
}

/** Returns the key, or its hash when it is too long for an index. Equal keys give equal results. */
function storableKey(text: string): string {
  const key = storableText(text);
  return Buffer.byteLength(key) <= MAX_KEY_BYTES ? key : createHash('sha256').update(key).digest('hex');
}

function storableText<T extends string | null>(text: T): T {
  return (text === null ? null : text.replaceAll(/\0|\p{Surrogate}/gu, '\ufffd')) as T;
}
