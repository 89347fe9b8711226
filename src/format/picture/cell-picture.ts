// Draws a picture with characters: half blocks in colour, coloured blanks without Unicode, characters by brightness without colour.
import type { CellColors } from './picture-protocol.ts';
import type { Pixels } from './pixels.ts';

/** A colour; undefined where the background of the terminal is seen. */
type Color = readonly [red: number, green: number, blue: number] | undefined;

/** From dark to light. */
const BRIGHTNESS = ' .:-=+*#%@';
const MIN_SOLID_ALPHA = 128;

/** Yields a line for each two rows of pixels, with a newline. A pixel is one column wide and half a line high. */
export function* cellLines(
  picture: Pixels,
  { colors, unicode }: { colors: CellColors; unicode: boolean },
): Generator<string> {
  for (let y = 0; y < picture.height; y += 2) {
    const cells = Array.from({ length: picture.width }, (_, x): [Color, Color] => [
      colorAt(picture, x, y),
      colorAt(picture, x, y + 1),
    ]);
    if (colors === 'none') yield `${cells.map(brightness).join('').trimEnd()}\n`;
    else yield `${colored(unicode ? cells.map(halfBlock) : cells.map(blank), colors)}\n`;
  }
}

/** A character with its colours. */
type Cell = { text: string; front: Color; back: Color };

function halfBlock([top, bottom]: [Color, Color]): Cell {
  if (top === undefined && bottom === undefined) return { text: ' ', front: undefined, back: undefined };
  if (top === undefined) return { text: '▄', front: bottom, back: undefined };
  return { text: '▀', front: top, back: bottom };
}

function blank([top, bottom]: [Color, Color]): Cell {
  return { text: ' ', front: undefined, back: averageOf(top, bottom) };
}

function brightness([top, bottom]: [Color, Color]): string {
  const color = averageOf(top, bottom);
  if (color === undefined) return ' ';
  const [red, green, blue] = color;
  const light = (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 256;
  return BRIGHTNESS[Math.floor(light * BRIGHTNESS.length)] ?? ' ';
}

/** Writes a colour only where it changes. */
function colored(cells: readonly Cell[], colors: 'truecolor' | '256'): string {
  let line = '';
  let last = '';
  for (const { text, front, back } of cells) {
    const style = `${colorCode(front, '3', colors)};${colorCode(back, '4', colors)}`;
    line += style === last ? text : `\x1b[${style}m${text}`;
    last = style;
  }
  return `${line}\x1b[0m`;
}

/** `layer`: 3 for the character, 4 for what is behind it. */
function colorCode(color: Color, layer: '3' | '4', colors: 'truecolor' | '256'): string {
  if (color === undefined) return `${layer}9`;
  return colors === 'truecolor' ? `${layer}8;2;${color.join(';')}` : `${layer}8;5;${paletteNumber(color)}`;
}

/** Levels of the colour cube of terminals with 256 colours, which begins at 16; 24 greys follow at 232. */
const LEVELS = [0, 95, 135, 175, 215, 255];

function paletteNumber(color: readonly [number, number, number]): number {
  const steps = color.map((value) => nearestIndex(LEVELS, value));
  const cube = steps.map((step) => LEVELS[step] ?? 0);
  const grey = Math.max(0, Math.min(23, Math.round((averageLevel(color) - 8) / 10)));
  const greyLevel = 8 + grey * 10;
  if (distance(color, [greyLevel, greyLevel, greyLevel]) < distance(color, cube)) return 232 + grey;
  const [red = 0, green = 0, blue = 0] = steps;
  return 16 + 36 * red + 6 * green + blue;
}

function nearestIndex(levels: readonly number[], value: number): number {
  return levels.reduce(
    (best, level, index) => (Math.abs(level - value) < Math.abs((levels[best] ?? 0) - value) ? index : best),
    0,
  );
}

function averageLevel(color: readonly number[]): number {
  return color.reduce((sum, value) => sum + value, 0) / color.length;
}

function distance(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + (value - (b[index] ?? 0)) ** 2, 0);
}

function averageOf(top: Color, bottom: Color): Color {
  if (top === undefined || bottom === undefined) return top ?? bottom;
  const [red, green, blue] = top.map((value, index) => Math.round((value + (bottom[index] ?? 0)) / 2));
  return [red ?? 0, green ?? 0, blue ?? 0];
}

function colorAt({ width, height, data }: Pixels, x: number, y: number): Color {
  if (y >= height) return undefined;
  const at = (y * width + x) * 4;
  if ((data[at + 3] ?? 0) < MIN_SOLID_ALPHA) return undefined;
  return [data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0];
}
