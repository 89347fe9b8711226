// Pictures as sixels, read back by a decoder.
import { decode } from 'sixel';
import { expect, test } from 'vitest';
import { sixelPicture } from '../../../src/format/picture/sixel.ts';

const BEGIN = '\x1bP0;1;q';
const END = '\x1b\\\n';

type Color = readonly [red: number, green: number, blue: number, alpha: number];

function picture(width: number, height: number, colorAt: (x: number, y: number) => Color) {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set(colorAt(x, y), (y * width + x) * 4);
  return { width, height, data };
}

/** The picture that a terminal shows; what is transparent has no alpha. */
function shown(text: string) {
  const { width, height, data32 } = decode(text.slice(BEGIN.length, -END.length), { fillColor: 0 });
  const bytes = new Uint8Array(data32.buffer, data32.byteOffset, width * height * 4);
  return {
    width,
    height,
    colorAt: (x: number, y: number) => [...bytes.subarray((y * width + x) * 4).subarray(0, 4)],
  };
}

test.each([
  [1, 1],
  [7, 6],
  [13, 20],
])('%i × %i: two colours and nothing', (width, height) => {
  const colors: Color[] = [
    [255, 0, 0, 255],
    [0, 0, 255, 200],
    [9, 9, 9, 100],
  ];
  const colorOf = (x: number, y: number): Color => colors[(x + y) % 3]!;
  const text = sixelPicture(picture(width, height, colorOf));
  expect(text.split('\x1b')).toEqual(['', expect.stringMatching(/^P0;1;q/), '\\\n']);
  const found = shown(text);
  expect({ width: found.width, height: found.height }).toEqual({ width, height });
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [red, green, blue, alpha] = colorOf(x, y);
      expect(found.colorAt(x, y)).toEqual(alpha < 128 ? [0, 0, 0, 0] : [red, green, blue, 255]);
    }
});

test('many colours are near to what they were', () => {
  const colorOf = (x: number, y: number): Color => [x * 4, y * 4, 128, 255];
  const found = shown(sixelPicture(picture(64, 64, colorOf)));
  let off = 0;
  for (let y = 0; y < 64; y++)
    for (let x = 0; x < 64; x++)
      off += found.colorAt(x, y).reduce((sum, value, at) => sum + Math.abs(value - colorOf(x, y)[at]!), 0);
  expect(off / (64 * 64)).toBeLessThan(24);
});
