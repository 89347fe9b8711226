// The readable text of a stored message, whatever its format: headers in order, decoded text and HTML.
import type { MessageFormat } from '../../contract/message-format.ts';
import { limitText, truncatedFields, type MessageText } from './limited-text.ts';
import { mailText } from './mail-text.ts';
import { mattermostText } from './mattermost-text.ts';
import { shownSlackText } from './slack-text.ts';
import { zulipText } from './zulip-text.ts';

export type { MessageText } from './limited-text.ts';

/**
 * Returns the text of a message from its stored bytes (interface 4.3). A mail: its header fields, and its visible text
 * and HTML parts. A message of a chat: its words, those of apps included. A file: its description, as stored, with its size.
 * Accepts any bytes, but throws an Error for an unknown format.
 *
 * `redacted` are the hashes (sha256, lower-case hex) of files that must not be read. Only a mail contains its files, and only a
 * description tells their size. `mentions` are names for ids in the text of a Slack message, as a JSON object by id.
 */
export async function readMessageText(
  format: MessageFormat,
  bytes: Uint8Array,
  {
    redacted = new Set(),
    mentions = null,
  }: { redacted?: ReadonlySet<string>; mentions?: string | null } = {},
): Promise<MessageText> {
  switch (format) {
    case 'rfc822':
      return mailText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), redacted);
    case 'slack':
      return plainText(chatText(bytes, (message) => shownSlackText(message, namesIn(mentions))));
    case 'mattermost':
      return plainText(chatText(bytes, mattermostText));
    case 'zulip':
      return plainText(chatText(bytes, zulipText));
    case 'file':
      return plainText(redacted.size > 0 ? null : new TextDecoder().decode(bytes));
    default:
      // A format without a case above does not compile. A newer version may have stored others.
      throw new Error(`unknown message format: ${String(format satisfies never)}`);
  }
}

function plainText(source: string | null): MessageText {
  const { text, isCut } = limitText(source);
  return { headers: [], text, html: null, ...truncatedFields({ text: isCut }) };
}

/** Returns what knows the names of a JSON object by id; none where it is damaged. */
function namesIn(mentions: string | null): (id: string) => string | null {
  const names = new Map(mentions === null ? [] : Object.entries(parsedObject(mentions)));
  return (id) => {
    const name = names.get(id);
    return typeof name === 'string' ? name : null;
  };
}

function parsedObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** The stored JSON holds the message as `message`. A message alone is read too. */
function chatText(bytes: Uint8Array, textOf: (message: unknown) => string | null): string | null {
  try {
    const record = JSON.parse(new TextDecoder().decode(bytes)) as { message?: unknown } | null;
    return textOf(typeof record?.message === 'object' ? record.message : record);
  } catch {
    return null;
  }
}
