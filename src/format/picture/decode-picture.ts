// Decodes a picture from an untrusted file. It runs in a worker thread, since a hostile file can cost any time.
import { Buffer } from 'node:buffer';
import { isJpegAllowed, readPictureHeader, type PictureFormat } from './picture-header.ts';
import { isTurned, scaleDown, upright, type Pixels } from './pixels.ts';
import { refusalOfPng, TOO_MUCH_MEMORY } from './png-limits.ts';

/** Largest picture in pixels: 40 megapixels. */
const MAX_PIXELS = 40_000_000;
/** Bytes that the pixels of a file may take. */
const MAX_PIXEL_BYTES = 160_000_000;
const MAX_JPEG_MEMORY_MB = 512;

/** What the worker is given. The picture is scaled to fit into `maxWidth` × `maxHeight` pixels. */
export type PictureJob = { file: Uint8Array; maxWidth: number; maxHeight: number };
/** What the worker answers. */
export type PictureResult = { pixels: Pixels } | { failure: string };

/** Returns the picture, upright and not larger than asked for. Never rejects: a failure is a text such as `it needs too much memory`. */
export async function decodePicture({ file, maxWidth, maxHeight }: PictureJob): Promise<PictureResult> {
  try {
    const header = readPictureHeader(file);
    if (header === undefined) return { failure: 'it is no PNG, JPEG or GIF picture' };
    if (header.width * header.height > MAX_PIXELS) return { failure: 'it has more than 40 megapixels' };
    const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
    const refusal = REFUSALS[header.format]?.(bytes);
    if (refusal !== undefined) return { failure: refusal };
    const decoded = await DECODERS[header.format](bytes);
    const orientation = header.format === 'jpeg' ? await orientationOf(bytes) : 1;
    const [width, height] = isTurned(orientation) ? [maxHeight, maxWidth] : [maxWidth, maxHeight];
    return { pixels: upright(scaleDown(decoded, width, height), orientation) };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

/** Why a file is not given to the decoder of its format. */
const REFUSALS: Partial<Record<PictureFormat, (file: Buffer) => string | undefined>> = {
  png: (file) => refusalOfPng(file, MAX_PIXEL_BYTES),
  jpeg: (file) => (isJpegAllowed(file) ? undefined : UNREADABLE),
};

const DECODERS: Record<PictureFormat, (file: Buffer) => Promise<Pixels>> = {
  async png(file) {
    const { PNG } = await import('pngjs');
    return PNG.sync.read(file);
  },
  async jpeg(file) {
    const { decode } = await import('jpeg-js');
    return decode(file, {
      useTArray: true,
      tolerantDecoding: true,
      maxResolutionInMP: MAX_PIXELS / 1_000_000,
      maxMemoryUsageInMB: MAX_JPEG_MEMORY_MB,
    });
  },
  async gif(file) {
    const { GifReader } = await import('omggif');
    const gif = new GifReader(file);
    const { x, y, width, height } = gif.frameInfo(0);
    if (x + width > gif.width || y + height > gif.height) throw new Error('the frame is beyond the picture');
    const data = new Uint8Array(gif.width * gif.height * 4);
    gif.decodeAndBlitFrameRGBA(0, data);
    return { width: gif.width, height: gif.height, data };
  },
};

async function orientationOf(file: Buffer): Promise<number> {
  const { default: reader } = await import('exifreader');
  try {
    return Number(reader.load(file, { includeTags: { exif: ['Orientation'] } })['Orientation']?.value ?? 1);
  } catch {
    return 1;
  }
}

/** Decoders also say so of a valid file that is of a rare kind, such as one with arithmetic coding. */
const UNREADABLE = 'it is damaged, or of a kind that arx cannot decode';

/** The texts of the decoders are for their authors. */
function failureOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /limit exceeded|too large|larger than|Array buffer allocation/i.test(text)
    ? TOO_MUCH_MEMORY
    : UNREADABLE;
}
