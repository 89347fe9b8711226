// What a reader yields, whatever it reads: messages with their attachments, mails not parsed yet, and refused items.
import type { Tier } from '../../contract/tier.ts';
import type { MessageFormat } from '../../contract/message-format.ts';

/** A file that came with a message. */
export type ImportedAttachment = {
  filename: string;
  /** As the message declares it: lower case, without parameters. `application/octet-stream` when it declares none. */
  declared_type: string;
  /** The content type that the first bytes show; null when unknown. */
  detected_type: string | null;
  /** The decoded bytes. Null when the source does not hold them, and for a large file (see `file`). */
  content: Uint8Array | null;
  /** Path of a file too large for memory. Its bytes are copied from there and must hash to `sha256`. */
  file?: string;
  /** Lower-case hex, of the decoded bytes. Without bytes: a key of the same file in this source, see {@link absentFileKey}. */
  sha256: string;
  /** Size of the decoded bytes. Without bytes: the size that the source declares, or 0. */
  bytes: number;
  /** Why the source does not hold the bytes, as a predicate: `is not in the export`. Null with bytes. */
  absence: string | null;
  /** True for an image shown inside the message (it has a Content-ID). */
  inline: boolean;
  /** City label (interface 2.1), or null. */
  origin_city: string | null;
  /** Why its bytes must not be served, or null. */
  redaction: string | null;
  /** Bytes after the end that the file's own format declares; 0 when none or unknown. */
  trailing_bytes: number;
  /** How many of the next attachments of the message are inside this file; absent for 0. */
  contains?: number;
};

/**
 * Returns what stands in place of the hash of a file without bytes. Files with the same key are taken for the same file.
 * It is no hash, so that it never equals that of any bytes.
 */
export function absentFileKey(declared: string): string {
  return `absent:${declared}`;
}

/** A message with its attachments, ready to be stored. */
export type ImportedMessage = {
  kind: 'message';
  format: MessageFormat;
  /** The path it was read from. */
  path: string;
  /** Byte offset in an mbox, ordinal elsewhere. */
  position: number;
  /** The bytes to store. */
  raw: Uint8Array;
  /** Lower-case hex, of `raw`. A second import recognizes the message by it. */
  sha256: string;
  /** Message-ID without angle brackets, or the key of a Slack message or a file. Null when it has none. */
  key: string | null;
  /** Keys of messages in the same conversation: References and In-Reply-To, the Slack thread, or a folder. */
  related: string[];
  /** Key of the message that it answers, or null. */
  parent: string | null;
  /** Milliseconds since the epoch; null when it declares no readable date. */
  date_ms: number | null;
  sender: string | null;
  subject: string | null;
  source: 'gateway' | 'external' | 'local';
  /** The name of the channel of a chat; null for direct messages and for what is no chat. */
  channel: string | null;
  /** The names of users and channels that the text shows by ids alone, by id; absent for none. */
  mentions?: ReadonlyMap<string, string>;
  tier: Tier;
  nature: 'ordinary' | 'bounce' | 'automatic';
  /** False when a text part does not decode in its declared charset. */
  decodable: boolean;
  /** False when the structure had to be repaired. */
  wellFormed: boolean;
  attachments: ImportedAttachment[];
};

/** The fields of a message that lists show, and its key. */
export type MessageSummary = Pick<ImportedMessage, 'key' | 'date_ms' | 'sender' | 'subject'>;

/** A mail as found, not parsed yet. Its hash shows whether the archive has it already. */
export type RawMail = { kind: 'raw'; path: string; position: number; raw: Uint8Array; sha256: string };

/**
 * An entry that a reader could not read. `reason` is lower case, without a final full stop: `is a link`. `isAbsent`: there is
 * no such file, but there should be one.
 */
export type RefusedItem = {
  kind: 'refused';
  path: string;
  position: number;
  reason: string;
  isAbsent?: true;
};

/** What a reader yields for one entry of a source. Mail readers yield {@link RawMail} in place of a message. */
export type ImportItem = ImportedMessage | RefusedItem;

/**
 * What a reader says about a file, beside its messages. `opened`: it is read as this format, the name in reports.
 * `skipped`: it is not read, or `bytes` of it at `position` are not; null for a whole file. `reason` is as in
 * {@link RefusedItem}. `notice`: what the user should know, as a sentence whose subject is the file.
 */
export type FileNote =
  | { kind: 'opened'; path: string; format: string }
  | { kind: 'notice'; path: string; text: string }
  | { kind: 'skipped'; path: string; position: number | null; bytes: number | null; reason: string };

/** Everything that a reader yields. */
export type SourceItem = ImportItem | RawMail | FileNote;
