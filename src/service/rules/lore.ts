// What the lore view says of a message: its place in the sequence, its assets, and what it carries unseen (interface 2.2).
import type { Carrier } from '../../contract/content.ts';
import { MESSAGE } from './integrity.ts';

/**
 * `non_linear`: moved by an event, or before the message it answers. `gap`: it answers a message the archive lacks.
 * `linear`: neither (our values; the interface shows non_linear).
 */
export function sequenceStatusOf(message: { n: number; sequence: number; failed: number }) {
  if (message.sequence !== message.n || (message.failed & MESSAGE.positionMonotonic) !== 0)
    return 'non_linear';
  return (message.failed & MESSAGE.parentPresent) !== 0 ? 'gap' : 'linear';
}

const DOCUMENTS = /^application\/(pdf|postscript|rtf|msword|epub|vnd\.(oasis|openxml|ms-))/;
const ARCHIVES = /zip|gzip|bzip2|xz|zstd|7z|rar|tar|compress|lzh|lha|arj/;

/** Asset type from a content type: image, video, audio, text, document, archive or other (our list, video is shown). */
export function assetTypeOf(contentType: string): string {
  const main = contentType.split('/', 1)[0]!;
  if (main === 'image' || main === 'video' || main === 'audio' || main === 'text') return main;
  if (DOCUMENTS.test(contentType)) return 'document';
  return ARCHIVES.test(contentType) ? 'archive' : 'other';
}

/** Render variant by the order of parts from 0: a … z, aa, ab … */
export function variantOf(index: number): string {
  const letter = String.fromCharCode(97 + (index % 26));
  return index < 26 ? letter : variantOf(Math.floor(index / 26) - 1) + letter;
}

// Zero-width space, non-joiner and joiner, word joiner, invisible operators, byte order mark inside text. A joiner that
// holds an emoji together is seen, so it carries nothing.
const ZERO_WIDTH =
  /[\u200b\u200c\u2060-\u2064\ufeff]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d/gu;

/** The zero-width characters of a text as one carrier; none where it has none. */
export function zeroWidthCarriers(where: string, text: string | null | undefined): Carrier[] {
  const count = text?.match(ZERO_WIDTH)?.length ?? 0;
  return count === 0 ? [] : [{ where, kind: 'zero_width', count }];
}
