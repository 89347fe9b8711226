// The SHA-256 by which the file of a catalogue row is verified.
import type { Attachment } from '../contract/attachment.ts';
import { hasUnusableHash } from '../contract/attachment-file.ts';
import { Fault, type Hint } from '../faults.ts';
import { idArgument } from '../shell-words.ts';

/**
 * Returns the SHA-256 that a row gives for its file, in lower case. Throws Fault 'integrity' where the row gives something else,
 * and 'partial' where it gives none: what cannot be verified is not downloaded. `prefix` begins the message.
 */
export function sha256Of(row: Attachment, prefix = ''): string {
  if (row.sha256 !== undefined) return row.sha256.toLowerCase();
  const hint: Hint = ({ arx }) => `${arx} attachments show ${idArgument(row.id)}`;
  if (hasUnusableHash(row))
    throw new Fault(
      'integrity',
      `${prefix}no usable hash: its sha256 is none, so its file cannot be verified`,
      {
        hint,
      },
    );
  throw new Fault('partial', `${prefix}the service gives no SHA-256, so its file cannot be verified`, {
    hint,
  });
}
