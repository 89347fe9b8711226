// Cuts the text of a message to the size that a response may have.
import { MAX_TEXT_BYTES } from '../../contract/content.ts';

type Truncatable = 'headers' | 'text' | 'html';

/** The readable text of one message. */
export type MessageText = {
  headers: [name: string, value: string][];
  text: string | null;
  html: string | null;
  /** The fields that were cut because they are too long; absent when none was. */
  truncated?: Truncatable[];
};

/**
 * Returns the text, or a beginning of it that takes at most MAX_TEXT_BYTES as JSON. JSON needs up to six bytes for a
 * control character, so the cut is found by bisection; it is within about 1 % of the longest that fits.
 */
export function limitText(text: string | null): { text: string | null; isCut: boolean } {
  if (text === null || fits(text)) return { text, isCut: false };
  let fitting = Math.floor(MAX_TEXT_BYTES / 6) - 1;
  let tooLong = MAX_TEXT_BYTES;
  while (tooLong - fitting > MAX_TEXT_BYTES / 512) {
    const middle = (fitting + tooLong) >> 1;
    if (fits(text.slice(0, middle))) fitting = middle;
    else tooLong = middle;
  }
  // A cut must not leave half of a surrogate pair.
  return { text: text.slice(0, fitting).replace(/[\ud800-\udbff]$/, ''), isCut: true };
}

function fits(text: string): boolean {
  return text.length <= MAX_TEXT_BYTES && Buffer.byteLength(JSON.stringify(text)) <= MAX_TEXT_BYTES;
}

/** Returns the `truncated` field of a {@link MessageText}: the names of the fields that were cut, if any. */
export function truncatedFields(
  isCut: Partial<Record<Truncatable, boolean>>,
): Pick<MessageText, 'truncated'> {
  const names = (['headers', 'text', 'html'] as const).filter((name) => isCut[name]);
  return names.length === 0 ? {} : { truncated: names };
}
