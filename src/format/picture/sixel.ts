// Pictures as sixels, the escape sequences of DEC terminals that foot, xterm, mlterm and others show.
import { FINALIZER, image2sixel, introducer, sixelEncode } from 'sixel/lib/SixelEncoder.js';
import type { Pixels } from './pixels.ts';

/** Colours that a terminal keeps for a picture. */
const MAX_COLORS = 256;
/** Zero bits leave what is behind a picture as it is. */
const KEEP_BACKGROUND = 1;
const MIN_SOLID_ALPHA = 128;

/** Returns the sequence that shows pixels. A pixel is transparent or not, as sixels know nothing between. */
export function sixelPicture({ width, height, data }: Pixels): string {
  const solid = Uint8Array.from(data);
  for (let at = 0; at < solid.length; at += 4) {
    const isSeen = (solid[at + 3] ?? 0) >= MIN_SOLID_ALPHA;
    if (isSeen) solid[at + 3] = 255;
    else solid.fill(0, at, at + 4);
  }
  const colors = new Set(new Uint32Array(solid.buffer));
  colors.delete(0);
  // The search for a few colours that stand for many also mixes few ones, of small pictures.
  const text =
    colors.size > 0 && colors.size <= MAX_COLORS
      ? introducer(KEEP_BACKGROUND) + sixelEncode(solid, width, height, [...colors]) + FINALIZER
      : image2sixel(solid, width, height, MAX_COLORS, KEEP_BACKGROUND);
  return `${text}\n`;
}
