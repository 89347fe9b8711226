// The formats in which the bytes of a message are stored. A database row and the raw view name one of them.

/**
 * `rfc822`: a mail, byte for byte as it was read. `slack`, `mattermost`, `zulip`: canonical JSON of one message of such a chat
 * and its channel.
 * `file`: canonical JSON that describes one file of an imported folder.
 */
export type MessageFormat = 'rfc822' | 'slack' | 'mattermost' | 'zulip' | 'file';

const EXTENSIONS: Record<MessageFormat, string> = {
  rfc822: 'eml',
  slack: 'json',
  mattermost: 'json',
  zulip: 'json',
  file: 'json',
};

/** Returns whether a format is one of those that this version stores. */
export function isMessageFormat(format: string): format is MessageFormat {
  return Object.hasOwn(EXTENSIONS, format);
}

/** Every file name extension of stored bytes, without a dot. */
export const STORED_EXTENSIONS: readonly string[] = [...new Set([...Object.values(EXTENSIONS), 'bin'])];

/**
 * Returns the file name extension of the stored bytes, without a dot. Returns `bin` for no format and for an unknown one,
 * which another service or a newer version may name.
 */
export function storedExtension(format: string | undefined): string {
  return format !== undefined && isMessageFormat(format) ? EXTENSIONS[format] : 'bin';
}
