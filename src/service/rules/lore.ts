// The lore view of a message: sequence status, types of assets, hidden text (interface 2.2).
import type { Carrier } from '../../contract/content.ts';
import { MESSAGE } from './integrity.ts';

/**
 * Returns `non_linear` for a message that an event moved or that stands before its parent, `gap` where the archive lacks its
 * parent, otherwise `linear` (our values; the interface shows non_linear).
 */
export function sequenceStatusOf(message: { n: number; sequence: number; failed: number }) {
  if (message.sequence !== message.n || (message.failed & MESSAGE.positionMonotonic) !== 0)
    return 'non_linear';
  return (message.failed & MESSAGE.parentPresent) !== 0 ? 'gap' : 'linear';
}

const DOCUMENTS = /^application\/(pdf|postscript|rtf|msword|epub|vnd\.(oasis|openxml|ms-))/;
const ARCHIVES = /zip|gzip|bzip2|xz|zstd|7z|rar|tar|compress|lzh|lha|arj/;

/** Returns image, video, audio, text, document, archive or other for a content type (our list; the interface shows video). */
export function assetTypeOf(contentType: string): string {
  const main = contentType.split('/', 1)[0]!;
  if (main === 'image' || main === 'video' || main === 'audio' || main === 'text') return main;
  if (DOCUMENTS.test(contentType)) return 'document';
  return ARCHIVES.test(contentType) ? 'archive' : 'other';
}

/** Returns the render variant of the part with this index: a … z, aa, ab … */
export function variantOf(index: number): string {
  const letter = String.fromCharCode(97 + (index % 26));
  return index < 26 ? letter : variantOf(Math.floor(index / 26) - 1) + letter;
}

// Zero-width space, non-joiner and joiner, word joiner, invisible operators, byte order mark inside text. A joiner that
// holds an emoji together is visible, so it does not count.
const ZERO_WIDTH =
  /[\u200b\u200c\u2060-\u2064\ufeff]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d/gu;

/** Returns the zero-width characters of a text as one carrier, or an empty list. */
export function zeroWidthCarriers(where: string, text: string | null | undefined): Carrier[] {
  const count = text?.match(ZERO_WIDTH)?.length ?? 0;
  return count === 0 ? [] : [{ where, kind: 'zero_width', count }];
}
