// Pixels of a decoded picture: scaling, and turning as EXIF data says.

/** A decoded picture: four bytes a pixel, red, green, blue and alpha, row by row. */
export type Pixels = { width: number; height: number; data: Uint8Array };

/** Returns the picture not larger than this, with its proportions. Each pixel is the average of those that it stands for. */
export function scaleDown({ width, height, data }: Pixels, maxWidth: number, maxHeight: number): Pixels {
  const scale = Math.min(1, maxWidth / width, maxHeight / height);
  const scaled = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
  const out = new Uint8Array(scaled.width * scaled.height * 4);
  for (let y = 0; y < scaled.height; y++) {
    const [top, bottom] = spanOf(y, height, scaled.height);
    for (let x = 0; x < scaled.width; x++) {
      const [left, right] = spanOf(x, width, scaled.width);
      // A transparent pixel has no colour that counts.
      let [red, green, blue, alpha] = [0, 0, 0, 0];
      for (let row = top; row < bottom; row++) {
        for (let at = (row * width + left) * 4; at < (row * width + right) * 4; at += 4) {
          const weight = data[at + 3] ?? 0;
          red += (data[at] ?? 0) * weight;
          green += (data[at + 1] ?? 0) * weight;
          blue += (data[at + 2] ?? 0) * weight;
          alpha += weight;
        }
      }
      const count = (bottom - top) * (right - left);
      const solid = Math.max(1, alpha);
      out.set(
        [red / solid, green / solid, blue / solid, alpha / count].map(Math.round),
        (y * scaled.width + x) * 4,
      );
    }
  }
  return { ...scaled, data: out };
}

function spanOf(at: number, from: number, to: number): [first: number, end: number] {
  const first = Math.floor((at * from) / to);
  return [first, Math.max(first + 1, Math.floor(((at + 1) * from) / to))];
}

/** Returns whether a picture with this EXIF orientation is shown with its sides exchanged. */
export function isTurned(orientation: number): boolean {
  return orientation >= 5 && orientation <= 8;
}

/** Returns the picture upright. `orientation` is 1 to 8 as in EXIF data; any other changes nothing. */
export function upright(picture: Pixels, orientation: number): Pixels {
  if (!(orientation >= 2 && orientation <= 8)) return picture;
  const { data } = picture;
  const [width, height] = isTurned(orientation)
    ? [picture.height, picture.width]
    : [picture.width, picture.height];
  const out = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [across, down] = isTurned(orientation) ? [y, x] : [x, y];
      const fromX = [2, 3, 7, 8].includes(orientation) ? picture.width - 1 - across : across;
      const fromY = [3, 4, 6, 7].includes(orientation) ? picture.height - 1 - down : down;
      const from = (fromY * picture.width + fromX) * 4;
      out.set(data.subarray(from, from + 4), (y * width + x) * 4);
    }
  }
  return { width, height, data: out };
}
