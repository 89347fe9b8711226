// The formats in which the bytes of a message are stored. A database row names one of them.

/**
 * `rfc822`: a mail, byte for byte as it was read. `slack`: canonical JSON of one Slack message and its channel.
 * `file`: canonical JSON that describes one file of an imported folder.
 */
export type MessageFormat = 'rfc822' | 'slack' | 'file';

/** The file name extension that the stored bytes are served under. */
export const FORMAT_EXTENSIONS: Record<MessageFormat, string> = {
  rfc822: 'eml',
  slack: 'json',
  file: 'json',
};
