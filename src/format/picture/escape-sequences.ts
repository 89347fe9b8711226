// Pictures as escape sequences: the graphics protocol of kitty, and inline pictures of iTerm2.
import { Buffer } from 'node:buffer';
import { deflateSync } from 'node:zlib';
import type { Pixels } from './pixels.ts';

/** Size of a picture on the screen, in cells. */
export type CellSize = { columns: number; rows: number };

/** Base64 characters of one sequence of kitty. */
const MAX_CHUNK_LENGTH = 4096;

/** Width and height of a cell in pixels, of which no terminal tells without being asked. */
export const CELL_PIXELS = { width: 8, height: 16 };

/** Returns the cells that a picture takes: those of its pixels, fewer where the screen has no room for them. */
export function fitIntoCells(size: { width: number; height: number }, screen: CellSize): CellSize {
  const columns = size.width / CELL_PIXELS.width;
  const rows = size.height / CELL_PIXELS.height;
  const scale = Math.min(1, screen.columns / columns, screen.rows / rows);
  return { columns: Math.max(1, Math.round(columns * scale)), rows: Math.max(1, Math.round(rows * scale)) };
}

/** Yields the sequences of kitty that show a PNG file as it is. */
export function kittyPng(file: Uint8Array, cells: CellSize): Generator<string> {
  return kittySequences(`f=100`, file, cells);
}

/** Yields the sequences of kitty that show pixels. */
export function kittyPixels({ width, height, data }: Pixels, cells: CellSize): Generator<string> {
  return kittySequences(`f=32,o=z,s=${width},v=${height}`, deflateSync(data), cells);
}

/** `q=2`: the terminal does not answer, since nobody reads it. */
function* kittySequences(
  format: string,
  payload: Uint8Array,
  { columns, rows }: CellSize,
): Generator<string> {
  const text = Buffer.from(payload).toString('base64');
  for (let at = 0; at < text.length; at += MAX_CHUNK_LENGTH) {
    const keys = at === 0 ? `a=T,${format},c=${columns},r=${rows},q=2,` : '';
    const more = at + MAX_CHUNK_LENGTH < text.length ? 1 : 0;
    yield `\x1b_G${keys}m=${more};${text.slice(at, at + MAX_CHUNK_LENGTH)}\x1b\\`;
  }
  yield '\n';
}

/** Returns the sequence of iTerm2 that shows a file as it is. */
export function iterm2File(file: Uint8Array, { columns, rows }: CellSize): string {
  const keys = `inline=1;size=${file.length};width=${columns};height=${rows};preserveAspectRatio=1`;
  return `\x1b]1337;File=${keys}:${Buffer.from(file).toString('base64')}\x07\n`;
}
