// What every reader yields, whatever it reads: messages with their files, and what it had to refuse.
import type { Tier } from '../../contract/token.ts';

export type SourceKind = 'mbox' | 'maildir' | 'mail' | 'slack' | 'folder';

/** A file that came with a message. `content` is null where the archive names a file whose bytes it does not hold. */
export type ImportedAttachment = {
  filename: string;
  /** As the message declares it, lower case, without parameters; application/octet-stream where it declares none. */
  declared_type: string;
  /** By its first bytes; null where unknown. */
  detected_type: string | null;
  content: Uint8Array | null;
  /** A file too big to hold: `content` is null and its bytes are copied from this path, which must hash to `sha256`. */
  file?: string;
  /** Of the decoded bytes; for a file without bytes the sha256 of its declared identity (see slack.ts). */
  sha256: string;
  bytes: number;
  /** Shown inside the message (Content-ID image), so native to the decorative layer. */
  inline: boolean;
  origin_city: string | null;
  /** Why its bytes must not be given, or null. */
  redaction: string | null;
  /** Bytes after the format's own end (a carrier), 0 where none or unknown. */
  trailing_bytes: number;
};

export type ImportedMessage = {
  kind: 'message';
  format: 'rfc822' | 'slack' | 'file';
  /** The file it was read from, as given, and its byte offset (or ordinal) there. */
  path: string;
  position: number;
  /** The stored bytes and their sha256 (lower-case hex): the identity by which a second import knows it. */
  raw: Uint8Array;
  sha256: string;
  /** Message-ID without angle brackets, or a Slack/file identity; null where it has none. */
  key: string | null;
  /** Keys it belongs together with: References and the first In-Reply-To, its Slack thread, or a folder (no message). */
  related: string[];
  /** Key of the message it answers, or null. */
  parent: string | null;
  date_ms: number | null;
  sender: string | null;
  subject: string | null;
  source: 'gateway' | 'external' | 'local';
  tier: Tier;
  /** What the message is besides its place in a thread: ordinary, bounce, automatic. */
  nature: 'ordinary' | 'bounce' | 'automatic';
  /** False where text could not be decoded in its declared charset / the structure had to be repaired. */
  decodable: boolean;
  wellFormed: boolean;
  attachments: ImportedAttachment[];
};

/** What a message is known by, and shown by in lists. */
export type MessageSummary = Pick<ImportedMessage, 'key' | 'date_ms' | 'sender' | 'subject'>;

/** A mail as found, before it is parsed; its hash tells whether the archive has it already. */
export type RawMail = { kind: 'raw'; path: string; position: number; raw: Uint8Array; sha256: string };

export type RefusedItem = { kind: 'refused'; path: string; position: number; reason: string };

export type ImportItem = ImportedMessage | RefusedItem;
