// Refuses PNG files that would need far more memory than their size says, before the decoder sees them.
import { inflateSync } from 'node:zlib';

/** Channels of a pixel by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Bytes beside the pixels: filter types of all rows of all passes. */
const PASSES = 7;

/** Throws an Error where the pixels take more than `maxBytes`, the size is given twice, or the data inflates to more than the size. */
export function checkPng(file: Buffer, maxBytes: number): void {
  const parts: Buffer[] = [];
  let headers = 0;
  for (let at = 8; at + 12 <= file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    if (type === 'IHDR') headers += 1;
    if (type === 'IDAT') parts.push(file.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  if (headers !== 1) throw new Error('it states its size more than once');
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const [depth = 8, colorType = 6] = file.subarray(24, 26);
  const rowBytes = Math.ceil((width * (CHANNELS[colorType] ?? 4) * depth) / 8);
  const bytes = rowBytes * height + (height + PASSES) * PASSES;
  if (bytes > maxBytes) throw new Error('it is too large');
  // The decoder limits this itself except in interlaced pictures.
  const isInterlaced = file[28] !== 0;
  if (isInterlaced) inflateSync(Buffer.concat(parts), { maxOutputLength: bytes + width * PASSES });
}
