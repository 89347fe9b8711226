// The format and the size of a picture, read from its first bytes without decoding it.
import { Buffer } from 'node:buffer';

/** Formats that can be decoded. */
export type PictureFormat = 'png' | 'jpeg' | 'gif';

/** What a picture says of itself. `width` and `height` are in pixels. */
export type PictureHeader = { format: PictureFormat; width: number; height: number };

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Returns the header of a picture; undefined for any other file. Takes bounded time. */
export function readPictureHeader(bytes: Uint8Array): PictureHeader | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.subarray(0, 8).equals(PNG_SIGNATURE) && file.toString('latin1', 12, 16) === 'IHDR')
    return file.length < 33 ? undefined : sized('png', file.readUInt32BE(16), file.readUInt32BE(20));
  if (/^GIF8[79]a/.test(file.toString('latin1', 0, 6)) && file.length >= 13)
    return sized('gif', file.readUInt16LE(6), file.readUInt16LE(8));
  return file.toString('latin1', 0, 3) === '\xff\xd8\xff' ? jpegHeader(file) : undefined;
}

/** Components of a frame that a picture can have. */
const MAX_COMPONENTS = 4;
/** Largest sampling factor of a component, in each direction. */
const MAX_SAMPLING = 4;

function jpegHeader(file: Buffer): PictureHeader | undefined {
  const { done, value: at } = frameHeaders(file).next();
  return done === true ? undefined : sized('jpeg', file.readUInt16BE(at + 7), file.readUInt16BE(at + 5));
}

/**
 * Returns whether a JPEG file has one frame before its picture data, with components that the format allows. The decoder takes memory for
 * every frame and component before it looks at them. A frame behind the data is left to the limits of the decoder and its thread.
 */
export function isJpegAllowed(file: Buffer): boolean {
  const [at, second] = frameHeaders(file);
  const count = at === undefined ? 0 : (file[at + 9] ?? 0);
  if (at === undefined || second !== undefined || count === 0 || count > MAX_COMPONENTS) return false;
  return Array.from({ length: count }, (_, index) => file[at + 11 + 3 * index] ?? 0).every((sampling) =>
    [sampling >> 4, sampling & 15].every((factor) => factor >= 1 && factor <= MAX_SAMPLING),
  );
}

/** Yields where each frame header (SOF) is among the segments before the picture data. */
function* frameHeaders(file: Buffer): Generator<number, undefined> {
  for (let at = 2; at + 9 <= file.length && file[at] === 0xff;) {
    const marker = file[at + 1] ?? 0;
    if (marker === START_OF_SCAN) return;
    if (isFrameHeader(marker)) yield at;
    // Fill bytes may stand before a marker.
    at += marker === 0xff ? 1 : 2 + Math.max(2, file.readUInt16BE(at + 2));
  }
}

const START_OF_SCAN = 0xda;

function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function sized(format: PictureFormat, width: number, height: number): PictureHeader | undefined {
  return width > 0 && height > 0 ? { format, width, height } : undefined;
}
