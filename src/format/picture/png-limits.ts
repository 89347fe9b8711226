// Refuses PNG files that would need far more memory than their size says, before the decoder sees them.
import { inflateSync } from 'node:zlib';

/** Said of a picture that is not decoded, or whose decoding was given up. */
export const TOO_MUCH_MEMORY = 'it needs too much memory';
/** Channels of a pixel by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bytes beside the pixels: filter types of all rows of all passes. */
const PASSES = 7;

/** The decoder takes time for each chunk, also an empty one. A picture of 160 MB in chunks of 8 KiB, as libpng writes them, has 20,000. */
const MAX_CHUNKS = 50_000;

/**
 * Returns why a file is not decoded: its pixels take more than `maxBytes`, the size is given twice, or it has too many chunks.
 * Throws where the data inflates to more than the size.
 */
export function refusalOfPng(file: Buffer, maxBytes: number): string | undefined {
  const parts: Buffer[] = [];
  let headers = 0;
  let chunks = 0;
  for (let at = 8; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') headers += 1;
    if (type === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
    chunks += 1;
  }
  if (headers !== 1) return 'it is damaged: it states its size more than once';
  if (chunks > MAX_CHUNKS) return 'it has more than 50,000 chunks';
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const [depth = 8, colorType = 6] = file.subarray(24, 26);
  const rowBytes = Math.ceil((width * (CHANNELS[colorType] ?? 4) * depth) / 8);
  const bytes = rowBytes * height + (height + PASSES) * PASSES;
  if (bytes > maxBytes) return TOO_MUCH_MEMORY;
  // The decoder limits this itself except in interlaced pictures.
  const isInterlaced = file[28] !== 0;
  if (isInterlaced) inflateSync(Buffer.concat(parts), { maxOutputLength: bytes + width * PASSES });
  return undefined;
}
