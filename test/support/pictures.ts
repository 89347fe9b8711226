// Pictures made for tests: their pixels, the files that show them, and files that are hostile.
import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'jpeg-js';
import { GifWriter } from 'omggif';
import { PNG } from 'pngjs';
import type { Pixels } from '../../src/format/picture/pixels.ts';

/** A sky from blue to orange, a red square at the lower right, a transparent corner at the upper left. */
export function scene(width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [across, down] = [x / width, y / height];
      const isSquare = across > 0.6 && across < 0.9 && down > 0.5 && down < 0.9;
      const isCorner = across < 0.2 && down < 0.2;
      const sky = [Math.round(60 + 180 * down), Math.round(120 + 40 * down), Math.round(230 - 190 * down)];
      data.set([...(isSquare ? [200, 20, 40] : sky), isCorner ? 0 : 255], (y * width + x) * 4);
    }
  }
  return { width, height, data };
}

export function pngFile(picture: Pixels): Buffer {
  const png = new PNG({ width: picture.width, height: picture.height });
  png.data = Buffer.from(picture.data);
  return PNG.sync.write(png);
}

/** `orientation`: as EXIF data states it. */
export function jpegFile({ width, height, data }: Pixels, orientation?: number): Buffer {
  const file = encode({ width, height, data }, 95).data;
  if (orientation === undefined) return file;
  const entry = `0112000300000001000${orientation}0000`;
  const tiff = Buffer.from(`4d4d002a000000080001${entry}00000000`, 'hex');
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
  const head = Buffer.from([0xff, 0xe1, 0, body.length + 2]);
  return Buffer.concat([file.subarray(0, 2), head, body, file.subarray(2)]);
}

/** A GIF of two colours: black, and white where `isWhite` says so. */
export function gifFile(width: number, height: number, isWhite: (x: number, y: number) => boolean): Buffer {
  const pixels = Array.from({ length: width * height }, (_, at) =>
    isWhite(at % width, Math.floor(at / width)) ? 1 : 0,
  );
  const file = Buffer.alloc(width * height + 1024);
  const gif = new GifWriter(file, width, height, { palette: [0x000000, 0xffffff] });
  gif.addFrame(0, 0, width, height, pixels);
  return file.subarray(0, gif.end());
}

/** A PNG with these chunks after its signature. */
export function pngOf(...chunks: [type: string, data: Uint8Array][]): Buffer {
  const parts = chunks.map(([type, data]) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  });
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

/** The header chunk of a PNG. */
export function pngHeader(
  width: number,
  height: number,
  { depth = 8, colorType = 6, interlaced = false } = {},
): [string, Uint8Array] {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, interlaced ? 1 : 0], 8);
  return ['IHDR', header];
}

/** The data chunk of a PNG that inflates to so many zeros. */
export function pngZeros(bytes: number): [string, Uint8Array] {
  return ['IDAT', deflateSync(Buffer.alloc(bytes))];
}

export const PNG_END: [string, Uint8Array] = ['IEND', Buffer.alloc(0)];
