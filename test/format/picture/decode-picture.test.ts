// Pictures from untrusted files: what is decoded is the picture, and a hostile file ends in a reason.
import { describe, expect, test } from 'vitest';
import { decodePicture } from '../../../src/format/picture/decode-picture.ts';
import type { Pixels } from '../../../src/format/picture/pixels.ts';
import {
  gifFile,
  jpegFile,
  PNG_END,
  pngFile,
  pngHeader,
  pngOf,
  pngZeros,
  scene,
} from '../../support/pictures.ts';

async function decoded(file: Uint8Array, maxWidth = 1000, maxHeight = 1000): Promise<Pixels> {
  const result = await decodePicture({ file, maxWidth, maxHeight });
  if ('failure' in result) throw new Error(result.failure);
  return result.pixels;
}

const pixel = ({ width, data }: Pixels, x: number, y: number): number[] => [
  ...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4),
];

describe('is the picture', () => {
  test('of a PNG, to the pixel', async () => {
    const picture = scene(30, 20);
    const { width, height, data } = await decoded(pngFile(picture));
    expect({ width, height }).toEqual({ width: 30, height: 20 });
    for (let at = 0; at < data.length; at += 4) {
      expect(data[at + 3]).toBe(picture.data[at + 3]);
      if (data[at + 3] !== 0)
        expect([...data.subarray(at, at + 3)]).toEqual([...picture.data.subarray(at, at + 3)]);
    }
  });

  test('of a JPEG, nearly', async () => {
    const { data } = await decoded(jpegFile(scene(64, 40)));
    const off = data.map((value, at) => (at % 4 === 3 ? 0 : Math.abs(value - scene(64, 40).data[at]!)));
    expect(off.reduce((sum, each) => sum + each, 0) / off.length).toBeLessThan(3);
  });

  test('of a GIF', async () => {
    const picture = await decoded(gifFile(16, 8, (x) => x >= 8));
    expect(pixel(picture, 3, 3)).toEqual([0, 0, 0, 255]);
    expect(pixel(picture, 12, 3)).toEqual([255, 255, 255, 255]);
  });

  test('scaled down, with the average of its pixels', async () => {
    const picture = await decoded(
      gifFile(16, 8, (x) => x % 2 === 0),
      8,
      100,
    );
    expect(picture).toMatchObject({ width: 8, height: 4 });
    expect(new Set(picture.data)).toEqual(new Set([128, 255]));
  });

  test.each([
    [1, [0, 0]],
    [3, [1, 1]],
    [6, [1, 0]],
    [8, [0, 1]],
  ])('upright for the EXIF orientation %i', async (orientation, [right, down]) => {
    // White in the upper left corner of what the camera stored.
    const stored: Pixels = { width: 32, height: 16, data: new Uint8Array(32 * 16 * 4).fill(255) };
    for (let at = 0; at < 32 * 16; at++) if (at % 32 >= 8 || at >= 32 * 8) stored.data.set([0, 0, 0], at * 4);
    const picture = await decoded(jpegFile(stored, orientation));
    const isTurned = orientation > 4;
    expect(picture).toMatchObject({ width: isTurned ? 16 : 32, height: isTurned ? 32 : 16 });
    for (const x of [0, 1])
      for (const y of [0, 1]) {
        const [red = 0] = pixel(picture, x * (picture.width - 1), y * (picture.height - 1));
        expect(red > 128).toBe(x === right && y === down);
      }
  });
});

const UNREADABLE = 'it is damaged, or of a kind that arx cannot decode';

/** A frame header of a JPEG with components of this sampling. */
const frame = (components: number, sampling: number, side = 16): Buffer =>
  Buffer.from([
    0xff,
    0xc0,
    0,
    8 + 3 * components,
    8,
    0,
    side,
    0,
    side,
    components,
    ...Array.from({ length: components }, (_, index) => [index + 1, sampling, 0]).flat(),
  ]);
const jpegOf = (...segments: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xd8]), ...segments, Buffer.from([0xff, 0xd9])]);

const emptyChunks = (count: number): [string, Buffer][] =>
  Array.from({ length: count }, () => ['IDAT', Buffer.alloc(0)]);

test('a picture with as many chunks as libpng writes is decoded', async () => {
  const few = pngOf(pngHeader(6, 6), ...emptyChunks(40_000), pngZeros(6 * 25), PNG_END);
  expect(await decoded(few)).toMatchObject({ width: 6, height: 6 });
});

test.each<[string, Uint8Array, string]>([
  ['another file', Buffer.from('%PDF-1.4'), 'it is no PNG, JPEG or GIF picture'],
  ['an empty file', Buffer.alloc(0), 'it is no PNG, JPEG or GIF picture'],
  ['no pixels', pngOf(pngHeader(0, 5), PNG_END), 'it is no PNG, JPEG or GIF picture'],
  ['a huge size', pngOf(pngHeader(60_000, 60_000), pngZeros(9), PNG_END), 'it has more than 40 megapixels'],
  [
    'deep pixels',
    pngOf(pngHeader(6000, 6000, { depth: 16 }), pngZeros(9), PNG_END),
    'it needs too much memory',
  ],
  [
    'a second size',
    pngOf(pngHeader(6, 6), pngHeader(30_000, 30_000), pngZeros(9), PNG_END),
    'it is damaged: it states its size more than once',
  ],
  [
    'data that inflates to more than its size',
    pngOf(pngHeader(40, 40, { interlaced: true }), pngZeros(50_000_000), PNG_END),
    'it needs too much memory',
  ],
  ['a PNG that is cut', pngFile(scene(30, 20)).subarray(0, 200), UNREADABLE],
  [
    '60,000 chunks without data',
    pngOf(pngHeader(6, 6), ...emptyChunks(60_000), PNG_END),
    'it has more than 50,000 chunks',
  ],
  ['a JPEG of 80 components', jpegOf(frame(80, 0x11)), UNREADABLE],
  ['a JPEG with a huge sampling factor', jpegOf(frame(3, 0xff)), UNREADABLE],
  ['a JPEG without sampling', jpegOf(frame(3, 0)), UNREADABLE],
  ['a JPEG of two frames', jpegOf(frame(3, 0x11), frame(3, 0x11)), UNREADABLE],
  ['a JPEG without data', jpegOf(frame(3, 0x11)), UNREADABLE],
  ['a GIF that is cut', gifFile(30, 20, (x) => x > 4).subarray(0, 30), UNREADABLE],
  [
    'a JPEG with a huge frame',
    (() => {
      const file = Buffer.from(jpegFile(scene(16, 16)));
      const at = file.indexOf(Buffer.from([0xff, 0xc0]));
      file.writeUInt16BE(7000, at + 5);
      file.writeUInt16BE(7000, at + 7);
      return file;
    })(),
    'it has more than 40 megapixels',
  ],
  [
    'a GIF with a frame beyond the picture',
    (() => {
      const file = Buffer.from(gifFile(16, 8, () => false));
      const at = file.indexOf(0x2c, 13);
      file.writeUInt16LE(65_535, at + 5);
      file.writeUInt16LE(65_535, at + 7);
      return file;
    })(),
    UNREADABLE,
  ],
])('%s is not decoded', async (_, file, reason) => {
  const result = await decodePicture({ file, maxWidth: 80, maxHeight: 40 });
  expect('failure' in result ? result.failure : 'decoded').toBe(reason);
});
